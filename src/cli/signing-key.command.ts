import { Command } from 'commander'
import { formatUnix } from '../lib/time.ts'
import { forgetSigningKey, getSigningKeys, readPublicSigningKey, renewOwnKey } from '../site/signing-key.service.ts'
import { CommandFailure } from './exit.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

interface KeyOptions extends InstanceOptions {
  readonly forget?: boolean
  readonly fingerprint: string
}

/** The keys that the instance signs its own commits with. */
export const signingKeyCommand = (terminal: Terminal): Command =>
  new Command('signing-key')
    .description('the keys that the instance signs its own commits with ([repository.signing])')
    .addCommand(showCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(renewCommand(terminal))
    .addCommand(forgetCommand(terminal))

const showCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('show'))
    .description('print the public half of the key that signs now')
    .action((options: InstanceOptions) =>
      withInstance(options, async (services) => {
        const key = await readPublicSigningKey(services, services.config.repositorySigning.format)
        if (key === undefined) throw new CommandFailure('the instance signs nothing: [repository.signing] SIGNING_KEY')
        terminal.out(key)
      }),
    )

const listCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('list'))
    .description('the keys whose signatures count, the newest first')
    .action((options: InstanceOptions) =>
      withInstance(options, async ({ db }) => {
        for (const { format, fingerprint, name, email, created_unix: created } of await getSigningKeys(db)) {
          terminal.out(`${format}\t${fingerprint}\t${name} <${email}>\t${formatUnix(created)}\n`)
        }
      }),
    )

const renewCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('renew'))
    .description('have a new key of the instance take over; running servers take it with the next commit')
    .option('--forget', 'what the former key signed does not count any more')
    .action((options: KeyOptions) =>
      withInstance(options, async (services) => {
        const { fingerprint } = await renewOwnKey(services, { forgets: options.forget === true })
        terminal.out(`the instance signs with ${fingerprint} now\n`)
      }),
    )

const forgetCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('forget'))
    .description('have what a former key signed count no more')
    .requiredOption('--fingerprint <text>', 'which one, as the list names it')
    .action((options: KeyOptions) =>
      withInstance(options, async (services) => {
        await forgetSigningKey(services, options.fingerprint)
        terminal.out(`what ${options.fingerprint} signed does not count any more\n`)
      }),
    )
