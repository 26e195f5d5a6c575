import { findRepoByName } from '../access/access.store.ts'
import type { Ctx, Services, SignedInCtx, SubjectCtx } from '../access/context.ts'
import { noRepo, openRepo } from '../access/resolve-repo.ts'
import { addToUsage } from '../access/quota/usage.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import { publish } from '../events/hub.ts'
import { BadRequest, Forbidden } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { must } from '../lib/verdict.ts'
import { withDigests } from './content/digest.service.ts'
import { deleteFiles, findFile, hasFiles, listFiles, type FileRecord } from './content/file.store.ts'
import { mayUnlinkPackage, type Standing } from './package.policy.ts'
import { comparable, noFile, noPackage } from './package.rules.ts'
import { bumpRevision } from './revision.store.ts'
import {
  countDownload,
  countVersions,
  deletePackageWithoutVersions,
  deleteVersionRow,
  findPackageForUpdate,
  findVersion,
  lockPackage,
  listSomeVersions,
  listVersions,
  updatePackageRepo,
  type VersionRecord,
} from './package.store.ts'

type OwnerCtx = SubjectCtx & SignedInCtx

/** The type and name of a package; the owner is known. */
export interface PackageName {
  readonly type: string
  readonly name: string
}

/** A file of a version by its name, and by its key where a registry has several files of one name. */
export interface NamedFile extends PackageName {
  readonly version: string
  readonly fileName: string
  readonly fileKey?: string
}

const keyOf = ({ subject }: SubjectCtx, { type, name }: PackageName) => ({
  ownerId: subject.id,
  type,
  lowerName: comparable(name),
})

/** Returns a page of all versions of an owner, the newest first, and their total. */
export async function getVersionPage(
  ctx: SubjectCtx,
  filter: { readonly type: string | undefined; readonly text: string | undefined },
  page: Page,
): Promise<{ readonly versions: readonly VersionRecord[]; readonly total: number }> {
  const wanted = { ...filter, ownerId: ctx.subject.id }
  const [versions, total] = await rowsAndTotal(page, listVersions(ctx.db, wanted, page), countVersions(ctx.db, wanted))
  return { versions, total }
}

/** Returns a version of the owner, or throws `NotFound`. */
export async function getVersion(
  ctx: SubjectCtx,
  named: PackageName & { readonly version: string },
): Promise<VersionRecord> {
  const found = await findVersion(ctx.db, keyOf(ctx, named), comparable(named.version))
  if (!found) throw noPackage()
  return found
}

/** Returns the files of a version with all of their digests. */
export const getFiles = async (ctx: Ctx, version: PackageVersionRow): Promise<FileRecord[]> =>
  withDigests(ctx, await listFiles(ctx.db, version.id))

/** Returns a file of a version, or throws `NotFound`. */
export async function getFile(
  ctx: Ctx,
  version: PackageVersionRow,
  { fileName, fileKey = '' }: { readonly fileName: string; readonly fileKey?: string },
): Promise<FileRecord> {
  const file = await findFile(ctx.db, version.id, { lowerName: comparable(fileName), fileKey })
  if (!file) throw noFile()
  return file
}

/** Returns a file by the names of its package, version and file, or throws `NotFound`. */
export const getNamedFile = async (ctx: SubjectCtx, named: NamedFile): Promise<FileRecord> =>
  getFile(ctx, await getVersion(ctx, named), named)

/** Removes a file by the names of its package, version and file, and its version with the last file. */
export async function removeNamedFile(ctx: OwnerCtx, named: NamedFile): Promise<void> {
  const version = await getVersion(ctx, named)
  await removeFile(ctx, version, await getFile(ctx, version, named))
}

/** Counts a download of the file that represents its version. */
export async function countOneDownload(ctx: Ctx, file: FileRecord): Promise<void> {
  if (file.is_lead) await transaction(ctx.db, (tx) => countDownload(tx, file.version_id))
}

/** Removes a version with its files, and its package with the last version. Throws `NotFound` when it is gone. */
export async function removeVersion(ctx: Services & { readonly viewer: Viewer }, version: VersionRecord) {
  if (!(await deleteVersion(ctx, version, ctx.viewer.id))) throw noPackage()
}

/** Removes a file, and its version with the last file. Throws `NotFound` when it is gone. */
export const removeFile = (ctx: OwnerCtx, version: VersionRecord, file: Pick<FileRecord, 'id'>): Promise<void> =>
  removeFiles(ctx, version, [file])

