import { clockOf } from '../db/clock.ts'
import { transaction, type Db } from '../db/database.ts'
import type { JobRun } from '../jobs/job.ts'
import { currentPosition } from './cursor.ts'
import { deleteOldEvents, findClearedTo, findFirstSince, upsertClearedTo } from './event.store.ts'

/** Events of one step: each step is a transaction that others wait for on SQLite. */
const stepSize = 500

/**
 * Deletes events that are older than `keepMs`, except those that a job still needs: also a failed job, which may be tried
 * again.
 * @returns the number of deleted events
 */
export async function clearOldEvents(
  db: Db,
  keepMs: number,
  run: Pick<JobRun, 'signal' | 'progress'>,
): Promise<number> {
  const beforeMs = clockOf(db).nowMs() - keepMs
  // An event that no reader asked for has no position yet, and where it stood must be known when it is gone.
  await currentPosition(db)
  const beforeId = await findFirstSince(db, beforeMs)
  let done = 0
  for (;;) {
    run.signal.throwIfAborted()
    const count = await transaction(db, async (tx) => {
      const deleted = await deleteOldEvents(tx, { beforeMs, beforeId, limit: stepSize })
      if (deleted.last > (await findClearedTo(tx))) await upsertClearedTo(tx, deleted.last)
      return deleted.count
    })
    done += count
    if (count < stepSize) return done
    run.progress({ done })
  }
}
