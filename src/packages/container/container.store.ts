import { sql } from 'kysely'
import { accountsShownTo } from '../../access/conditions/account-condition.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { bytewise } from '../../db/bytewise.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { NewPackageUploadRow, PackageReferenceRow, PackageUploadRow } from '../../db/tables/packages.ts'
import type { PackageId, PackageVersionId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import { fileRecords, type FileRecord } from '../content/file.store.ts'
import { manifestFile, type ContentName, type KnownContent } from './contents.ts'

/** Finds a content in any version of an image, except its manifests. */
export const findFileOfImage = (
  db: Db,
  packageId: PackageId,
  { algorithm, hex }: ContentName,
): Promise<FileRecord | undefined> =>
  fileRecords(db)
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .where('package_version.package_id', '=', packageId)
    .where(`package_blob.${algorithm}`, '=', hex)
    .where('package_file.lower_name', '<>', manifestFile)
    .orderBy('package_file.id')
    .limit(1)
    .executeTakeFirst()

/** Returns which blobs or manifests an image has, by each of their digests. */
export async function loadContents(
  db: Db | Tx,
  packageId: PackageId,
  names: readonly ContentName[],
  isManifests: boolean,
): Promise<ReadonlyMap<string, KnownContent>> {
  if (names.length === 0) return new Map()
  const hexes = names.map(({ hex }) => hex)
  const rows = await db
    .selectFrom('package_file')
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package_blob', 'package_blob.id', 'package_file.blob_id')
    .select(['package_blob.sha256', 'package_blob.sha512', 'package_blob.size_bytes'])
    .where('package_version.package_id', '=', packageId)
    .where((where) => where.or([where('package_blob.sha256', 'in', hexes), where('package_blob.sha512', 'in', hexes)]))
    .where('package_file.lower_name', isManifests ? '=' : '<>', manifestFile)
    .execute()
  return new Map(
    rows.flatMap(({ sha256, sha512, size_bytes: sizeBytes }) => [
      [`sha256:${sha256}`, { sha256, sizeBytes }],
      [`sha512:${sha512}`, { sha256, sizeBytes }],
    ]),
  )
}

/** Lists the versions of an image that have a manifest, the oldest first. */
export const listVersionsWithManifest = async (
  db: Db,
  packageId: PackageId,
  { algorithm, hex }: ContentName,
): Promise<PackageVersionId[]> =>
  (
    await db
      .selectFrom('package_file')
      .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
      .innerJoin('package_blob', 'package_blob.id', 'package_file.blob_id')
      .select('package_version.id')
      .where('package_version.package_id', '=', packageId)
      .where('package_file.lower_name', '=', manifestFile)
      .where(`package_blob.${algorithm}`, '=', hex)
      .orderBy('package_version.id')
      .execute()
  ).map((row) => row.id)

/** Returns the bytes of the files of versions, by the names of the versions in lower case. */
export const loadSizes = async (
  db: Db,
  packageId: PackageId,
  lowerVersions: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  if (lowerVersions.length === 0) return new Map()
  const rows = await db
    .selectFrom('package_version')
    .innerJoin('package_file', 'package_file.version_id', 'package_version.id')
    .select([
      'package_version.lower_version',
      (select) => select.fn.sum<number | string>('package_file.size_bytes').as('bytes'),
    ])
    .where('package_version.package_id', '=', packageId)
    .where('package_version.lower_version', 'in', lowerVersions)
    .groupBy('package_version.lower_version')
    .execute()
  return new Map(rows.map(({ lower_version: version, bytes }) => [version, Number(bytes)]))
}

/** Lists a page of the tags of an image in byte order, after a tag. Unlike digests, tags have no colon. */
export const listTags = async (db: Db, packageId: PackageId, after: string, limit: number): Promise<string[]> =>
  (
    await db
      .selectFrom('package_version')
      .select('version')
      .where('package_id', '=', packageId)
      .where('is_internal', '=', false)
      .where('lower_version', 'not like', '%:%')
      .where(bytewise(db, 'lower_version'), '>', after)
      .orderBy(bytewise(db, 'lower_version'))
      .limit(limit)
      .execute()
  ).map(({ version }) => version)

/** Lists versions of an image whose manifests refer to a manifest, with their metadata. */
export const listReferrers = (db: Db, packageId: PackageId, digest: string, after: PackageVersionId, limit: number) =>
  db
    .selectFrom('package_reference')
    .innerJoin('package_version_metadata', 'package_version_metadata.version_id', 'package_reference.version_id')
    .select(['package_reference.version_id as id', 'package_version_metadata.body as metadata'])
    .where('package_reference.package_id', '=', packageId)
    .where('package_reference.digest', '=', digest)
    .where('package_reference.is_subject', '=', true)
    .where('package_reference.version_id', '>', after)
    .orderBy('package_reference.version_id')
    .limit(limit)
    .execute()

/** Replaces the references of a version's manifest. */
export async function putReferences(
  tx: Tx,
  versionId: PackageVersionId,
  references: readonly PackageReferenceRow[],
): Promise<void> {
  await tx.deleteFrom('package_reference').where('version_id', '=', versionId).execute()
  if (references.length > 0) await tx.insertInto('package_reference').values(references).execute()
}

/** Lists images of owners that the viewer may see, as `owner/image`. */
export const listImages = async (
  db: Db,
  viewer: Viewer | undefined,
  after: string,
  limit: number,
): Promise<string[]> => {
  const name = bytewise(db, sql<string>`("user".lower_name || '/' || package.lower_name)`)
  const rows = await db
    .selectFrom('package')
    .innerJoin('user', 'user.id', 'package.owner_id')
    .select(name.as('name'))
    .where('package.type', '=', 'container')
    .where(name, '>', after)
    .where(accountsShownTo(viewer))
    .where((where) =>
      where.exists(
        where
          .selectFrom('package_version')
          .select('package_version.id')
          .whereRef('package_version.package_id', '=', 'package.id')
          .where('package_version.is_internal', '=', false),
      ),
    )
    .orderBy(name)
    .limit(limit)
    .execute()
  return rows.map((row) => row.name)
}

export const insertUpload = (tx: Tx, values: NewPackageUploadRow) =>
  tx.insertInto('package_upload').values(values).execute()

/** Returns an upload to an image. */
export const findUpload = (
  db: Db,
  uuid: string,
  ownerId: UserId,
  lowerName: string,
): Promise<PackageUploadRow | undefined> =>
  db
    .selectFrom('package_upload')
    .selectAll()
    .where('uuid', '=', uuid)
    .where('owner_id', '=', ownerId)
    .where('lower_name', '=', lowerName)
    .executeTakeFirst()

/** Leases an upload to one request until a time; returns false when another request holds the lease. */
export const takeTurn = (tx: Tx, id: number, nowUnix: Unix, untilUnix: Unix): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('package_upload')
      .set({ busy_until_unix: untilUnix })
      .where('id', '=', id)
      .where('busy_until_unix', '<', nowUnix),
  )

