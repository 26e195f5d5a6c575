import type { ScheduledTask } from '../../jobs/scheduler.ts'
import { formatUnix, zeroTime } from '../../lib/time.ts'
import type { Cron } from './cron.schemas.ts'

const shown = (unix: number): string => (unix === 0 ? zeroTime : formatUnix(unix))

/** Presents scheduled tasks; a run that never happened has the zero time. */
export const presentTasks = (tasks: readonly ScheduledTask[]): Cron[] =>
  tasks.map((task) => ({
    name: task.name,
    schedule: task.schedule,
    next: shown(task.nextRunUnix),
    prev: shown(task.lastRunUnix),
    exec_times: task.runCount,
  }))
