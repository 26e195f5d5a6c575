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

/** Notes that an archive is stored; a second one of the same takes the place of the first. */
export const upsertArchive = (tx: Tx, { repoId, commit, format }: ArchiveKey, blobKey: string, createdUnix: Unix) =>
  tx
    .insertInto('repo_archive')
    .values({ repo_id: repoId, commit_oid: commit, format, blob_key: blobKey, created_unix: createdUnix })
    .onConflict((conflict) =>
      conflict
        .columns(['repo_id', 'commit_oid', 'format'])
        .doUpdateSet({ blob_key: blobKey, created_unix: createdUnix }),
    )
    .execute()

/** Archives made before a moment, some at a time. */
export const listArchivesBefore = (db: Db, beforeUnix: Unix, limit: number) =>
  db.selectFrom('repo_archive').selectAll().where('created_unix', '<', beforeUnix).limit(limit).execute()

export const deleteArchive = (tx: Tx, { repoId, commit, format }: ArchiveKey) =>
  tx
    .deleteFrom('repo_archive')
    .where('repo_id', '=', repoId)
    .where('commit_oid', '=', commit)
    .where('format', '=', format)
    .execute()
