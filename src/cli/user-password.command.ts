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
    .description('set the password of an account')
    .requiredOption('--username <name>', 'name of the account')
    .option('--password <password>', 'new password; other users of this machine can see it while the command runs')
    .option('--random-password', 'generate a password and print it')
    .option('--must-change-password', 'require a new password at the next sign-in')
    .action((options: PasswordOptions) =>
      withInstance(options, async (services) => {
        const { randomPassword = false } = options
        if ((options.password !== undefined) === randomPassword) {
          throw new CommandFailure('give exactly one of --password and --random-password')
        }
        const password = options.password ?? newPassword()
        const user = await getPerson(services, options.username)
        const mustChangePassword = options.mustChangePassword === true
        await changePassword(services, user, password, { mustChangePassword })
        terminal.out(`set the password of account ${user.name}\n`)
        if (randomPassword) terminal.out(`password: ${password}\n`)
      }),
    )
