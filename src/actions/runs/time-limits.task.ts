import type { Ctx } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import type { ActionStatus } from '../../db/tables/actions.ts'
import type { ActionJobId, RunId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { changeRuns, endJobs } from './run-change.service.ts'
import { listAbandonedJobs, listRunningTasks } from './task.store.ts'

/** How many are ended at once; those that remain come next time. */
const atOnce = 1000

interface Late {
  readonly id: ActionJobId
  readonly run_id: RunId
}

/** Ends jobs that took too long, a run at a time. */
async function endLate(ctx: Ctx, late: readonly Late[], status: ActionStatus, signal: AbortSignal): Promise<void> {
  const byRun = Map.groupBy(late, ({ run_id }) => run_id)
  for (const [runId, jobs] of byRun) {
    if (signal.aborted) return
    const ids = new Set(jobs.map(({ id }) => id))
    await changeRuns(ctx.db, (tx) => endJobs(tx, runId, status, ({ id }) => ids.has(id)))
  }
}

const jobsOf = (tasks: readonly { readonly job_id: ActionJobId; readonly run_id: RunId }[]): Late[] =>
  tasks.map(({ job_id, run_id }) => ({ id: job_id, run_id }))

/** Tasks whose runner says nothing any more have failed. */
export const stopZombieTasks = (config: Config) =>
  configuredTask('stop_zombie_tasks', config.cronStopZombieTasks, async (ctx, run) => {
    const activeMs = ctx.clock.nowMs() - config.actions.zombieTaskTimeout
    await endLate(ctx, jobsOf(await listRunningTasks(ctx.db, { activeMs }, atOnce)), 'failure', run.signal)
  })

/** Tasks that run for too long have failed. */
export const stopEndlessTasks = (config: Config) =>
  configuredTask('stop_endless_tasks', config.cronStopEndlessTasks, async (ctx, run) => {
    const startedUnix = nowUnix(ctx.clock) - Math.round(config.actions.endlessTaskTimeout / 1000)
    await endLate(ctx, jobsOf(await listRunningTasks(ctx.db, { startedUnix }, atOnce)), 'failure', run.signal)
  })

/** Jobs that no runner takes are given up. */
export const cancelAbandonedJobs = (config: Config) =>
  configuredTask('cancel_abandoned_jobs', config.cronCancelAbandonedJobs, async (ctx, run) => {
    const beforeUnix = nowUnix(ctx.clock) - Math.round(config.actions.abandonedJobTimeout / 1000)
    await endLate(ctx, await listAbandonedJobs(ctx.db, beforeUnix, atOnce), 'cancelled', run.signal)
  })
