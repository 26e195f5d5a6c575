import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { ActRow } from '../../db/tables/activity.ts'
import type { ActId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'

/** Returns since when a remote account follows an account; undefined when none does. */
export const findFollowedSince = async (db: Db | Tx, userId: UserId): Promise<Unix | undefined> =>
  (
    await db
      .selectFrom('follow')
      .innerJoin('federated_account', 'federated_account.user_id', 'follow.follower_id')
      .select('follow.created_unix')
      .where('follow.user_id', '=', userId)
      .orderBy('follow.created_unix')
      .limit(1)
      .executeTakeFirst()
  )?.created_unix

/** Returns which of these acts were announced. */
export const listAnnounced = async (db: Db, ids: readonly ActId[]): Promise<ReadonlySet<number>> => {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom('told_act').select('activity_id').where('activity_id', 'in', ids).execute()
  return new Set(rows.map((row) => row.activity_id))
}

/** Marks acts as announced, and returns the ids of those that were not. */
export const insertAnnounced = async (
  tx: Tx,
  ids: readonly number[],
  announcedUnix: Unix,
): Promise<ReadonlySet<number>> => {
  const rows = await tx
    .insertInto('told_act')
    .values(ids.map((id) => ({ activity_id: id, told_unix: announcedUnix })))
    .onConflict((conflict) => conflict.column('activity_id').doNothing())
    .returning('activity_id')
    .execute()
  return new Set(rows.map((row) => row.activity_id))
}

export const findActOf = (db: Db, actorId: UserId, id: ActId): Promise<ActRow | undefined> =>
  db.selectFrom('activity').selectAll().where('id', '=', id).where('actor_id', '=', actorId).executeTakeFirst()

/** A member of a collection; `actor_url` is null for local accounts. */
export interface Member {
  readonly id: UserId
  readonly actor_url: string | null
}

/** Selects the public accounts that follow an account or that it follows. */
const members = (db: Db, side: 'followers' | 'following', userId: UserId) => {
  const [own, other] =
    side === 'followers' ? (['user_id', 'follower_id'] as const) : (['follower_id', 'user_id'] as const)
  return db
    .selectFrom('follow')
    .innerJoin('user', 'user.id', `follow.${other}`)
    .leftJoin('federated_account', 'federated_account.user_id', 'user.id')
    .where(`follow.${own}`, '=', userId)
    .where('user.visibility', '=', 'public')
}

export const listMembers = (db: Db, side: 'followers' | 'following', userId: UserId, page: Page): Promise<Member[]> =>
  members(db, side, userId)
    .select(['user.id', 'federated_account.actor_url'])
    .orderBy('follow.created_unix', 'desc')
    .orderBy('user.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countMembers = (db: Db, side: 'followers' | 'following', userId: UserId): Promise<number> =>
  countRows(members(db, side, userId))
