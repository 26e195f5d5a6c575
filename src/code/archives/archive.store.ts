import type { Db, Tx } from '../../db/database.ts'
import type { Oid, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export interface ArchiveKey {
  readonly repoId: RepoId
  readonly commit: Oid
  readonly format: string
}

export const findArchive = (db: Db, { repoId, commit, format }: ArchiveKey) =>
  db
    .selectFrom('repo_archive')
    .selectAll()
    .where('repo_id', '=', repoId)
    .where('commit_oid', '=', commit)
    .where('format', '=', format)
    .executeTakeFirst()

export interface NewArchive extends ArchiveKey {
  readonly blobKey: string
  readonly sizeBytes: number
  readonly createdUnix: Unix
}

/** Inserts or replaces the row of a stored archive. */
export const upsertArchive = (tx: Tx, { repoId, commit, format, blobKey, sizeBytes, createdUnix }: NewArchive) => {
  const stored = { blob_key: blobKey, size_bytes: sizeBytes, created_unix: createdUnix }
  return tx
    .insertInto('repo_archive')
    .values({ repo_id: repoId, commit_oid: commit, format, ...stored })
    .onConflict((conflict) => conflict.columns(['repo_id', 'commit_oid', 'format']).doUpdateSet(stored))
    .execute()
}

/** Bytes of all archives and of one repository's. */
export async function sumArchiveBytes(db: Db, repoId: RepoId): Promise<{ all: number; ofRepo: number }> {
  return db
    .selectFrom('repo_archive')
    .select((select) => [
      select.fn.coalesce(select.fn.sum<number>('size_bytes'), select.lit(0)).as('all'),
      select.fn
        .coalesce(select.fn.sum<number>('size_bytes').filterWhere('repo_id', '=', repoId), select.lit(0))
        .as('ofRepo'),
    ])
    .executeTakeFirstOrThrow()
}

/** The oldest archives of one repository or of all. */
export const listOldestArchives = (db: Db, repoId: RepoId | undefined, limit: number) =>
  db
    .selectFrom('repo_archive')
    .selectAll()
    .$if(repoId !== undefined, (query) => query.where('repo_id', '=', repoId as RepoId))
    .orderBy('created_unix')
    .orderBy('repo_id')
    .orderBy('commit_oid')
    .limit(limit)
    .execute()

/** Archives made before a time. */
export const listArchivesBefore = (db: Db, beforeUnix: Unix, limit: number) =>
  db.selectFrom('repo_archive').selectAll().where('created_unix', '<', beforeUnix).limit(limit).execute()

export const deleteArchive = (tx: Tx, { repoId, commit, format }: ArchiveKey) =>
  tx
    .deleteFrom('repo_archive')
    .where('repo_id', '=', repoId)
    .where('commit_oid', '=', commit)
    .where('format', '=', format)
    .execute()
