import type { Db, Tx } from '../../db/database.ts'
import type { PackageIndexPartRow } from '../../db/tables/packages.ts'
import type { PackageFileId } from '../../lib/ids.ts'

/** Lists the parts of an index by their first files. */
export const listIndexParts = (
  db: Db,
  name: string,
  fileIds: readonly PackageFileId[],
): Promise<PackageIndexPartRow[]> =>
  db.selectFrom('package_index_part').selectAll().where('name', '=', name).where('file_id', 'in', fileIds).execute()

/** Returns which files exist, and locks them until the transaction ends. */
export async function lockFiles(tx: Tx, ids: readonly PackageFileId[]): Promise<ReadonlySet<PackageFileId>> {
  const query = tx.selectFrom('package_file').select('id').where('id', 'in', ids).orderBy('id')
  const rows = await query.forKeyShare().execute()
  return new Set(rows.map(({ id }) => id))
}

/** Stores parts, each in place of the part with the same first file. */
export const putIndexParts = (tx: Tx, parts: readonly PackageIndexPartRow[]) =>
  tx
    .insertInto('package_index_part')
    .values(parts)
    .onConflict((conflict) =>
      conflict.columns(['file_id', 'name']).doUpdateSet((set) => ({
        members: set.ref('excluded.members'),
        size_bytes: set.ref('excluded.size_bytes'),
        packed: set.ref('excluded.packed'),
      })),
    )
    .execute()

/** Deletes the parts of an index that begin with these files. */
export const deleteIndexParts = (tx: Tx, name: string, fileIds: readonly PackageFileId[]) =>
  tx.deleteFrom('package_index_part').where('name', '=', name).where('file_id', 'in', fileIds).execute()
