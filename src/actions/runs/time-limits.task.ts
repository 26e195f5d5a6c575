import type { Ctx } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import type { ActionStatus } from '../../db/tables/actions.ts'
import type { ActionJobId, RunId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { changeRuns, endJobs } from './run-change.service.ts'
import { listAbandonedJobs, listRunningTasks } from './task.store.ts'

/** Most jobs that one run of a task ends. The next run ends the rest. */
const batchSize = 1000

interface OverdueJob {
  readonly id: ActionJobId
  readonly run_id: RunId
}

/** Ends jobs, with one transaction for each run. */
async function endOverdue(
  ctx: Ctx,
  overdue: readonly OverdueJob[],
  status: ActionStatus,
  signal: AbortSignal,
): Promise<void> {
  const byRun = Map.groupBy(overdue, ({ run_id }) => run_id)
  for (const [runId, jobs] of byRun) {
    if (signal.aborted) return
    const ids = new Set(jobs.map(({ id }) => id))
    await changeRuns(ctx.db, (tx) => endJobs(tx, runId, status, ({ id }) => ids.has(id)))
  }
}

const jobsOf = (tasks: readonly { readonly job_id: ActionJobId; readonly run_id: RunId }[]): OverdueJob[] =>
  tasks.map(({ job_id, run_id }) => ({ id: job_id, run_id }))

/** Fails tasks whose runner stopped reporting (`[actions].ZOMBIE_TASK_TIMEOUT`). */
export const stopZombieTasks = (config: Config) =>
  configuredTask('stop_zombie_tasks', config.cronStopZombieTasks, async (ctx, run) => {
    const activeMs = ctx.clock.nowMs() - config.actions.zombieTaskTimeout
    await endOverdue(ctx, jobsOf(await listRunningTasks(ctx.db, { activeMs }, batchSize)), 'failure', run.signal)
  })

/** Fails tasks that run for too long (`[actions].ENDLESS_TASK_TIMEOUT`). */
export const stopEndlessTasks = (config: Config) =>
  configuredTask('stop_endless_tasks', config.cronStopEndlessTasks, async (ctx, run) => {
    const startedUnix = nowUnix(ctx.clock) - Math.round(config.actions.endlessTaskTimeout / 1000)
    await endOverdue(ctx, jobsOf(await listRunningTasks(ctx.db, { startedUnix }, batchSize)), 'failure', run.signal)
  })

/** Cancels jobs that no runner takes (`[actions].ABANDONED_JOB_TIMEOUT`). */
export const cancelAbandonedJobs = (config: Config) =>
  configuredTask('cancel_abandoned_jobs', config.cronCancelAbandonedJobs, async (ctx, run) => {
    const beforeUnix = nowUnix(ctx.clock) - Math.round(config.actions.abandonedJobTimeout / 1000)
    await endOverdue(ctx, await listAbandonedJobs(ctx.db, beforeUnix, batchSize), 'cancelled', run.signal)
  })
