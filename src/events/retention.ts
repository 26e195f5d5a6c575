import { clockOf } from '../db/clock.ts'
import { transaction, type Db } from '../db/database.ts'
import type { JobRun } from '../jobs/job.ts'
import { currentPosition } from './cursor.ts'
import { deleteOldEvents, findClearedTo, findFirstSince, upsertClearedTo } from './event.store.ts'

/** Maximum number of events deleted in one transaction, for which other writes wait on SQLite. */
const stepSize = 500

/**
 * Deletes events older than `keepMs`, except those with jobs, failed ones included.
 * @returns the number of deleted events
 */
export async function clearOldEvents(
  db: Db,
  keepMs: number,
  run: Pick<JobRun, 'signal' | 'progress'>,
): Promise<number> {
  const beforeMs = clockOf(db).nowMs() - keepMs
  // Events get their position when they are read; deletion must know it.
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
