import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { startDueSchedules } from './schedule.service.ts'

/** Starts the workflows whose schedules are due. */
export const startScheduleTasks = (config: Config) =>
  configuredTask('start_schedule_tasks', config.cronStartScheduleTasks, async (ctx, run) => {
    if (config.actions.enabled) await startDueSchedules(ctx, run.signal)
  })
