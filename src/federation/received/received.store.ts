import type { Db, Tx } from '../../db/database.ts'
import { countChanges, countRows, hasRow } from '../../db/rows.ts'
import type { NewReceivedActivityRow, ReceivedActivityRow } from '../../db/tables/federation.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** Inserts an activity unless it was received before. */
export const insertReceived = async (tx: Tx, row: NewReceivedActivityRow): Promise<void> =>
  void (await tx
    .insertInto('received_activity')
    .values(row)
    .onConflict((conflict) => conflict.columns(['actor_id', 'activity_url']).doNothing())
    .execute())

/** Deletes the activities of an account about one of its objects. */
export const deleteReceivedAbout = async (tx: Tx, actorId: UserId, objectUrl: string): Promise<void> =>
  void (await tx
    .deleteFrom('received_activity')
    .where('actor_id', '=', actorId)
    .where((row) => row.or([row('object_url', '=', objectUrl), row('activity_url', '=', objectUrl)]))
    .execute())

/** Updates the stored text of an object. */
export const updateReceived = async (
  tx: Tx,
  actorId: UserId,
  objectUrl: string,
  change: Pick<ReceivedActivityRow, 'title' | 'content' | 'page_url'>,
): Promise<void> =>
  void (await tx
    .updateTable('received_activity')
    .set(change)
    .where('actor_id', '=', actorId)
    .where('object_url', '=', objectUrl)
    .execute())

/** Selects the activities of accounts that a user follows, and those addressed to the user. */
const feedOf = (db: Db, userId: UserId) =>
  db
    .selectFrom('received_activity')
    .where((row) =>
      row.or([
        row('addressee_id', '=', userId),
        row.and([
          row('addressee_id', 'is', null),
          row(
            'actor_id',
            'in',
            row.selectFrom('follow').select('follow.user_id').where('follow.follower_id', '=', userId),
          ),
        ]),
      ]),
    )

/** Lists one page of a feed, newest first. */
export const listFeed = (db: Db, userId: UserId, page: Page): Promise<ReceivedActivityRow[]> =>
  feedOf(db, userId).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute()

export const countFeed = (db: Db, userId: UserId): Promise<number> => countRows(feedOf(db, userId))

/** Deletes activities that were received before a time, and returns how many. */
export async function deleteOldReceived(tx: Tx, before: Unix, limit: number): Promise<number> {
  return countChanges(
    tx
      .deleteFrom('received_activity')
      .where('id', 'in', (from) =>
        from
          .selectFrom('received_activity')
          .select('id')
          .where('received_unix', '<', before)
          .orderBy('received_unix')
          .limit(limit),
      ),
  )
}

/** Deletes all but the `keep` newest activities of an account. */
export const deleteReceivedBeyond = async (tx: Tx, actorId: UserId, keep: number): Promise<void> =>
  void (await tx
    .deleteFrom('received_activity')
    .where('actor_id', '=', actorId)
    .where('id', '<=', (from) =>
      from
        .selectFrom('received_activity as kept')
        .select('kept.id')
        .where('kept.actor_id', '=', actorId)
        .orderBy('kept.id', 'desc')
        .limit(1)
        .offset(keep),
    )
    .execute())

/** Returns whether an account has followers. */
export const hasFollower = (db: Db, userId: UserId): Promise<boolean> =>
  hasRow(db.selectFrom('follow').where('user_id', '=', userId))
