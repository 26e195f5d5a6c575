import { Command } from 'commander'
import { createToken } from '../users/credentials/token.service.ts'
import { createUser } from '../users/user.service.ts'
import { CommandFailure } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { newPassword } from './person.ts'
import type { Terminal } from './terminal.ts'

interface CreateOptions extends InstanceOptions {
  readonly username: string
  readonly email: string
  readonly fullname?: string
  readonly password?: string
  readonly randomPassword?: boolean
  readonly admin?: boolean
  readonly restricted?: boolean
  readonly mustChangePassword?: boolean
  readonly accessToken?: boolean
  readonly accessTokenName: string
  readonly accessTokenScopes: string
}

export const userCreateCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('create'))
    .description('make an account')
    .requiredOption('--username <name>', 'name of the account')
    .requiredOption('--email <address>', 'mail address')
    .option('--fullname <name>', 'name that is shown')
    .option('--password <password>', 'password; others on this machine may see it while the command runs')
    .option('--random-password', 'generate a password and print it')
    .option('--admin', 'an administrator of the instance')
    .option('--restricted', 'sees only what it was given access to')
    .option('--must-change-password', 'the password must be changed at the first sign-in')
    .option('--access-token', 'make an access token too and print it')
    .option('--access-token-name <name>', 'its name', 'ingot-admin')
    .option('--access-token-scopes <scopes>', 'its scopes, joined by commas', 'all')
    .action((options: CreateOptions) => create(terminal, options))

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  if ((options.password !== undefined) === (options.randomPassword === true)) {
    throw new CommandFailure('give one of --password and --random-password')
  }
  const password = options.password ?? newPassword()
  await withInstance(options, async (services) => {
    const user = await createUser(services, {
      name: options.username,
      email: options.email,
      password,
      fullName: options.fullname,
      isAdmin: options.admin === true,
      isRestricted: options.restricted === true ? true : undefined,
      mustChangePassword: options.mustChangePassword === true,
    })
    terminal.out(`made the account ${user.name}\n`)
    if (options.randomPassword) terminal.out(`password: ${password}\n`)
    if (!options.accessToken) return
    const scopes = options.accessTokenScopes.split(',')
    const { token } = await createToken(services, user, { name: options.accessTokenName, scopes })
    terminal.out(`access token: ${token}\n`)
  })
}
