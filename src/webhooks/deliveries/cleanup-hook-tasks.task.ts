import type { Ctx } from '../../access/context.ts'
import { configuredTask } from '../../access/task.ts'
import type { Config } from '../../config/load-config.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { JobRun } from '../../jobs/job.ts'
import type { HookId } from '../../lib/ids.ts'
import { inBatches } from '../../lib/in-batches.ts'
import { deleteUnused } from './delete-unused-payloads.job.ts'
import { deleteDeliveriesBeyond, deleteOldDeliveries, listHookIds } from './delivery.store.ts'

/** Rows deleted in one transaction: on SQLite all writers wait for it. */
const stepSize = 500

/**
 * Deletes ended deliveries by age or by number per webhook (`[cron.cleanup_hook_task_table]`), then the payloads to which no
 * delivery refers.
 */
export const cleanupHookTasks = (config: Config) => {
  const settings = config.cronCleanupHookTaskTable
  return configuredTask('cleanup_hook_task_table', settings, async (ctx: Ctx, run) => {
    if (settings.cleanupType === 'PerWebhook') {
      for await (const ids of inBatches((after?: HookId) => listHookIds(ctx.db, after, stepSize))) {
        for (const { id } of ids) {
          await inSteps(ctx, run, (tx) => deleteDeliveriesBeyond(tx, id, settings.numberToKeep, stepSize))
        }
      }
    } else {
      const beforeMs = ctx.clock.nowMs() - settings.olderThan
      await inSteps(ctx, run, (tx) => deleteOldDeliveries(tx, beforeMs, stepSize))
    }
    await deleteUnused(ctx.db, run.signal)
  })
}

async function inSteps({ db }: Ctx, run: JobRun, step: (tx: Tx) => Promise<number>): Promise<void> {
  for (;;) {
    run.signal.throwIfAborted()
    if ((await transaction(db, step)) < stepSize) return
  }
}
