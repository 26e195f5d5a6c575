import type { Ctx } from '../access/context.ts'
import { expireArtifacts } from './artifacts/artifact.service.ts'
import { expireCaches } from './caches/cache.service.ts'
import { configuredTask } from '../access/task.ts'
import type { Config } from '../config/load-config.ts'
import { transaction } from '../db/database.ts'
import { enqueueAll, planned } from '../jobs/queue.ts'
import { nowUnix } from '../lib/time.ts'
import { updateTask } from './runs/task.store.ts'
import { deleteAnnotations } from './logs/annotation.store.ts'
import { deleteSummaries } from './logs/summary.store.ts'
import { storeLog } from './logs/log.service.ts'
import { listLogs } from './logs/log.store.ts'

const batchSize = 200

/** The time after the end of a task in which its runner may send more of the log, in seconds. */
const lateSeconds = 3600

/** Stores logs whose runner never sent the end mark. */
async function storeLateLogs(ctx: Ctx): Promise<void> {
  const before = nowUnix(ctx.clock) - lateSeconds
  for (let after = 0; ;) {
    const late = await listLogs(ctx.db, 'open', before, after, batchSize)
    await transaction(ctx.db, async (tx) => {
      for (const { id } of late) await updateTask(tx, id, { log_state: 'ended' })
      await enqueueAll(
        tx,
        late.map(({ id }) => planned(storeLog, { taskId: id })),
      )
    })
    if (late.length < batchSize) return
    after = late.at(-1)?.id ?? 0
  }
}

/** Deletes logs, with their annotations and summaries, that are older than `[actions].LOG_RETENTION_DAYS`. */
async function expireLogs(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const { logRetentionDays } = ctx.config.actions
  if (logRetentionDays <= 0) return
  const before = nowUnix(ctx.clock) - logRetentionDays * 86_400
  for (let after = 0; !signal.aborted;) {
    const old = await listLogs(ctx.db, 'stored', before, after, batchSize)
    for (const { id, log_key: key } of old) {
      await transaction(ctx.db, async (tx) => {
        await updateTask(tx, id, { log_state: 'expired', log_key: '', log_index: '[]' })
        await deleteAnnotations(tx, id)
        await deleteSummaries(tx, id)
      })
      await ctx.blobs.actionsLog.delete(key)
    }
    if (old.length < batchSize) return
    after = old.at(-1)?.id ?? 0
  }
}

/** Deletes expired logs, artifacts and caches. */
export const cleanupActions = (config: Config) =>
  configuredTask('cleanup_actions', config.cronCleanupActions, async (ctx, run) => {
    await storeLateLogs(ctx)
    await expireLogs(ctx, run.signal)
    await expireArtifacts(ctx, run.signal)
    await expireCaches(ctx, run.signal)
  })
