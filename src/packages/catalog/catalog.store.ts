import { sql, type ExpressionBuilder } from 'kysely'
import type { Db } from '../../db/database.ts'
import { lowerContains } from '../../db/like.ts'
import type { Schema } from '../../db/schema.ts'
import { countRows } from '../../db/rows.ts'
import type { PackageRow, PackageVersionRow } from '../../db/tables/packages.ts'
import type { PackageFileId, PackageId, PackageVersionId, UserId } from '../../lib/ids.ts'
import { fileRecords, type FileRecord } from '../content/file.store.ts'
import type { PackageKey } from '../package.store.ts'

/** A version and its metadata as JSON. */
export type VersionWithMetadata = PackageVersionRow &
  Pick<PackageRow, 'name' | 'lower_name' | 'repo_id'> & { readonly metadata: string | null }

/** A file with its metadata as JSON, its version and its package. */
export type FileWithMetadata = FileRecord &
  Pick<PackageVersionRow, 'package_id' | 'version' | 'lower_version'> & {
    readonly package_name: string
    readonly metadata: string | null
  }

export const findPackage = (db: Db, { ownerId, type, lowerName }: PackageKey): Promise<PackageRow | undefined> =>
  db
    .selectFrom('package')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('type', '=', type)
    .where('lower_name', '=', lowerName)
    .executeTakeFirst()

const described = (db: Db) =>
  db
    .selectFrom('package_version')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .leftJoin('package_version_metadata', 'package_version_metadata.version_id', 'package_version.id')
    .selectAll('package_version')
    .select(['package.name', 'package.lower_name', 'package.repo_id', 'package_version_metadata.body as metadata'])
    .where('package_version.is_internal', '=', false)

/** Lists the versions of packages in the order of publication. */
export const listVersionsOf = async (db: Db, packageIds: readonly PackageId[]): Promise<VersionWithMetadata[]> =>
  packageIds.length === 0
    ? []
    : described(db).where('package_version.package_id', 'in', packageIds).orderBy('package_version.id').execute()

/** Lists the versions of packages without metadata, in the order of publication. */
export const listPlainVersionsOf = async (db: Db, packageIds: readonly PackageId[]): Promise<PackageVersionRow[]> =>
  packageIds.length === 0
    ? []
    : db
        .selectFrom('package_version')
        .selectAll()
        .where('package_id', 'in', packageIds)
        .where('is_internal', '=', false)
        .orderBy('id')
        .execute()

/** Returns the bytes of the metadata of versions, or of all versions of packages. */
export const metadataBytesOf = async (
  db: Db,
  wanted:
    | { readonly by: 'id'; readonly ids: readonly PackageVersionId[] }
    | { readonly by: 'package_id'; readonly ids: readonly PackageId[] },
): Promise<number> => {
  if (wanted.ids.length === 0) return 0
  const sum = await db
    .selectFrom('package_version')
    .innerJoin('package_version_metadata', 'package_version_metadata.version_id', 'package_version.id')
    .where(`package_version.${wanted.by}`, 'in', wanted.ids)
    // PostgreSQL returns the sum of integers as text.
    .select(sql<number | string | null>`sum(octet_length(package_version_metadata.body))`.as('bytes'))
    .executeTakeFirst()
  return Number(sum?.bytes ?? 0)
}

