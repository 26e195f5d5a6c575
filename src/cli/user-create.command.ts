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
    .description('create an account')
    .requiredOption('--username <name>', 'name of the account')
    .requiredOption('--email <address>', 'email address')
    .option('--fullname <name>', 'display name')
    .option('--password <password>', 'password; other users of this machine can see it while the command runs')
    .option('--random-password', 'generate a password and print it')
    .option('--admin', 'make it an administrator of the instance')
    .option('--restricted', 'limit it to what it was given access to')
    .option('--must-change-password', 'require a new password at the first sign-in')
    .option('--access-token', 'create an access token and print it')
    .option('--access-token-name <name>', 'name of the access token', 'ingot-admin')
    .option('--access-token-scopes <scopes>', 'scopes of the access token, separated by commas', 'all')
    .action((options: CreateOptions) => create(terminal, options))

async function create(terminal: Terminal, options: CreateOptions): Promise<void> {
  if ((options.password !== undefined) === (options.randomPassword === true)) {
    throw new CommandFailure('give exactly one of --password and --random-password')
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
    terminal.out(`created account ${user.name}\n`)
    if (options.randomPassword) terminal.out(`password: ${password}\n`)
    if (!options.accessToken) return
    const scopes = options.accessTokenScopes.split(',')
    const { token } = await createToken(services, user, { name: options.accessTokenName, scopes })
    terminal.out(`access token: ${token}\n`)
  })
}
