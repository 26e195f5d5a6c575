import type { SubjectCtx } from '../../access/context.ts'
import type { Db } from '../../db/database.ts'
import type { PackageRow, PackageVersionRow } from '../../db/tables/packages.ts'
import { rowsAndTotal } from '../../lib/paging.ts'
import { pluck } from '../../lib/pluck.ts'
import { WorkTooCostly } from '../../lib/work-budget.ts'
import {
  countListedVersions,
  countPackageRows,
  findDescribed,
  findPackage,
  listDescribed,
  listFileNamesOfType,
  listFilesOf,
  listFilesOfPackage,
  listFilesOfType,
  listNewestVersions,
  listPackageRows,
  listPlainVersionsOf,
  listVersionsOf,
  metadataBytesOf,
  type FileWithMetadata,
  type VersionWithMetadata,
  type FileName,
} from './catalog.store.ts'
import { loadUsers } from '../../users/user.store.ts'
import { comparable, noPackage } from '../package.rules.ts'
import { findRevision, findRevisionOfAll, type Revision } from '../revision.store.ts'

export type { FileWithMetadata, VersionWithMetadata, FileName } from './catalog.store.ts'

/** Returns a package with all of its versions in the order of publication. Throws `NotFound` without versions. */
export async function getPackageWithVersions(
  { db, subject }: SubjectCtx,
  type: string,
  name: string,
): Promise<{ readonly row: PackageRow; readonly versions: readonly VersionWithMetadata[] }> {
  const row = await findPackage(db, { ownerId: subject.id, type, lowerName: comparable(name) })
  const versions = row ? await versionsOf(db, [row]) : []
  if (!row || versions.length === 0) throw noPackage()
  return { row, versions }
}

/** Returns a page of the versions of a package, those published last first, and their total. */
export async function pageOfVersions(
  { db }: SubjectCtx,
  row: PackageRow,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly versions: readonly VersionWithMetadata[]; readonly total: number }> {
  const [versions, total] = await rowsAndTotal(
    page,
    listNewestVersions(db, row.id, page),
    countListedVersions(db, row.id),
  )
  if (total === 0) throw noPackage()
  return { versions, total }
}

/** Returns a package of the owner, or throws `NotFound`. */
export async function getPackageRow({ db, subject }: SubjectCtx, type: string, name: string): Promise<PackageRow> {
  const row = await findPackage(db, { ownerId: subject.id, type, lowerName: comparable(name) })
  if (!row) throw noPackage()
  return row
}

/** Returns a version with its metadata, or throws `NotFound`. */
export async function getVersionWithMetadata(
  ctx: SubjectCtx,
  type: string,
  name: string,
  version: string,
): Promise<VersionWithMetadata> {
  const row = await getPackageRow(ctx, type, name)
  const found = await findDescribed(ctx.db, row.id, comparable(version))
  if (!found) throw noPackage()
  return found
}

/** Most bytes of metadata that one request reads, and that an index of all packages reads. */
const maxMetadataBytes = 16 << 20
const maxIndexedBytes = 64 << 20

/** Throws `WorkTooCostly` when the metadata is too large for one request. */
async function refuseMuchMetadata(
  db: Db,
  wanted: Parameters<typeof metadataBytesOf>[1],
  maxBytes = maxMetadataBytes,
): Promise<void> {
  if ((await metadataBytesOf(db, wanted)) <= maxBytes) return
  throw new WorkTooCostly('outputBytes', `the descriptions of the versions are larger than ${maxBytes} bytes`)
}

/** Returns all versions of packages. Throws `WorkTooCostly`. */
async function versionsOf(
  db: Db,
  rows: readonly PackageRow[],
  maxBytes?: number,
): Promise<readonly VersionWithMetadata[]> {
  const ids = pluck(rows, 'id')
  await refuseMuchMetadata(db, { by: 'package_id', ids }, maxBytes)
  return listVersionsOf(db, ids)
}

/** A package that a search found. */
export interface FoundPackage {
  readonly row: PackageRow
  /** In the order of publication. */
  readonly versions: readonly PackageVersionRow[]
  readonly newest: VersionWithMetadata
}