/** Extends a lease. */
export const keepTurn = (tx: Tx, id: number, untilUnix: Unix) =>
  tx.updateTable('package_upload').set({ busy_until_unix: untilUnix }).where('id', '=', id).execute()

/** Returns an upload and locks its row until the transaction ends (SQLite has one writer). */
const findUploadForUpdate = (tx: Tx, id: number): Promise<PackageUploadRow | undefined> =>
  tx
    .updateTable('package_upload')
    .set((set) => ({ uuid: set.ref('uuid') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Reserves more bytes for an upload; returns false when it has ended. */
export const addReserved = (tx: Tx, id: number, sizeBytes: number): Promise<boolean> =>
  changesRow(
    tx
      .updateTable('package_upload')
      .set({ reserved_bytes: sql`reserved_bytes + ${sizeBytes}` })
      .where('id', '=', id),
  )

/** Ends a lease, stores the size of the upload, and charges the owner for exactly that size. */
export async function endTurn(tx: Tx, id: number, sizeBytes: number): Promise<void> {
  const row = await findUploadForUpdate(tx, id)
  if (!row) return
  await tx
    .updateTable('package_upload')
    .set({ busy_until_unix: 0, size_bytes: sizeBytes, reserved_bytes: sizeBytes })
    .where('id', '=', id)
    .execute()
  await addToUsage(tx, { ownerId: row.owner_id }, 'packages', sizeBytes - row.reserved_bytes)
}

/** Deletes an upload and releases its bytes; returns false when it is gone. */
export async function deleteUpload(tx: Tx, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('package_upload').where('id', '=', id).returningAll().executeTakeFirst()
  if (row) await addToUsage(tx, { ownerId: row.owner_id }, 'packages', -row.reserved_bytes)
  return row !== undefined
}

/** Lists uploads that began before a time, by id. */
export const listOldUploads = (db: Db, beforeUnix: Unix, after: number | undefined, limit: number) =>
  db
    .selectFrom('package_upload')
    .select(['id', 'upload_key'])
    .where('created_unix', '<', beforeUnix)
    .where('id', '>', after ?? 0)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Lists internal versions of a name that have files from before a time, by id. */
export const listInternalVersions = (
  db: Db,
  lowerVersion: string,
  beforeUnix: Unix,
  after: number | undefined,
  limit: number,
) =>
  db
    .selectFrom('package_version')
    .select(['id', 'package_id'])
    .where('is_internal', '=', true)
    .where('lower_version', '=', lowerVersion)
    .where('id', '>', (after ?? 0) as PackageVersionId)
    .where((where) =>
      where.exists(
        where
          .selectFrom('package_file')
          .select('package_file.id')
          .whereRef('package_file.version_id', '=', 'package_version.id')
          .where('package_file.created_unix', '<', beforeUnix),
      ),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** Deletes files of a version from before a time and marks their contents. Returns their bytes. */
export async function deleteOldFiles(
  tx: Tx,
  versionId: PackageVersionId,
  beforeUnix: Unix,
  releasedUnix: Unix,
): Promise<number> {
  const gone = await tx
    .deleteFrom('package_file')
    .where('version_id', '=', versionId)
    .where('created_unix', '<', beforeUnix)
    .returning(['blob_id', 'size_bytes'])
    .execute()
  const ids = gone.map((file) => file.blob_id)
  if (ids.length > 0) {
    await tx.updateTable('package_blob').set({ released_unix: releasedUnix }).where('id', 'in', ids).execute()
  }
  return gone.reduce((sum, file) => sum + file.size_bytes, 0)
}
