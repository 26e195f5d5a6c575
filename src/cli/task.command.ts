import { Command } from 'commander'
import { runTask } from '../admin/jobs/cron.service.ts'
import { formatOptionalUnix } from '../lib/time.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

/** What runs by the clock. */
export const taskCommand = (terminal: Terminal): Command =>
  new Command('task')
    .description('what runs by the clock ([cron])')
    .addCommand(listCommand(terminal))
    .addCommand(runTaskCommand(terminal))

const listCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('list'))
    .description('the tasks, when they run, and what the last run failed with')
    .option('--json', 'one JSON object per line')
    .action((options: InstanceOptions & { readonly json?: boolean }) =>
      withInstance(options, async ({ tasks }) => {
        for (const task of await tasks.list()) {
          const { name, schedule, enabled, nextRunUnix, lastRunUnix, lastError } = task
          const [last, next] = [formatOptionalUnix(lastRunUnix), formatOptionalUnix(nextRunUnix)]
          const shown = [name, enabled ? schedule : 'off', last ?? 'never', next ?? '-', lastError.split('\n', 1)[0]]
          terminal.out(`${options.json ? JSON.stringify(task) : shown.join('\t')}\n`)
        }
      }),
    )

const runTaskCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('run'))
    .description('have a task run now; the server that serves the instance does it, or the next that starts')
    .argument('<name>', 'which one, as the list names it')
    .action((name: string, options: InstanceOptions) =>
      withInstance(options, async (services) => {
        await runTask(services, name)
        terminal.out(`${name} is to run now\n`)
      }),
    )
