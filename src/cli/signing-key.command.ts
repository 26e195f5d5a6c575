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

/** Keys that the instance signs its own commits with. */
export const signingKeyCommand = (terminal: Terminal): Command =>
  new Command('signing-key')
    .description('manage the keys that sign commits of the instance ([repository.signing])')
    .addCommand(showCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(renewCommand(terminal))
    .addCommand(forgetCommand(terminal))

const showCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('show'))
    .description('print the current public key')
    .action((options: InstanceOptions) =>
      withInstance(options, async (services) => {
        const key = await readPublicSigningKey(services, services.config.repositorySigning.format)
        if (key === undefined) {
          throw new CommandFailure('the instance signs nothing; set [repository.signing].SIGNING_KEY')
        }
        terminal.out(key)
      }),
    )

const listCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('list'))
    .description('list the trusted keys, newest first')
    .action((options: InstanceOptions) =>
      withInstance(options, async ({ db }) => {
        for (const { format, fingerprint, name, email, created_unix: created } of await getSigningKeys(db)) {
          terminal.out(`${format}\t${fingerprint}\t${name} <${email}>\t${formatUnix(created)}\n`)
        }
      }),
    )

const renewCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('renew'))
    .description('create a new key; running servers use it from the next commit on')
    .option('--forget', 'stop trusting the previous key and its signatures')
    .action((options: KeyOptions) =>
      withInstance(options, async (services) => {
        const { fingerprint } = await renewOwnKey(services, { forgets: options.forget === true })
        terminal.out(`the instance signs with ${fingerprint}\n`)
      }),
    )

const forgetCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('forget'))
    .description('stop trusting a former key and its signatures')
    .requiredOption('--fingerprint <text>', 'fingerprint of the key; `list` shows it')
    .action((options: KeyOptions) =>
      withInstance(options, async (services) => {
        await forgetSigningKey(services, options.fingerprint)
        terminal.out(`signatures of ${options.fingerprint} are no longer trusted\n`)
      }),
    )