/** Removes files, and their version with the last file. Throws `NotFound` when all of them are gone. */
export async function removeFiles(
  ctx: OwnerCtx,
  version: VersionRecord,
  files: readonly Pick<FileRecord, 'id'>[],
): Promise<void> {
  if (files.length === 0) throw noFile()
  const ids = files.map(({ id }) => id)
  await transaction(ctx.db, async (tx) => {
    const parent = await lockPackage(tx, version.package_id)
    const gone = await deleteFiles(tx, version.id, ids, nowUnix(ctx.clock))
    if (!parent || gone.count === 0) throw noFile()
    await addToUsage(tx, { ownerId: parent.owner_id }, 'packages', -gone.sizeBytes)
    if (!(await hasFiles(tx, version.id))) await forgetVersion(tx, parent, version, ctx.viewer.id)
    await bumpRevision(tx, parent.owner_id, parent.type, nowUnix(ctx.clock))
  })
}

/**
 * Removes a version with its files, and its package with the last version. Returns false when the version is gone or
 * kept.
 * @param mayGo decides once more while the package row is locked
 */
export const deleteVersion = (
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  version: VersionRecord,
  doerId: UserId,
  mayGo?: (tx: Tx) => Promise<boolean>,
): Promise<boolean> =>
  transaction(db, async (tx) => {
    const parent = await lockPackage(tx, version.package_id)
    if (!parent || (mayGo && !(await mayGo(tx)))) return false
    const { sizeBytes } = await deleteFiles(tx, version.id, undefined, nowUnix(clock))
    await addToUsage(tx, { ownerId: parent.owner_id }, 'packages', -sizeBytes)
    const isGone = await forgetVersion(tx, parent, version, doerId)
    await bumpRevision(tx, parent.owner_id, parent.type, nowUnix(clock))
    return isGone
  })

/**
 * Removes the row of a version without files, and its package with the last version. The package row must be locked.
 */
async function forgetVersion(tx: Tx, parent: PackageRow, version: VersionRecord, doerId: UserId): Promise<boolean> {
  if (!(await deleteVersionRow(tx, version.id))) return false
  await deletePackageWithoutVersions(tx, parent.id)
  if (version.is_internal) return true
  await publish(tx, 'package.deleted', {
    ownerId: parent.owner_id,
    packageId: parent.id,
    versionId: version.id,
    doerId,
    type: parent.type,
    name: parent.name,
    version: version.version,
    creatorId: version.creator_id,
    createdUnix: version.created_unix,
    ...(parent.repo_id === null ? {} : { repoId: parent.repo_id }),
  })
  return true
}

/** Number of versions that are read at once while an account is deleted. */
const purgeBatch = 200

/** Removes all packages of an account, each version in its own transaction. */
export async function purgePackages(services: Services, account: UserRow, doerId: UserId): Promise<void> {
  let versions = await listSomeVersions(services.db, account.id, purgeBatch)
  while (versions.length > 0) {
    for (const version of versions) await deleteVersion(services, version, doerId)
    versions = await listSomeVersions(services.db, account.id, purgeBatch)
  }
}

/**
 * Links a package to a repository of its owner whose packages the caller may write. Throws `NotFound` for an unknown
 * package or
 * repository, and `BadRequest` for a package that is linked.
 */
export async function linkToRepo(ctx: OwnerCtx, named: PackageName, repoName: string): Promise<void> {
  const repo = await findRepoByName(ctx.db, ctx.subject.id, comparable(repoName))
  if (!repo) throw noRepo()
  const { rights } = await openRepo(ctx, ctx.subject, repo)
  if (!rights.canWrite('packages')) {
    throw new Forbidden('you may not write the packages of the repository', 'unit_unwritable')
  }
  await transaction(ctx.db, async (tx) => {
    const parent = await findPackageForUpdate(tx, keyOf(ctx, named))
    if (!parent) throw noPackage()
    if (parent.repo_id !== null) {
      throw new BadRequest('the package is linked to a repository: unlink it first', 'package_linked')
    }
    await updatePackageRepo(tx, parent.id, repo.id)
  })
}

/**
 * Unlinks a package from its repository. Throws `NotFound` for an unknown package, `BadRequest` for one without a link.
 */
export async function unlinkFromRepo(
  ctx: OwnerCtx & { readonly standing: Standing },
  named: PackageName,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const parent = await findPackageForUpdate(tx, keyOf(ctx, named))
    if (!parent) throw noPackage()
    must(mayUnlinkPackage(ctx.viewer, ctx.subject, ctx.standing))
    if (parent.repo_id === null) throw new BadRequest('the package is not linked to a repository', 'package_not_linked')
    await updatePackageRepo(tx, parent.id, null)
  })
}
