import type { Db, Tx } from '../db/database.ts'
import type { EventId, UserId } from '../lib/ids.ts'

/** Where it is written down how far people were told of events. */
export type ProgressTable = 'notified_event' | 'mailed_event'

/** The last account that was told of an event; undefined when nobody was yet. */
export const findLastNotified = async (db: Db, table: ProgressTable, eventId: EventId): Promise<UserId | undefined> =>
  (await db.selectFrom(table).select('last_user_id').where('event_id', '=', eventId).executeTakeFirst())?.last_user_id

/**
 * Writes down how far people were told of an event.
 * @returns false when somebody else has come further meanwhile
 */
export async function moveLastNotified(
  tx: Tx,
  table: ProgressTable,
  eventId: EventId,
  { from, to }: { readonly from: UserId | undefined; readonly to: UserId },
): Promise<boolean> {
  if (from === undefined) {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto(table)
      .values({ event_id: eventId, last_user_id: to })
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  }
  const { numUpdatedRows } = await tx
    .updateTable(table)
    .set({ last_user_id: to })
    .where('event_id', '=', eventId)
    .where('last_user_id', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
