import { setImmediate as otherWork } from 'node:timers/promises'
import { transaction, type Db, type Tx } from '../db/database.ts'
import type { EventId, UserId } from '../lib/ids.ts'
import type { RecipientSet } from './audience.service.ts'
import { findLastNotified, moveLastNotified, type ProgressTable } from './progress.store.ts'

/** RecipientSet of one transaction. On SQLite, other writes wait for this transaction. */
const batchSize = 250

/** The event to deliver, the table of its progress, and the signal that stops the delivery. */
export interface DeliveryOptions {
  readonly table: ProgressTable
  readonly eventId: EventId
  readonly signal: AbortSignal
}

/**
 * Delivers an event to each recipient once, in batches ordered by id. Each batch and its progress share one transaction, so
 * a second run continues where the first one ended.
 */
export async function deliverInBatches(
  db: Db,
  { table, eventId, signal }: DeliveryOptions,
  people: RecipientSet,
  tell: (tx: Tx, userIds: readonly UserId[]) => Promise<void>,
): Promise<void> {
  let from = await findLastNotified(db, table, eventId)
  for (;;) {
    // SQLite answers synchronously; yielding lets requests run between the batches.
    await otherWork()
    signal.throwIfAborted()
    const { userIds, isEnd } = await nextBatch(people, from ?? beforeFirstId)
    const to = userIds.at(-1)
    if (to === undefined) return
    const turn = { from, to }
    const isMine = await transaction(db, async (tx) => {
      if (!(await moveLastNotified(tx, table, eventId, turn))) return false
      await tell(tx, userIds)
      return true
    })
    // `isMine` is false when another worker has taken over the job.
    if (isEnd || !isMine) return
    from = to
  }
}

/** An id below each account's id. */
const beforeFirstId = 0 as UserId

/** Returns the next batch of recipients, with ids above `last`. */
async function nextBatch(
  { ids, more }: RecipientSet,
  last: UserId,
): Promise<{ readonly userIds: readonly UserId[]; readonly isEnd: boolean }> {
  const some = more ? await more(last, batchSize) : []
  // When `more` returned a full page, `ids` above its last id belong to a later batch.
  const upTo = some.length < batchSize ? Number.POSITIVE_INFINITY : (some.at(-1) as UserId)
  const others = ids.filter((id) => id > last && id <= upTo)
  const all = [...new Set([...some, ...others])].sort((one, other) => one - other)
  return { userIds: all.slice(0, batchSize), isEnd: some.length < batchSize && all.length <= batchSize }
}
