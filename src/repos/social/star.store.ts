import { isAccountShownIn, type Onlooker } from '../../access/conditions/account-condition.store.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { countPeople, listPeopleByTime, type PeopleTotal } from '../../users/people-count.store.ts'

export const isStarred = async (db: Db, repoId: RepoId, userId: UserId): Promise<boolean> =>
  (await db
    .selectFrom('star')
    .select('repo_id')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .executeTakeFirst()) !== undefined

async function addToCounts(tx: Tx, repoIds: readonly RepoId[], userId: UserId, difference: 1 | -1): Promise<void> {
  if (repoIds.length === 0) return
  await tx
    .updateTable('repo')
    .set((set) => ({ num_stars: set('num_stars', '+', difference) }))
    .where('id', 'in', repoIds)
    .execute()
  await tx
    .updateTable('user')
    .set((set) => ({ num_stars: set('num_stars', '+', difference * repoIds.length) }))
    .where('id', '=', userId)
    .execute()
}

/** Inserts a star; returns false when it exists. */
export async function insertStar(tx: Tx, repoId: RepoId, userId: UserId, createdUnix: Unix): Promise<boolean> {
  const added = await tx
    .insertInto('star')
    .values({ repo_id: repoId, user_id: userId, created_unix: createdUnix })
    .onConflict((conflict) => conflict.columns(['repo_id', 'user_id']).doNothing())
    .returning('repo_id')
    .execute()
  await addToCounts(
    tx,
    added.map((row) => row.repo_id),
    userId,
    1,
  )
  return added.length > 0
}

/** Deletes a star; returns false when there was none. */
export async function deleteStar(tx: Tx, repoId: RepoId, userId: UserId): Promise<boolean> {
  const removed = await tx
    .deleteFrom('star')
    .where('repo_id', '=', repoId)
    .where('user_id', '=', userId)
    .returning('repo_id')
    .execute()
  await addToCounts(
    tx,
    removed.map((row) => row.repo_id),
    userId,
    -1,
  )
  return removed.length > 0
}

/** Deletes an account's stars on the repositories of an owner and returns the repositories. */
export async function deleteStarsOn(tx: Tx, ownerId: UserId, userId: UserId): Promise<RepoId[]> {
  const removed = await tx
    .deleteFrom('star')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', (select) => select.selectFrom('repo').select('id').where('owner_id', '=', ownerId))
    .returning('repo_id')
    .execute()
  const repoIds = removed.map((row) => row.repo_id)
  await addToCounts(tx, repoIds, userId, -1)
  return repoIds
}

/** Deletes all stars of a deleted account. */
export async function deleteAllStars(tx: Tx, userId: UserId): Promise<void> {
  await tx
    .updateTable('repo')
    .set((set) => ({ num_stars: set('num_stars', '-', 1) }))
    .where('id', 'in', (select) => select.selectFrom('star').select('repo_id').where('user_id', '=', userId))
    .execute()
  await tx.deleteFrom('star').where('user_id', '=', userId).execute()
}

const stargazers = (db: Db, repoId: RepoId, onlooker: Onlooker) =>
  db
    .selectFrom('star')
    .select(['star.user_id as person_id', 'star.created_unix'])
    .where('star.repo_id', '=', repoId)
    .where(isAccountShownIn(onlooker, 'star.user_id'))

export const countStargazers = (db: Db, repoId: RepoId, onlooker: Onlooker): Promise<PeopleTotal> =>
  countPeople(db, stargazers(db, repoId, onlooker))

/** Returns a page of the accounts that star a repository, the earliest first. */
export const listStargazers = (db: Db, repoId: RepoId, onlooker: Onlooker, page: Page): Promise<UserRow[]> =>
  listPeopleByTime(db, stargazers(db, repoId, onlooker), page)
