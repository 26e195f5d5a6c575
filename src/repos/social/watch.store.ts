import type { Db, Tx } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { WatchMode } from '../../db/tables/repositories.ts'
import type { RepoId, UserId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import type { Unix } from '../../lib/time.ts'
import { isAccountShownIn, type Onlooker } from '../../access/conditions/account-condition.store.ts'
import { visibleTo } from '../../access/conditions/repo-condition.store.ts'
import { viewerAs } from '../../auth/viewer.ts'
import { countPeople, listPeopleByTime, type PeopleTotal } from '../../users/people-count.store.ts'
import { isWatching } from '../watch-level.ts'
import { isWatcher } from '../watcher.store.ts'

export const findWatch = (db: Db | Tx, repoId: RepoId, userId: UserId) =>
  db.selectFrom('watch').selectAll().where('repo_id', '=', repoId).where('user_id', '=', userId).executeTakeFirst()

const addToWatchCounts = (tx: Tx, repoIds: readonly RepoId[], difference: number) =>
  tx
    .updateTable('repo')
    .set((set) => ({ num_watches: set('num_watches', '+', difference) }))
    .where('id', 'in', repoIds)
    .execute()

/**
 * Inserts watches of all given accounts on all given repositories. Existing watches stay. Another choice of an account stays
 * unless the account itself asks (`normal`). Returns false when nothing changed.
 */
export async function watchRepos(
  tx: Tx,
  repoIds: readonly RepoId[],
  userIds: readonly UserId[],
  mode: 'normal' | 'auto',
  createdUnix: Unix,
): Promise<boolean> {
  if (repoIds.length === 0 || userIds.length === 0) return false
  const rows = repoIds.flatMap((repo_id) =>
    userIds.map((user_id) => ({ repo_id, user_id, mode, created_unix: createdUnix })),
  )
  const insert = tx.insertInto('watch').values(rows)
  const added = await insert
    .onConflict((conflict) => {
      const same = conflict.columns(['repo_id', 'user_id'])
      return mode === 'normal' ? same.doUpdateSet({ mode }).where((where) => where.not(isWatcher())) : same.doNothing()
    })
    .returning('repo_id')
    .execute()
  const watchers = new Map<RepoId, number>()
  for (const { repo_id } of added) watchers.set(repo_id, (watchers.get(repo_id) ?? 0) + 1)
  // Repositories with equal numbers of new watchers share a statement.
  for (const [count, each] of Map.groupBy(watchers, ([, count]) => count)) {
    await addToWatchCounts(
      tx,
      each.map(([repoId]) => repoId),
      count,
    )
  }
  return added.length > 0
}

/** Deletes a watch, unless the account wants to hear nothing; returns false when the account was no watcher. */
export const unwatchRepo = (tx: Tx, repoId: RepoId, userId: UserId): Promise<boolean> =>
  deleteWatch(tx, repoId, userId, 'nothing')

async function deleteWatch(tx: Tx, repoId: RepoId, userId: UserId, kept?: WatchMode): Promise<boolean> {
  const watch = tx.deleteFrom('watch').where('repo_id', '=', repoId).where('user_id', '=', userId)
  const removed = await (kept === undefined ? watch : watch.where('mode', '<>', kept))
    .returning('mode')
    .executeTakeFirst()
  if (!isWatching(removed?.mode)) return false
  await addToWatchCounts(tx, [repoId], -1)
  return true
}

/** Stores that an account hears less than everything of a repository. Returns whether it was a watcher. */
export async function insertLesserWatch(
  tx: Tx,
  watch: { repo_id: RepoId; user_id: UserId; mode: 'releases' | 'dont' | 'nothing'; created_unix: Unix },
): Promise<boolean> {
  const wasWatching = await deleteWatch(tx, watch.repo_id, watch.user_id)
  // A watch that the account makes at the same moment stays.
  await tx
    .insertInto('watch')
    .values(watch)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return wasWatching
}

/** Deletes an account's watches on the repositories of an owner. */
export async function unwatchReposOf(tx: Tx, ownerId: UserId, userId: UserId): Promise<void> {
  const removed = await tx
    .deleteFrom('watch')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', (select) => select.selectFrom('repo').select('id').where('owner_id', '=', ownerId))
    .returning(['repo_id', 'mode'])
    .execute()
  const counted = removed.filter((row) => isWatching(row.mode)).map((row) => row.repo_id)
  if (counted.length > 0) await addToWatchCounts(tx, counted, -1)
}

/** Deletes all watches of a deleted account. */
export async function deleteAllWatches(tx: Tx, userId: UserId): Promise<void> {
  const removed = await tx.deleteFrom('watch').where('user_id', '=', userId).returning(['repo_id', 'mode']).execute()
  const counted = removed.filter((row) => isWatching(row.mode)).map((row) => row.repo_id)
  if (counted.length > 0) await addToWatchCounts(tx, counted, -1)
}

/** Deletes an account's watches on invisible repositories of an owner. */
export async function unwatchUnseenReposOf(tx: Tx, ownerId: UserId, userId: UserId): Promise<void> {
  const user = await tx.selectFrom('user').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) return
  const seen = visibleTo(tx.selectFrom('repo').innerJoin('user as owner', 'owner.id', 'repo.owner_id'), viewerAs(user))
    .select('repo.id')
    .where('repo.owner_id', '=', ownerId)
  const removed = await tx
    .deleteFrom('watch')
    .where('user_id', '=', userId)
    .where('repo_id', 'in', (select) => select.selectFrom('repo').select('id').where('owner_id', '=', ownerId))
    .where('repo_id', 'not in', seen)
    .returning(['repo_id', 'mode'])
    .execute()
  const counted = removed.filter((row) => isWatching(row.mode)).map((row) => row.repo_id)
  if (counted.length > 0) await addToWatchCounts(tx, counted, -1)
}

const watchers = (db: Db, repoId: RepoId, onlooker: Onlooker) =>
  db
    .selectFrom('watch')
    .select(['watch.user_id as person_id', 'watch.created_unix'])
    .where('watch.repo_id', '=', repoId)
    .where(isWatcher())
    .where(isAccountShownIn(onlooker, 'watch.user_id'))

export const countWatchers = (db: Db, repoId: RepoId, onlooker: Onlooker): Promise<PeopleTotal> =>
  countPeople(db, watchers(db, repoId, onlooker))

/** Returns a page of the accounts that watch a repository, the earliest first. */
export const listWatchers = (db: Db, repoId: RepoId, onlooker: Onlooker, page: Page): Promise<UserRow[]> =>
  listPeopleByTime(db, watchers(db, repoId, onlooker), page)
