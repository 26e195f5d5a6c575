import type { Ctx } from '../access/context.ts'
import { expireArtifacts } from './artifacts/artifact.service.ts'
import { expireCaches } from './caches/cache.service.ts'
import { configuredTask } from '../access/task.ts'
import type { Config } from '../config/load-config.ts'
import { transaction } from '../db/database.ts'
import { enqueueAll, planned } from '../jobs/queue.ts'
import { nowUnix } from '../lib/time.ts'
import { updateTask } from './runs/attempt.store.ts'
import { storeLog } from './logs/log.service.ts'
import { listLogs } from './logs/log.store.ts'

const atOnce = 200

/** How long a runner that has ended its task may go on with the log, in seconds. */
const lateSeconds = 3600

/** Logs that were never said to be whole are stored as they are. */
async function storeLateLogs(ctx: Ctx): Promise<void> {
  const before = nowUnix(ctx.clock) - lateSeconds
  for (let after = 0; ;) {
    const late = await listLogs(ctx.db, 'open', before, after, atOnce)
    await transaction(ctx.db, async (tx) => {
      for (const { id } of late) await updateTask(tx, id, { log_state: 'ended' })
      await enqueueAll(
        tx,
        late.map(({ id }) => planned(storeLog, { taskId: id })),
      )
    })
    if (late.length < atOnce) return
    after = late.at(-1)?.id ?? 0
  }
}

/** Logs that had their time (`[actions].LOG_RETENTION_DAYS`) are forgotten. */
async function expireLogs(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const { logRetentionDays } = ctx.config.actions
  if (logRetentionDays <= 0) return
  const before = nowUnix(ctx.clock) - logRetentionDays * 86_400
  for (let after = 0; !signal.aborted;) {
    const old = await listLogs(ctx.db, 'stored', before, after, atOnce)
    for (const { id, log_key: key } of old) {
      await transaction(ctx.db, (tx) => updateTask(tx, id, { log_state: 'expired', log_key: '', log_index: '[]' }))
      await ctx.blobs.actionsLog.delete(key)
    }
    if (old.length < atOnce) return
    after = old.at(-1)?.id ?? 0
  }
}

/** What runs left behind and nobody needs any more. */
export const cleanupActions = (config: Config) =>
  configuredTask('cleanup_actions', config.cronCleanupActions, async (ctx, run) => {
    await storeLateLogs(ctx)
    await expireLogs(ctx, run.signal)
    await expireArtifacts(ctx, run.signal)
    await expireCaches(ctx, run.signal)
  })
