import { schedule, type Schedule } from '../jobs/schedule.ts'
import type { JobRun } from '../jobs/job.ts'
import type { Ctx } from './context.ts'

/** Settings of a task, section `[cron.<name>]`. */
export interface TaskSettings {
  readonly enabled: boolean
  readonly runAtStart: boolean
  readonly schedule: string
}

/** Declares a scheduled task with its settings section. Administrators may run it at any time. */
export const configuredTask = (
  name: string,
  settings: TaskSettings,
  run: (ctx: Ctx, run: JobRun) => Promise<void>,
): Schedule<Ctx> =>
  schedule({ name, when: settings.schedule, enabled: settings.enabled, runAtStart: settings.runAtStart, run })
