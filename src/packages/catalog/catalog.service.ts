import type { SubjectCtx } from '../../access/context.ts'
import type { PackageRow } from '../../db/tables/packages.ts'
import { NotFound } from '../../lib/errors.ts'
import {
  countPackageRows,
  findDescribed,
  findPackage,
  listFileNamesOfType,
  listFilesOf,
  listFilesOfPackage,
  listFilesOfType,
  listPackageRows,
  listVersionsOf,
  type DescribedFile,
  type DescribedVersion,
  type FileName,
} from './catalog.store.ts'
import { loadUsers } from '../../users/user.store.ts'
import { comparable } from '../package.rules.ts'
import { findRevision, findRevisionOfAll, type Revision } from '../revision.store.ts'

export type { DescribedFile, DescribedVersion, FileName } from './catalog.store.ts'

const noPackage = () => new NotFound('the package does not exist', 'package_not_found')

/** A package of the owner's with all of its versions, in the order in which they came; `NotFound` without any. */
export async function getPackageWithVersions(
  { db, subject }: SubjectCtx,
  type: string,
  name: string,
): Promise<{ readonly row: PackageRow; readonly versions: readonly DescribedVersion[] }> {
  const row = await findPackage(db, { ownerId: subject.id, type, lowerName: comparable(name) })
  const versions = row ? await listVersionsOf(db, [row.id]) : []
  if (!row || versions.length === 0) throw noPackage()
  return { row, versions }
}

/** A package of the owner's, or `NotFound`. */
export async function getPackageRow({ db, subject }: SubjectCtx, type: string, name: string): Promise<PackageRow> {
  const row = await findPackage(db, { ownerId: subject.id, type, lowerName: comparable(name) })
  if (!row) throw noPackage()
  return row
}

/** A version with what its registry knows of it, or `NotFound`. */
export async function getDescribed(
  ctx: SubjectCtx,
  type: string,
  name: string,
  version: string,
): Promise<DescribedVersion> {
  const row = await getPackageRow(ctx, type, name)
  const found = await findDescribed(ctx.db, row.id, comparable(version))
  if (!found) throw noPackage()
  return found
}

/** A page of the owner's packages, by their names, each with all of its versions; and how many packages there are. */
export async function searchPackages(
  { db, subject }: SubjectCtx,
  type: string,
  text: string | undefined,
  page: { readonly limit: number; readonly offset: number },
): Promise<{
  readonly packages: readonly { readonly row: PackageRow; readonly versions: readonly DescribedVersion[] }[]
  readonly total: number
}> {
  const filter = { ownerId: subject.id, type, text }
  const [rows, total] = await Promise.all([listPackageRows(db, filter, page), countPackageRows(db, filter)])
  const versions = Map.groupBy(
    await listVersionsOf(
      db,
      rows.map((row) => row.id),
    ),
    (version) => version.package_id,
  )
  return { packages: rows.map((row) => ({ row, versions: versions.get(row.id) ?? [] })), total }
}

/** Most packages that an index of all of them names. */
export const wholeCatalog = { limit: 100_000, offset: 0 }

/** The files of some versions. */
export const getFilesOfVersions = (
  { db }: SubjectCtx,
  versions: readonly Pick<DescribedVersion, 'id'>[],
): Promise<DescribedFile[]> =>
  listFilesOf(
    db,
    versions.map(({ id }) => id),
  )

/** The files of all versions of a package. */
export const getFilesOfPackage = ({ db }: SubjectCtx, row: PackageRow): Promise<DescribedFile[]> =>
  listFilesOfPackage(db, row.id)

/** Files of everything that the owner has in a registry; those of one key or name when it is given. */
export const getFilesOfType = (
  { db, subject }: SubjectCtx,
  type: string,
  wanted: { readonly fileKey?: string; readonly lowerName?: string } = {},
): Promise<DescribedFile[]> => listFilesOfType(db, subject.id, type, wanted)

/** Names of all files that the owner has in a registry, without what is known of them. */
export const getFileNames = ({ db, subject }: SubjectCtx, type: string): Promise<FileName[]> =>
  listFileNamesOfType(db, subject.id, type)

/** How often the owner's registry has changed; without a type, how often all of them have. */
export const getRevision = ({ db, subject }: SubjectCtx, type: string | undefined): Promise<Revision> =>
  type === undefined ? findRevisionOfAll(db, subject.id) : findRevision(db, subject.id, type)

/** The accounts that published versions, as far as they are there. */
export const getPublishers = ({ db }: SubjectCtx, versions: readonly Pick<DescribedVersion, 'creator_id'>[]) =>
  loadUsers(
    db,
    versions.map((version) => version.creator_id),
  )
