import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { countRows } from '../../db/rows.ts'
import type { LfsBlobRow } from '../../db/tables/lfs.ts'
import { pluck } from '../../lib/pluck.ts'
import type { LfsBlobId, RepoId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Returns objects of a repository that were not used since a time, the oldest first. */
export const listUnseenObjects = (db: Db, repoId: RepoId, beforeUnix: Unix, limit: number) =>
  db
    .selectFrom('lfs_object')
    .select(['oid', 'size_bytes', 'seen_unix'])
    .where('repo_id', '=', repoId)
    .where('seen_unix', '<', beforeUnix)
    .orderBy('seen_unix')
    .limit(limit)
    .execute()

/** Removes objects of a repository that were not used since a time; returns their count and bytes. */
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
      .where('id', 'in', pluck(gone, 'blob_id'))
      .execute()
  }
  return { count: gone.length, sizeBytes: gone.reduce((sum, row) => sum + row.size_bytes, 0) }
}

/** Releases the contents of all objects of a repository. */
export const releaseAllOf = (tx: Tx, repoId: RepoId, releasedUnix: Unix) =>
  tx
    .updateTable('lfs_blob')
    .set({ released_unix: releasedUnix })
    .where('id', 'in', (where) => where.selectFrom('lfs_object').select('blob_id').where('repo_id', '=', repoId))
    .execute()

/** Returns released contents after an id. */
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
 * Deletes the rows of released contents that no repository has, and clears the mark of the others. Returns the deleted
 * ones, whose files are unreachable from now on.
 */
export async function deleteUnownedBlobs(tx: Tx, ids: readonly LfsBlobId[]): Promise<Pick<LfsBlobRow, 'blob_key'>[]> {
  if (ids.length === 0) return []
  // Waits for concurrent links of these contents, so that the next statement sees them.
  await tx.selectFrom('lfs_blob').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
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

/** Returns the repositories with LFS objects, after an id. */
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

/** Returns the number of contents without a repository that are not released. */
export const countUnownedBlobs = (db: Db): Promise<number> => countRows(db.selectFrom('lfs_blob').where(unowned))

/** Releases contents without a repository. */
export const releaseUnownedBlobs = (tx: Tx) =>
  tx
    .updateTable('lfs_blob')
    .set((where) => ({ released_unix: where.ref('created_unix') }))
    .where(unowned)
    .execute()