/** Lists versions of a package, those published last first. */
export const listNewestVersions = (
  db: Db,
  packageId: PackageId,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<VersionWithMetadata[]> =>
  described(db)
    .where('package_version.package_id', '=', packageId)
    .orderBy('package_version.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

export const countListedVersions = (db: Db, packageId: PackageId): Promise<number> =>
  countRows(db.selectFrom('package_version').where('package_id', '=', packageId).where('is_internal', '=', false))

/** Loads versions in the order of publication. */
export const listDescribed = async (db: Db, ids: readonly PackageVersionId[]): Promise<VersionWithMetadata[]> =>
  ids.length === 0 ? [] : described(db).where('package_version.id', 'in', ids).orderBy('package_version.id').execute()

export const findDescribed = (
  db: Db,
  packageId: PackageId,
  lowerVersion: string,
): Promise<VersionWithMetadata | undefined> =>
  described(db)
    .where('package_version.package_id', '=', packageId)
    .where('package_version.lower_version', '=', lowerVersion)
    .executeTakeFirst()

export interface PackageFilter {
  readonly ownerId: UserId
  readonly type: string
  /** A part of the name; the letter case is ignored. */
  readonly text?: string | undefined
  /** Only names after this one. */
  readonly after?: string | undefined
}

const isWanted =
  ({ ownerId, type, text, after }: PackageFilter) =>
  (where: ExpressionBuilder<Schema, 'package'>) =>
    where.and([
      where('package.owner_id', '=', ownerId),
      where('package.type', '=', type),
      ...(text ? [lowerContains('package.lower_name', text)] : []),
      ...(after ? [where('package.lower_name', '>', after)] : []),
      where.exists(
        where
          .selectFrom('package_version')
          .select('package_version.id')
          .whereRef('package_version.package_id', '=', 'package.id')
          .where('package_version.is_internal', '=', false),
      ),
    ])

/** Lists packages by name. */
export const listPackageRows = (
  db: Db,
  filter: PackageFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<PackageRow[]> =>
  db
    .selectFrom('package')
    .selectAll()
    .where(isWanted(filter))
    .orderBy('package.lower_name')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countPackageRows = (db: Db, filter: PackageFilter): Promise<number> =>
  countRows(db.selectFrom('package').where(isWanted(filter)))

const describedFiles = (db: Db) =>
  fileRecords(db)
    .innerJoin('package_version', 'package_version.id', 'package_file.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .leftJoin('package_file_metadata', 'package_file_metadata.file_id', 'package_file.id')
    .select([
      'package_version.package_id',
      'package_version.version',
      'package_version.lower_version',
      'package.name as package_name',
      'package_file_metadata.body as metadata',
    ])

/** Lists the files of versions in the order of publication. */
export const listFilesOf = async (db: Db, versionIds: readonly PackageVersionId[]): Promise<FileWithMetadata[]> =>
  versionIds.length === 0
    ? []
    : describedFiles(db).where('package_file.version_id', 'in', versionIds).orderBy('package_file.id').execute()

/** Lists the files of all versions of a package, without internal versions. */
export const listFilesOfPackage = (db: Db, packageId: PackageId): Promise<FileWithMetadata[]> =>
  describedFiles(db)
    .where('package_version.package_id', '=', packageId)
    .where('package_version.is_internal', '=', false)
    .orderBy('package_file.id')
    .execute()

/**
 * Lists the files of all packages in a registry of an owner.
 * @param wanted only files with this key or name
 */
export function listFilesOfType(
  db: Db,
  ownerId: UserId,
  type: string,
  wanted: { readonly fileKey?: string; readonly lowerName?: string } = {},
): Promise<FileWithMetadata[]> {
  let query = describedFiles(db)
    .where('package_version.owner_id', '=', ownerId)
    .where('package_version.type', '=', type)
    .where('package_version.is_internal', '=', false)
  if (wanted.fileKey !== undefined) query = query.where('package_file.file_key', '=', wanted.fileKey)
  if (wanted.lowerName !== undefined) query = query.where('package_file.lower_name', '=', wanted.lowerName)
  return query.orderBy('package_file.id').execute()
}

/** The columns that decide which index a file belongs to. */
export type FileName = Pick<FileRecord, 'id' | 'name' | 'file_key'>

/** Lists the names of all files in a registry of an owner, in the order of publication. */
export const listFileNamesOfType = (db: Db, ownerId: UserId, type: string): Promise<FileName[]> =>
  db
    .selectFrom('package_version')
    .innerJoin('package_file', 'package_file.version_id', 'package_version.id')
    .select(['package_file.id', 'package_file.name', 'package_file.file_key'])
    .where('package_version.owner_id', '=', ownerId)
    .where('package_version.type', '=', type)
    .where('package_version.is_internal', '=', false)
    .orderBy('package_file.id')
    .execute()

export const listDescribedFiles = async (db: Db, ids: readonly PackageFileId[]): Promise<FileWithMetadata[]> =>
  ids.length === 0 ? [] : describedFiles(db).where('package_file.id', 'in', ids).orderBy('package_file.id').execute()
