import { findRepoByName } from '../access/access.store.ts'
import type { Ctx, Services, SignedInCtx, SubjectCtx } from '../access/context.ts'
import { noRepo, openRepo } from '../access/resolve-repo.ts'
import { addToUsage } from '../access/quota/usage.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import { publish } from '../events/hub.ts'
import { BadRequest, Forbidden, NotFound } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { must } from '../lib/verdict.ts'
import { withDigests } from './content/digest.service.ts'
import { deleteFiles, findFile, hasFiles, listFiles, type FileRecord } from './content/file.store.ts'
import { mayUnlinkPackage, type Standing } from './package.policy.ts'
import { comparable } from './package.rules.ts'
import { remembered } from './indexes/remembered.ts'
import { bumpRevision } from './revision.store.ts'
import {
  countDownload,
  countVersions,
  deletePackageWithoutVersions,
  deleteVersionRow,
  findPackageForUpdate,
  findVersion,
  holdPackage,
  listSomeVersions,
  listVersions,
  updatePackageRepo,
  type VersionRecord,
} from './package.store.ts'

type OwnerCtx = SubjectCtx & SignedInCtx

const noPackage = () => new NotFound('the package does not exist', 'package_not_found')
const noFile = () => new NotFound('the file does not exist', 'package_file_not_found')

/** Names a package of an owner that is known. */
export interface PackageName {
  readonly type: string
  readonly name: string
}

const keyOf = ({ subject }: SubjectCtx, { type, name }: PackageName) => ({
  ownerId: subject.id,
  type,
  lowerName: comparable(name),
})

/** A page of all versions that an owner has, the newest first, and their number. */
export async function getVersionPage(
  ctx: SubjectCtx,
  filter: { readonly type: string | undefined; readonly text: string | undefined },
  page: Page,
): Promise<{ readonly versions: readonly VersionRecord[]; readonly total: number }> {
  const wanted = { ...filter, ownerId: ctx.subject.id }
  // Counting takes longer than listing where there are many, and their number changes with the registries alone.
  const count = async () => ({ total: await countVersions(ctx.db, wanted) })
  const { total } = await (filter.text
    ? count()
    : remembered(ctx, filter.type || undefined, 'number of versions', count))
  return { versions: await listVersions(ctx.db, wanted, page, total), total }
}

/** A version of the owner's, or `NotFound`. */
export async function getVersion(
  ctx: SubjectCtx,
  named: PackageName & { readonly version: string },
): Promise<VersionRecord> {
  const found = await findVersion(ctx.db, keyOf(ctx, named), comparable(named.version))
  if (!found) throw noPackage()
  return found
}

/** The files of a version, with all of their digests. */
export const getFiles = async (ctx: Ctx, version: PackageVersionRow): Promise<FileRecord[]> =>
  withDigests(ctx, await listFiles(ctx.db, version.id))

/** A file of a version, or `NotFound`. */
export async function getFile(
  ctx: Ctx,
  version: PackageVersionRow,
  { fileName, fileKey = '' }: { readonly fileName: string; readonly fileKey?: string },
): Promise<FileRecord> {
  const file = await findFile(ctx.db, version.id, { lowerName: comparable(fileName), fileKey })
  if (!file) throw noFile()
  return file
}

/** Counts a download of a file that stands for its version. */
export async function countOneDownload(ctx: Ctx, file: FileRecord): Promise<void> {
  if (file.is_lead) await transaction(ctx.db, (tx) => countDownload(tx, file.version_id))
}

/** Removes a version with its files, and its package with the last one. `NotFound` when it went meanwhile. */
export async function removeVersion(ctx: Services & { readonly viewer: Viewer }, version: VersionRecord) {
  if (!(await deleteVersion(ctx, version, ctx.viewer.id))) throw noPackage()
}

/** Removes a file, and its version with the last one. `NotFound` when it went meanwhile. */
export const removeFile = (ctx: OwnerCtx, version: VersionRecord, file: Pick<FileRecord, 'id'>): Promise<void> =>
  removeFiles(ctx, version, [file])

/** Removes some files, and their version with the last one. `NotFound` when all of them went meanwhile. */
export async function removeFiles(
  ctx: OwnerCtx,
  version: VersionRecord,
  files: readonly Pick<FileRecord, 'id'>[],
): Promise<void> {
  if (files.length === 0) throw noFile()
  const ids = files.map(({ id }) => id)
  await transaction(ctx.db, async (tx) => {
    const parent = await holdPackage(tx, version.package_id)
    const gone = await deleteFiles(tx, version.id, ids, nowUnix(ctx.clock))
    if (!parent || gone.count === 0) throw noFile()
    await addToUsage(tx, { ownerId: parent.owner_id }, 'packages', -gone.sizeBytes)
    if (!(await hasFiles(tx, version.id))) await forgetVersion(tx, parent, version, ctx.viewer.id)
    await bumpRevision(tx, parent.owner_id, parent.type, nowUnix(ctx.clock))
  })
}

/**
 * Removes a version with its files, and its package with the last one. False when it is gone already, or may not go.
 * @param mayGo looks at it once more while the package is held
 */
export const deleteVersion = (
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  version: VersionRecord,
  doerId: UserId,
  mayGo?: (tx: Tx) => Promise<boolean>,
): Promise<boolean> =>
  transaction(db, async (tx) => {
    const parent = await holdPackage(tx, version.package_id)
    if (!parent || (mayGo && !(await mayGo(tx)))) return false
    const { sizeBytes } = await deleteFiles(tx, version.id, undefined, nowUnix(clock))
    await addToUsage(tx, { ownerId: parent.owner_id }, 'packages', -sizeBytes)
    const isGone = await forgetVersion(tx, parent, version, doerId)
    await bumpRevision(tx, parent.owner_id, parent.type, nowUnix(clock))
    return isGone
  })

/** Removes the row of a version that has no files, and its package with the last one; the package is held. */
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

/** Versions that are read at once while an account goes. */
const purgeBatch = 200

/** Removes everything that an account has published, each version in a transaction of its own. */
export async function purgePackages(services: Services, account: UserRow, doerId: UserId): Promise<void> {
  let versions = await listSomeVersions(services.db, account.id, purgeBatch)
  while (versions.length > 0) {
    for (const version of versions) await deleteVersion(services, version, doerId)
    versions = await listSomeVersions(services.db, account.id, purgeBatch)
  }
}

/**
 * Links a package to a repository of its owner whose packages the caller may write. `NotFound` for an unknown package or
 * repository, `BadRequest` when it is linked already.
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

/** Takes a package from its repository. `NotFound` for an unknown package, `BadRequest` when it has none. */
export async function unlinkFromRepo(
  ctx: OwnerCtx & { readonly standing: Standing },
  named: PackageName,
): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const parent = await findPackageForUpdate(tx, keyOf(ctx, named))
    if (!parent) throw noPackage()
    must(mayUnlinkPackage(ctx.viewer, ctx.subject, ctx.standing))
    if (parent.repo_id === null) throw new BadRequest('the package is linked to no repository', 'package_not_linked')
    await updatePackageRepo(tx, parent.id, null)
  })
}
