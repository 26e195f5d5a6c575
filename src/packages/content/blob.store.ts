import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { changesRow, countRows } from '../../db/rows.ts'
import type { NewPackageBlobRow, PackageBlobRow } from '../../db/tables/packages.ts'
import type { PackageBlobId, PackageId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const findBlob = (db: Db | Tx, sha256: string): Promise<PackageBlobRow | undefined> =>
  db.selectFrom('package_blob').selectAll().where('sha256', '=', sha256).executeTakeFirst()

/** Returns a content and locks its row against deletion until the transaction ends. */
export function lockBlob(tx: Tx, sha256: string): Promise<PackageBlobRow | undefined> {
  const query = tx.selectFrom('package_blob').selectAll().where('sha256', '=', sha256)
  return query.forKeyShare().executeTakeFirst()
}

/** Inserts a received content; returns undefined when the same content exists. */
export const insertBlob = (tx: Tx, values: NewPackageBlobRow): Promise<PackageBlobRow | undefined> =>
  tx
    .insertInto('package_blob')
    .values(values)
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .returningAll()
    .executeTakeFirst()

/** Replaces the storage key of a lost file; returns false when another upload did so. */
export const replaceBlobKey = (tx: Tx, id: PackageBlobId, goneKey: string, newKey: string): Promise<boolean> =>
  changesRow(
    tx.updateTable('package_blob').set({ blob_key: newKey }).where('id', '=', id).where('blob_key', '=', goneKey),
  )

/** Stores digests of a content. */
export const putDigests = (
  tx: Tx,
  id: PackageBlobId,
  digests: Partial<Pick<PackageBlobRow, 'md5' | 'sha1' | 'sha512'>>,
) => tx.updateTable('package_blob').set(digests).where('id', '=', id).execute()

/** Lists contents of a package whose digests are incomplete. */
export const listIncompleteDigests = (db: Db, packageId: PackageId, limit: number) =>
  db
    .selectFrom('package_blob')
    .innerJoin('package_file', 'package_file.blob_id', 'package_blob.id')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .select([
      'package_blob.id',
      'package_blob.blob_key',
      'package_blob.md5',
      'package_blob.sha1',
      'package_blob.sha512',
    ])
    .distinct()
    .where('package_version.package_id', '=', packageId)
    .where((where) => where.or([where('package_blob.md5', '=', ''), where('package_blob.sha512', '=', '')]))
    .limit(limit)
    .execute()

/** Returns the storage keys that rows refer to. */
export const listUsedBlobKeys = async (db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> => {
  if (keys.length === 0) return new Set()
  const rows = await db.selectFrom('package_blob').select('blob_key').where('blob_key', 'in', keys).execute()
  return new Set(rows.map((row) => row.blob_key))
}

/** Lists contents that lost their last file before `beforeUnix`, by id. */
export const listReleasedBlobs = (db: Db, beforeUnix: Unix, after: PackageBlobId | undefined, limit: number) =>
  db
    .selectFrom('package_blob')
    .select('id')
    .where('released_unix', '<=', beforeUnix)
    .where('id', '>', after ?? (0 as PackageBlobId))
    .orderBy('id')
    .limit(limit)
    .execute()

const unused = (where: ExpressionBuilder<Schema, 'package_blob'>) =>
  where.not(
    where.exists(
      where
        .selectFrom('package_file')
        .select('package_file.id')
        .whereRef('package_file.blob_id', '=', 'package_blob.id'),
    ),
  )

/**
 * Deletes the rows of contents that no file uses, and clears the mark of those that a file uses. Returns the deleted
 * rows, whose
 * stored files are unreachable then.
 */
export async function deleteUnusedBlobs(
  tx: Tx,
  ids: readonly PackageBlobId[],
): Promise<Pick<PackageBlobRow, 'blob_key'>[]> {
  if (ids.length === 0) return []
  // The lock waits for transactions that add a file with one of these contents, so the delete sees their rows.
  await tx.selectFrom('package_blob').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
  const gone = await tx.deleteFrom('package_blob').where('id', 'in', ids).where(unused).returning('blob_key').execute()
  await tx.updateTable('package_blob').set({ released_unix: null }).where('id', 'in', ids).execute()
  return gone
}

const unmarked = (where: ExpressionBuilder<Schema, 'package_blob'>) =>
  where.and([where('released_unix', 'is', null), unused(where)])

/** Counts contents that no file uses and that are not marked as unused. */
export const countUnmarkedBlobs = (db: Db): Promise<number> => countRows(db.selectFrom('package_blob').where(unmarked))

/** Marks the contents that `countUnmarkedBlobs` counts. */
export const markUnusedBlobs = (tx: Tx, releasedUnix: Unix) =>
  tx.updateTable('package_blob').set({ released_unix: releasedUnix }).where(unmarked).execute()
