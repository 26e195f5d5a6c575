import { Command } from 'commander'
import { runTask } from '../admin/jobs/cron.service.ts'
import { formatOptionalUnix } from '../lib/time.ts'
import { withInstance, withInstanceOptions, type InstanceOptions } from './instance.ts'
import type { Terminal } from './terminal.ts'

/** Scheduled tasks. */
export const taskCommand = (terminal: Terminal): Command =>
  new Command('task')
    .description('list and run scheduled tasks ([cron])')
    .addCommand(listCommand(terminal))
    .addCommand(runTaskCommand(terminal))

const listCommand = (terminal: Terminal): Command =>
  withInstanceOptions(new Command('list'))
    .description('list the tasks with schedule, last run, next run and last error')
    .option('--json', 'print one JSON object per line')
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
    .description('request a run of a task; the running server executes it, or the next one that starts')
    .argument('<name>', 'name of the task; `list` shows it')
    .action((name: string, options: InstanceOptions) =>
      withInstance(options, async (services) => {
        await runTask(services, name)
        terminal.out(`requested a run of ${name}\n`)
      }),
    )
