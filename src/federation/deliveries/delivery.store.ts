import type { Db, Tx } from '../../db/database.ts'
import { countChanges } from '../../db/rows.ts'
import type { ActivityDeliveryRow, NewActivityDeliveryRow } from '../../db/tables/federation.ts'
import type { ActivityDeliveryId, ServerId } from '../../lib/ids.ts'

/** Most rows of one INSERT statement. */
const maxRowsPerStatement = 500

export async function insertDeliveries(tx: Tx, rows: readonly NewActivityDeliveryRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
    await tx
      .insertInto('activity_delivery')
      .values(rows.slice(start, start + maxRowsPerStatement))
      .execute()
  }
}

/**
 * Lists the activities of a server that are due, oldest first. A postponed activity holds back later ones of the same sender to
 * the same inbox, so that an `Undo` never arrives before its activity.
 */
export const listDeliveries = (
  db: Db,
  serverId: ServerId,
  nowMs: number,
  limit: number,
): Promise<ActivityDeliveryRow[]> =>
  db
    .selectFrom('activity_delivery')
    .selectAll()
    .where('server_id', '=', serverId)
    .where('next_ms', '<=', nowMs)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('activity_delivery as earlier')
            .select('earlier.id')
            .where('earlier.server_id', '=', serverId)
            .where('earlier.next_ms', '>', nowMs)
            .whereRef('earlier.id', '<', 'activity_delivery.id')
            .whereRef('earlier.inbox_url', '=', 'activity_delivery.inbox_url')
            .whereRef(
              (same) => same.fn.coalesce('earlier.sender_id', same.lit(0)),
              '=',
              (same) => same.fn.coalesce('activity_delivery.sender_id', same.lit(0)),
            ),
        ),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns when the next postponed activity of a server is due; undefined when none is postponed. */
export const findNextDelivery = async (db: Db, serverId: ServerId, nowMs: number): Promise<number | undefined> =>
  (
    await db
      .selectFrom('activity_delivery')
      .select('next_ms')
      .where('server_id', '=', serverId)
      .where('next_ms', '>', nowMs)
      .orderBy('next_ms')
      .limit(1)
      .executeTakeFirst()
  )?.next_ms

/** Postpones an activity after a failed attempt. */
export const postponeDelivery = async (tx: Tx, id: ActivityDeliveryId, nextMs: number): Promise<void> =>
  void (await tx
    .updateTable('activity_delivery')
    .set((row) => ({ attempts: row('attempts', '+', 1), next_ms: nextMs }))
    .where('id', '=', id)
    .execute())

export const deleteDelivery = async (tx: Tx, id: ActivityDeliveryId): Promise<void> =>
  void (await tx.deleteFrom('activity_delivery').where('id', '=', id).execute())

export const deleteAllDeliveries = async (tx: Tx, serverId: ServerId): Promise<void> =>
  void (await tx.deleteFrom('activity_delivery').where('server_id', '=', serverId).execute())

/** Deletes activities of a server that were created before a time, and all but the `keep` newest. Returns how many. */
export async function deleteOverdue(tx: Tx, serverId: ServerId, beforeMs: number, keep: number): Promise<number> {
  return countChanges(
    tx
      .deleteFrom('activity_delivery')
      .where('server_id', '=', serverId)
      .where((row) =>
        row.or([
          row('created_ms', '<', beforeMs),
          row(
            'id',
            '<=',
            row
              .selectFrom('activity_delivery as kept')
              .select('kept.id')
              .where('kept.server_id', '=', serverId)
              .orderBy('kept.id', 'desc')
              .limit(1)
              .offset(keep),
          ),
        ]),
      ),
  )
}
