import { Command } from 'commander'
import { changePassword } from '../users/credentials/password.service.ts'
import { CommandFailure } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { getPerson, newPassword } from './person.ts'
import type { Terminal } from './terminal.ts'

interface PasswordOptions extends InstanceOptions {
  readonly username: string
  readonly password?: string
  readonly randomPassword?: boolean
  readonly mustChangePassword?: boolean
}

export const userPasswordCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('change-password'))
    .description('give an account another password')
    .requiredOption('--username <name>', 'name of the account')
    .option('--password <password>', 'the new password; others on this machine may see it meanwhile')
    .option('--random-password', 'generate a password and print it')
    .option('--must-change-password', 'it must be changed at the next sign-in')
    .action((options: PasswordOptions) =>
      withInstance(options, async (services) => {
        const { randomPassword = false } = options
        if ((options.password !== undefined) === randomPassword) {
          throw new CommandFailure('give one of --password and --random-password')
        }
        const password = options.password ?? newPassword()
        const user = await getPerson(services, options.username)
        const mustChangePassword = options.mustChangePassword === true
        await changePassword(services, user, password, { mustChangePassword })
        terminal.out(`the account ${user.name} has its new password\n`)
        if (randomPassword) terminal.out(`password: ${password}\n`)
      }),
    )
