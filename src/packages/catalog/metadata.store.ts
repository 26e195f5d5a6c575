import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { PackageFileId, PackageId, PackageVersionId } from '../../lib/ids.ts'

/** Stores or replaces the metadata of a version. @param body JSON, from `encodedMetadata` */
export const putVersionMetadata = (tx: Tx, versionId: PackageVersionId, body: string) =>
  tx
    .insertInto('package_version_metadata')
    .values({ version_id: versionId, body })
    .onConflict((conflict) => conflict.column('version_id').doUpdateSet({ body }))
    .execute()

/** Stores the metadata of a new file. */
export const putFileMetadata = (tx: Tx, fileId: PackageFileId, metadata: object) =>
  tx
    .insertInto('package_file_metadata')
    .values({ file_id: fileId, body: JSON.stringify(metadata) })
    .execute()

/** Points a tag to a version of a package whose row is locked. */
export const putTag = (tx: Tx, packageId: PackageId, name: string, versionId: PackageVersionId) =>
  tx
    .insertInto('package_tag')
    .values({ package_id: packageId, name, version_id: versionId })
    .onConflict((conflict) => conflict.columns(['package_id', 'name']).doUpdateSet({ version_id: versionId }))
    .execute()

export const deleteTag = (tx: Tx, packageId: PackageId, name: string) =>
  tx.deleteFrom('package_tag').where('package_id', '=', packageId).where('name', '=', name).execute()

/** Lists the tags of packages by name, with the versions they point to. */
export const listTags = async (db: Db, packageIds: readonly PackageId[]) =>
  packageIds.length === 0
    ? []
    : db
        .selectFrom('package_tag')
        .innerJoin('package_version', 'package_version.id', 'package_tag.version_id')
        .select(['package_tag.package_id', 'package_tag.name', 'package_version.version', 'package_tag.version_id'])
        .where('package_tag.package_id', 'in', packageIds)
        .orderBy(bytewise(db, 'package_tag.name'))
        .execute()