/**
 * Returns a page of the owner's packages by name, and the total.
 * @param pick chooses the version that the result describes; its metadata is read
 */
export async function findPackages(
  { db, subject }: SubjectCtx,
  type: string,
  text: string | undefined,
  page: { readonly limit: number; readonly offset: number },
  pick: (versions: readonly PackageVersionRow[]) => PackageVersionRow | undefined,
): Promise<{ readonly packages: readonly FoundPackage[]; readonly total: number }> {
  const filter = { ownerId: subject.id, type, text }
  const [rows, total] = await rowsAndTotal(page, listPackageRows(db, filter, page), countPackageRows(db, filter))
  const versions = Map.groupBy(await listPlainVersionsOf(db, pluck(rows, 'id')), (version) => version.package_id)
  const picked = [...versions.values()].flatMap((each) => pick(each)?.id ?? [])
  await refuseMuchMetadata(db, { by: 'id', ids: picked }, maxBytesOf(page))
  const newest = new Map((await listDescribed(db, picked)).map((version) => [version.package_id, version]))
  return {
    packages: rows.flatMap((row) => {
      const described = newest.get(row.id)
      return described ? [{ row, versions: versions.get(row.id) ?? [], newest: described }] : []
    }),
    total,
  }
}

/** Returns a page of the owner's packages by name, each with the metadata of all versions, and the total. */
export async function searchPackages(
  { db, subject }: SubjectCtx,
  type: string,
  text: string | undefined,
  page: { readonly limit: number; readonly offset: number },
): Promise<{
  readonly packages: readonly { readonly row: PackageRow; readonly versions: readonly VersionWithMetadata[] }[]
  readonly total: number
}> {
  const filter = { ownerId: subject.id, type, text }
  const [rows, total] = await rowsAndTotal(page, listPackageRows(db, filter, page), countPackageRows(db, filter))
  const versions = Map.groupBy(await versionsOf(db, rows, maxBytesOf(page)), (version) => version.package_id)
  return { packages: rows.map((row) => ({ row, versions: versions.get(row.id) ?? [] })), total }
}

/** Lists the names of all packages of the owner in a registry. */
export const listPackageNames = async ({ db, subject }: SubjectCtx, type: string): Promise<readonly string[]> =>
  pluck(await listPackageRows(db, { ownerId: subject.id, type }, wholeCatalog), 'name')

/** The limit of an index that names all packages. */
export const wholeCatalog = { limit: 100_000, offset: 0 }

const maxBytesOf = (page: object): number => (page === wholeCatalog ? maxIndexedBytes : maxMetadataBytes)

export const getFilesOfVersions = (
  { db }: SubjectCtx,
  versions: readonly Pick<VersionWithMetadata, 'id'>[],
): Promise<FileWithMetadata[]> => listFilesOf(db, pluck(versions, 'id'))

/** Lists the files of all versions of a package. */
export const getFilesOfPackage = ({ db }: SubjectCtx, row: PackageRow): Promise<FileWithMetadata[]> =>
  listFilesOfPackage(db, row.id)

/** Lists all files in a registry of the owner; those with one key or name when it is given. */
export const getFilesOfType = (
  { db, subject }: SubjectCtx,
  type: string,
  wanted: { readonly fileKey?: string; readonly lowerName?: string } = {},
): Promise<FileWithMetadata[]> => listFilesOfType(db, subject.id, type, wanted)

/** Lists the names of all files in a registry of the owner, without metadata. */
export const getFileNames = ({ db, subject }: SubjectCtx, type: string): Promise<FileName[]> =>
  listFileNamesOfType(db, subject.id, type)

/** Returns the revision of the owner's registry; without a type, that of all registries together. */
export const getRevision = ({ db, subject }: SubjectCtx, type: string | undefined): Promise<Revision> =>
  type === undefined ? findRevisionOfAll(db, subject.id) : findRevision(db, subject.id, type)

/** Loads the accounts that published the versions and still exist. */
export const getPublishers = ({ db }: SubjectCtx, versions: readonly Pick<VersionWithMetadata, 'creator_id'>[]) =>
  loadUsers(db, pluck(versions, 'creator_id'))
