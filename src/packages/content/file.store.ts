import type { Db, Tx } from '../../db/database.ts'
import { hasRow } from '../../db/rows.ts'
import type { NewPackageFileRow, PackageBlobRow, PackageFileRow } from '../../db/tables/packages.ts'
import type { PackageFileId, PackageVersionId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** A file and its content. */
export type FileRecord = PackageFileRow & Pick<PackageBlobRow, 'md5' | 'sha1' | 'sha256' | 'sha512' | 'blob_key'>

/** Selects files with their contents. */
export const fileRecords = (db: Db | Tx) =>
  db
    .selectFrom('package_file')
    .innerJoin('package_blob', 'package_blob.id', 'package_file.blob_id')
    .selectAll('package_file')
    .select([
      'package_blob.md5',
      'package_blob.sha1',
      'package_blob.sha256',
      'package_blob.sha512',
      'package_blob.blob_key',
    ])

/**
 * The key of a file in its version: its name in lower case, and a key where a registry has several files of one name.
 */
export interface FileKey {
  readonly lowerName: string
  readonly fileKey: string
}

/** Lists the files of a version in the order of publication. */
export const listFiles = (db: Db, versionId: PackageVersionId): Promise<FileRecord[]> =>
  fileRecords(db).where('package_file.version_id', '=', versionId).orderBy('package_file.id').execute()

export const findFile = (
  db: Db,
  versionId: PackageVersionId,
  { lowerName, fileKey }: FileKey,
): Promise<FileRecord | undefined> =>
  fileRecords(db)
    .where('package_file.version_id', '=', versionId)
    .where('package_file.lower_name', '=', lowerName)
    .where('package_file.file_key', '=', fileKey)
    .executeTakeFirst()

/** Returns the row of a file in a transaction. */
export const findFileRow = (
  tx: Tx,
  versionId: PackageVersionId,
  { lowerName, fileKey }: FileKey,
): Promise<PackageFileRow | undefined> =>
  tx
    .selectFrom('package_file')
    .selectAll()
    .where('version_id', '=', versionId)
    .where('lower_name', '=', lowerName)
    .where('file_key', '=', fileKey)
    .executeTakeFirst()

/** Adds a file to a version; returns undefined when the name is taken. */
export const insertFile = (tx: Tx, values: NewPackageFileRow): Promise<PackageFileRow | undefined> =>
  tx
    .insertInto('package_file')
    .values(values)
    .onConflict((conflict) => conflict.columns(['version_id', 'lower_name', 'file_key']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const hasFiles = (tx: Tx, versionId: PackageVersionId): Promise<boolean> =>
  hasRow(tx.selectFrom('package_file').where('version_id', '=', versionId))

/** Deletes files of a version, or all of them, and marks their contents. Returns their number and bytes. */
export async function deleteFiles(
  tx: Tx,
  versionId: PackageVersionId,
  fileIds: readonly PackageFileId[] | undefined,
  releasedUnix: Unix,
): Promise<{ readonly count: number; readonly sizeBytes: number }> {
  let query = tx.deleteFrom('package_file').where('version_id', '=', versionId)
  if (fileIds !== undefined) query = query.where('id', 'in', fileIds)
  const gone = await query.returning(['blob_id', 'size_bytes']).execute()
  if (gone.length > 0) {
    await tx
      .updateTable('package_blob')
      .set({ released_unix: releasedUnix })
      .where(
        'id',
        'in',
        gone.map((file) => file.blob_id),
      )
      .execute()
  }
  return { count: gone.length, sizeBytes: gone.reduce((sum, file) => sum + file.size_bytes, 0) }
}
