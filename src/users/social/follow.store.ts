import { isAccountShownIn, type Onlooker } from '../../access/conditions/account-condition.store.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { countPeople, listPeopleByTime, type PeopleTotal } from '../people-count.store.ts'

export const isFollowing = (db: Db | Tx, followerId: UserId, userId: UserId): Promise<boolean> =>
  hasRow(db.selectFrom('follow').where('follower_id', '=', followerId).where('user_id', '=', userId))

async function addToCounts(tx: Tx, followerId: UserId, userId: UserId, difference: 1 | -1): Promise<void> {
  await tx
    .updateTable('user')
    .set((set) => ({ num_following: set('num_following', '+', difference) }))
    .where('id', '=', followerId)
    .execute()
  await tx
    .updateTable('user')
    .set((set) => ({ num_followers: set('num_followers', '+', difference) }))
    .where('id', '=', userId)
    .execute()
}

/** Inserts a follow; returns false when it exists. */
export async function insertFollow(tx: Tx, followerId: UserId, userId: UserId, createdUnix: Unix): Promise<boolean> {
  const added = await tx
    .insertInto('follow')
    .values({ follower_id: followerId, user_id: userId, created_unix: createdUnix })
    .onConflict((conflict) => conflict.columns(['follower_id', 'user_id']).doNothing())
    .returning('user_id')
    .execute()
  if (added.length > 0) await addToCounts(tx, followerId, userId, 1)
  return added.length > 0
}

/** Deletes a follow; returns false when it does not exist. */
export async function deleteFollow(tx: Tx, followerId: UserId, userId: UserId): Promise<boolean> {
  const follow = tx.deleteFrom('follow').where('follower_id', '=', followerId).where('user_id', '=', userId)
  if (!(await changesRow(follow))) return false
  await addToCounts(tx, followerId, userId, -1)
  return true
}

/** Deletes every follow of and by an account. */
export async function deleteAllFollows(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .updateTable('user')
    .set((set) => ({ num_followers: set('num_followers', '-', 1) }))
    .where('id', 'in', (select) => select.selectFrom('follow').select('user_id').where('follower_id', '=', userId))
    .execute()
  await tx
    .updateTable('user')
    .set((set) => ({ num_following: set('num_following', '-', 1) }))
    .where('id', 'in', (select) => select.selectFrom('follow').select('follower_id').where('user_id', '=', userId))
    .execute()
  await tx
    .deleteFrom('follow')
    .where((where) => where.or([where('follower_id', '=', userId), where('user_id', '=', userId)]))
    .execute()
}

type Side = 'followers' | 'following'

/** Selects the followers of an account, or those it follows. */
function people(db: Db, side: Side, userId: UserId, onlooker: Onlooker) {
  const [own, other] =
    side === 'followers' ? (['user_id', 'follower_id'] as const) : (['follower_id', 'user_id'] as const)
  return db
    .selectFrom('follow')
    .select([`follow.${other} as person_id`, 'follow.created_unix'])
    .where(`follow.${own}`, '=', userId)
    .where(isAccountShownIn(onlooker, `follow.${other}`))
}

/** Returns one page of people, the oldest follow first. */
export const listFollowPeople = (
  db: Db,
  side: Side,
  userId: UserId,
  onlooker: Onlooker,
  page: Page,
): Promise<UserRow[]> => listPeopleByTime(db, people(db, side, userId, onlooker), page)

export const countFollowPeople = (db: Db, side: Side, userId: UserId, onlooker: Onlooker): Promise<PeopleTotal> =>
  countPeople(db, people(db, side, userId, onlooker))
