import type { Db, Tx } from '../db/database.ts'
import { changesRow } from '../db/rows.ts'
import type { EventId, UserId } from '../lib/ids.ts'

/** The table that records the progress of delivery for each event. */
export type ProgressTable = 'notified_event' | 'mailed_event'

/** Returns the last account that the event was delivered to; undefined before the first delivery. */
export const findLastNotified = async (db: Db, table: ProgressTable, eventId: EventId): Promise<UserId | undefined> =>
  (await db.selectFrom(table).select('last_user_id').where('event_id', '=', eventId).executeTakeFirst())?.last_user_id

/**
 * Records the progress of an event's delivery.
 * @returns false when another worker has recorded later progress
 */
export async function moveLastNotified(
  tx: Tx,
  table: ProgressTable,
  eventId: EventId,
  { from, to }: { readonly from: UserId | undefined; readonly to: UserId },
): Promise<boolean> {
  if (from === undefined) {
    return changesRow(
      tx
        .insertInto(table)
        .values({ event_id: eventId, last_user_id: to })
        .onConflict((conflict) => conflict.column('event_id').doNothing()),
    )
  }
  return changesRow(
    tx.updateTable(table).set({ last_user_id: to }).where('event_id', '=', eventId).where('last_user_id', '=', from),
  )
}
