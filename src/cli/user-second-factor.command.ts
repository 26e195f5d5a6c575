import { Command } from 'commander'
import { removeSecondFactors } from '../auth/two-factor.service.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import { getPerson } from './person.ts'
import type { Terminal } from './terminal.ts'

interface SecondFactorOptions extends InstanceOptions {
  readonly username: string
}

export const userSecondFactorCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('remove-second-factor'))
    .description('remove the second factor of an account whose devices and scratch code are lost')
    .requiredOption('--username <name>', 'name of the account')
    .action((options: SecondFactorOptions) =>
      withInstance(options, async (services) => {
        const user = await getPerson(services, options.username)
        const had = await removeSecondFactors(services, user.id)
        terminal.out(
          had ? `the account ${user.name} has no second factor now\n` : `the account ${user.name} had none\n`,
        )
      }),
    )
