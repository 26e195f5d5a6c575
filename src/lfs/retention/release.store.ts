import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { databaseKind } from '../../db/open.ts'
import type { Schema } from '../../db/schema.ts'
import type { LfsBlobRow } from '../../db/tables/lfs.ts'
import type { LfsBlobId, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Objects of a repository that nobody has asked about since a moment, the longest first. */
export const listUnseenObjects = (db: Db, repoId: RepoId, beforeUnix: Unix, limit: number) =>
  db
    .selectFrom('lfs_object')
    .select(['oid', 'size_bytes', 'seen_unix'])
    .where('repo_id', '=', repoId)
    .where('seen_unix', '<', beforeUnix)
    .orderBy('seen_unix')
    .limit(limit)
    .execute()

/** Takes objects from a repository that nobody has asked about since a moment; gives their bytes. */
export async function deleteUnseenObjects(
  tx: Tx,
  repoId: RepoId,
  oids: readonly string[],
  beforeUnix: Unix,
  releasedUnix: Unix,
): Promise<{ readonly count: number; readonly sizeBytes: number }> {
  if (oids.length === 0) return { count: 0, sizeBytes: 0 }
  const gone = await tx
    .deleteFrom('lfs_object')
    .where('repo_id', '=', repoId)
    .where('oid', 'in', oids)
    .where('seen_unix', '<', beforeUnix)
    .returning(['blob_id', 'size_bytes'])
    .execute()
  if (gone.length > 0) {
    await tx
      .updateTable('lfs_blob')
      .set({ released_unix: releasedUnix })
      .where(
        'id',
        'in',
        gone.map((row) => row.blob_id),
      )
      .execute()
  }
  return { count: gone.length, sizeBytes: gone.reduce((sum, row) => sum + row.size_bytes, 0) }
}

/** Marks the contents of all objects of a repository that goes. */
export const releaseAllOf = (tx: Tx, repoId: RepoId, releasedUnix: Unix) =>
  tx
    .updateTable('lfs_blob')
    .set({ released_unix: releasedUnix })
    .where('id', 'in', (where) => where.selectFrom('lfs_object').select('blob_id').where('repo_id', '=', repoId))
    .execute()

/** Contents that a repository has given up, after an id. */
export const listReleasedBlobs = (db: Db, after: LfsBlobId | undefined, limit: number) =>
  db
    .selectFrom('lfs_blob')
    .select('id')
    .where('released_unix', 'is not', null)
    .where('id', '>', after ?? (0 as LfsBlobId))
    .orderBy('id')
    .limit(limit)
    .execute()

/**
 * Removes the rows of contents that no repository has any more, and takes the mark from the others. Gives those that
 * were removed: nobody can reach their files from now on.
 */
export async function deleteUnownedBlobs(tx: Tx, ids: readonly LfsBlobId[]): Promise<Pick<LfsBlobRow, 'blob_key'>[]> {
  if (ids.length === 0) return []
  // Whoever is giving one of them to a repository is waited for, so that the next statement sees what they did.
  if (databaseKind(tx) === 'postgres') {
    await tx.selectFrom('lfs_blob').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
  }
  const gone = await tx
    .deleteFrom('lfs_blob')
    .where('id', 'in', ids)
    .where((where) =>
      where.not(
        where.exists(
          where.selectFrom('lfs_object').select('lfs_object.oid').whereRef('lfs_object.blob_id', '=', 'lfs_blob.id'),
        ),
      ),
    )
    .returning('blob_key')
    .execute()
  await tx.updateTable('lfs_blob').set({ released_unix: null }).where('id', 'in', ids).execute()
  return gone
}

/** Repositories with LFS objects, after an id. */
export const listReposWithObjects = async (db: Db, after: RepoId | undefined, limit: number): Promise<RepoId[]> =>
  (
    await db
      .selectFrom('lfs_object')
      .select('repo_id')
      .distinct()
      .where('repo_id', '>', after ?? (0 as RepoId))
      .orderBy('repo_id')
      .limit(limit)
      .execute()
  ).map((row) => row.repo_id)

const unowned = (where: ExpressionBuilder<Schema, 'lfs_blob'>) =>
  where.and([
    where('released_unix', 'is', null),
    where.not(
      where.exists(
        where.selectFrom('lfs_object').select('lfs_object.oid').whereRef('lfs_object.blob_id', '=', 'lfs_blob.id'),
      ),
    ),
  ])

/** Contents that no repository has, and that nothing marks as such. */
export const countUnownedBlobs = async (db: Db): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('lfs_blob')
        .select((select) => select.fn.countAll<number | string>().as('count'))
        .where(unowned)
        .executeTakeFirstOrThrow()
    ).count,
  )

/** Marks them. */
export const releaseUnownedBlobs = (tx: Tx) =>
  tx
    .updateTable('lfs_blob')
    .set((where) => ({ released_unix: where.ref('created_unix') }))
    .where(unowned)
    .execute()
