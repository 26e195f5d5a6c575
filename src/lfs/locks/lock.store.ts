import type { Db, Tx } from '../../db/database.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { LfsLockRow, NewLfsLockRow } from '../../db/tables/lfs.ts'
import type { LfsLockId, RepoId } from '../../lib/ids.ts'

export interface LockQuery {
  readonly id?: LfsLockId | undefined
  readonly pathKey?: string | undefined
  /** Cursor: locks after this id. */
  readonly after?: LfsLockId | undefined
  readonly limit: number
}

/** Returns the locks of a repository, oldest first. */
export function listLocks(db: Db, repoId: RepoId, { id, pathKey, after, limit }: LockQuery): Promise<LfsLockRow[]> {
  let query = db.selectFrom('lfs_lock').selectAll().where('repo_id', '=', repoId).orderBy('id').limit(limit)
  if (id !== undefined) query = query.where('id', '=', id)
  if (pathKey !== undefined) query = query.where('path_key', '=', pathKey)
  if (after !== undefined) query = query.where('id', '>', after)
  return query.execute()
}

export const findLock = (db: Db | Tx, repoId: RepoId, id: LfsLockId): Promise<LfsLockRow | undefined> =>
  db.selectFrom('lfs_lock').selectAll().where('repo_id', '=', repoId).where('id', '=', id).executeTakeFirst()

export const findLockOfPath = (db: Db | Tx, repoId: RepoId, pathKey: string): Promise<LfsLockRow | undefined> =>
  db.selectFrom('lfs_lock').selectAll().where('repo_id', '=', repoId).where('path_key', '=', pathKey).executeTakeFirst()

export const countLocks = (db: Db | Tx, repoId: RepoId): Promise<number> =>
  countRows(db.selectFrom('lfs_lock').where('repo_id', '=', repoId))

/** Inserts a lock; returns undefined when the path is locked. */
export const insertLock = (tx: Tx, values: NewLfsLockRow): Promise<LfsLockRow | undefined> =>
  tx
    .insertInto('lfs_lock')
    .values(values)
    .onConflict((conflict) => conflict.columns(['repo_id', 'path_key']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** Deletes a lock; returns false when it does not exist. */
export const deleteLock = (tx: Tx, id: LfsLockId): Promise<boolean> =>
  changesRow(tx.deleteFrom('lfs_lock').where('id', '=', id))
