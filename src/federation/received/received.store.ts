import type { Db, Tx } from '../../db/database.ts'
import type { NewReceivedActivityRow, ReceivedActivityRow } from '../../db/tables/federation.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** Keeps an activity, unless it came before. */
export const insertReceived = async (tx: Tx, row: NewReceivedActivityRow): Promise<void> =>
  void (await tx
    .insertInto('received_activity')
    .values(row)
    .onConflict((conflict) => conflict.columns(['actor_id', 'activity_url']).doNothing())
    .execute())

/** What somebody said about an object of theirs is said no longer. */
export const deleteReceivedAbout = async (tx: Tx, actorId: UserId, objectUrl: string): Promise<void> =>
  void (await tx
    .deleteFrom('received_activity')
    .where('actor_id', '=', actorId)
    .where((row) => row.or([row('object_url', '=', objectUrl), row('activity_url', '=', objectUrl)]))
    .execute())

/** What an object of somebody says now. */
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

/** What came for somebody: of people whom they follow, and what was for them alone. */
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

/** One page of it, the newest first. */
export const listFeed = (db: Db, userId: UserId, page: Page): Promise<ReceivedActivityRow[]> =>
  feedOf(db, userId).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute()

export const countFeed = async (db: Db, userId: UserId): Promise<number> =>
  (
    await feedOf(db, userId)
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

/** Deletes some of what came before a time. @returns how many */
export async function deleteOldReceived(tx: Tx, before: Unix, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('received_activity')
    .where('id', 'in', (from) =>
      from
        .selectFrom('received_activity')
        .select('id')
        .where('received_unix', '<', before)
        .orderBy('received_unix')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Keeps the newest of what came from somebody. */
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

/** Whether anybody here follows an account. */
export const hasFollower = async (db: Db, userId: UserId): Promise<boolean> =>
  (await db.selectFrom('follow').select('follower_id').where('user_id', '=', userId).limit(1).executeTakeFirst()) !==
  undefined
