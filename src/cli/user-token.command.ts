import { Command } from 'commander'
import { createToken } from '../users/credentials/token.service.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { getPerson } from './person.ts'
import type { Terminal } from './terminal.ts'

interface TokenOptions extends InstanceOptions {
  readonly username: string
  readonly tokenName: string
  readonly scopes: string
  readonly raw?: boolean
}

export const userTokenCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('generate-access-token'))
    .description('create an access token for an account and print it')
    .requiredOption('--username <name>', 'name of the account')
    .option('--token-name <name>', 'name of the token', 'ingot-admin')
    .option('--scopes <scopes>', 'scopes of the token, separated by commas', 'all')
    .option('--raw', 'print only the token')
    .action((options: TokenOptions) =>
      withInstance(options, async (services) => {
        const user = await getPerson(services, options.username)
        const scopes = options.scopes.split(',')
        const { token } = await createToken(services, user, { name: options.tokenName, scopes })
        terminal.out(options.raw ? `${token}\n` : `access token: ${token}\n`)
      }),
    )
