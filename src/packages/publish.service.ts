import type { Readable } from 'node:stream'
import type { Ctx, SignedInCtx } from '../access/context.ts'
import { refuseOverQuotaBefore } from '../access/quota/reservation.service.ts'
import { addToUsage, loadUsage } from '../access/quota/usage.store.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { PackageBlobRow, PackageRow, PackageVersionRow } from '../db/tables/packages.ts'
import { publish } from '../events/hub.ts'
import { Conflict, NotFound } from '../lib/errors.ts'
import type { RepoId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import type { DigestName } from '../storage/blobs.ts'
import { lockBlob } from './content/blob.store.ts'
import {
  findLostContents,
  lockContent,
  storeContents,
  tooLarge,
  type ReceivedContent,
  type StoreContent,
} from './content/content.service.ts'
import { deleteFiles, findFile, findFileRow, insertFile } from './content/file.store.ts'
import { encodedMetadata } from './catalog/metadata.rules.ts'
import { putFileMetadata, putTag, putVersionMetadata } from './catalog/metadata.store.ts'
import { noteOwnName } from './own-name.store.ts'
import { comparable, normalName, refuseOverTotals } from './package.rules.ts'
import {
  countVersions,
  findPackageForUpdate,
  findVersion,
  findVersionOf,
  insertPackage,
  insertVersion,
  updatePackageRepo,
  type PackageKey,
} from './package.store.ts'
import { bumpRevision } from './revision.store.ts'

/** The publisher, and the owner of the registry. */
export type PublishCtx = SignedInCtx & { readonly subject: UserRow }

/** A version by checked names. */
export interface NewVersion {
  readonly type: string
  readonly name: string
  readonly version: string
}

/** A file whose content is in the store: just received, or a known content by SHA-256. */
export interface PublishedFile {
  readonly fileName: string
  /** Distinguishes files of one name where a registry has several. */
  readonly fileKey?: string
  /** Whether a download of the file counts as a download of the version. */
  readonly isLead: boolean
  readonly content: ReceivedContent | { readonly sha256: string }
  /** The registry's own data about the file. */
  readonly metadata?: object
  /** Replaces a file of this name; without it a file of this name is a conflict. */
  readonly replaces?: boolean
}

/** Files of one version that are published in one transaction. */
export interface Publication extends NewVersion {
  /** The registry's own data about the version. An existing version keeps its data unless `redescribes` is set. */
  readonly metadata?: object
  readonly redescribes?: boolean
  /**
   * What happens to an existing version: it receives the files (default), is refused as a conflict, or loses its files
   * first.
   */
  readonly ifExists?: 'add' | 'refuse' | 'replace'
  /** Internal versions appear in no list and publish no event. */
  readonly isInternal?: boolean
  /** The owner's quota was checked when the upload began, or does not apply. */
  readonly isWithoutQuota?: boolean
  /** Tags that point to the version from now on. */
  readonly tags?: readonly string[]
  /** The repository to link the package to if it has no link. */
  readonly repoId?: RepoId | undefined
  /** Runs while the package row is locked; an error from it rolls the publication back. */
  readonly whileLocked?: (tx: Tx, version: PackageVersionRow) => Promise<void>
  readonly files: readonly PublishedFile[]
}

/** A file in an incoming request. */
export interface IncomingFile {
  /** The declared size; undefined when the client declares none. */
  readonly sizeBytes: number | undefined
  readonly signal: AbortSignal
  /** Passes the content to `take` and returns the text fields of the form. Throws when the request has no file. */
  receive(take: (content: Readable, fileName: string) => Promise<void>): Promise<Readonly<Record<string, string>>>
}

const kind = 'packages'

const fileExists = () => new Conflict('the file exists already', 'package_file_exists')
const versionExists = () => new Conflict('the version exists already', 'package_version_exists')

const keyOf = ({ subject }: Pick<PublishCtx, 'subject'>, { type, name }: NewVersion): PackageKey => ({
  ownerId: subject.id,
  type,
  lowerName: comparable(name),
})

/** Returns the caller's upload limit under a `[packages].LIMIT_SIZE_…` setting; a negative limit means none. */
export const uploadLimit = ({ viewer }: SignedInCtx, limitBytes: number): number =>
  limitBytes < 0 || viewer.isAdmin ? Infinity : limitBytes

/**
 * Adds a file to a version and creates the package and version as needed. Throws `Conflict` when the version has the
 * file and
 * `Forbidden` over a limit; the content is discarded then.
 * @param limitBytes the registry's limit; a negative one means none
 * @param digests the digests to compute during the upload; all by default
 */
export async function publishFile(
  ctx: PublishCtx,
  file: NewVersion & Omit<PublishedFile, 'content'>,
  incoming: IncomingFile,
  limitBytes: number,
  digests?: readonly DigestName[],
): Promise<void> {
  const { type, name, version, ...named } = file
  await refuseTaken(ctx, file)
  const publishArrived = ({ arrived }: Upload) =>
    publishVersion(ctx, { type, name, version, files: [{ ...named, content: arrived }] })
  await receiveUpload(ctx, incoming, limitBytes, publishArrived, digests)
}

/** Refuses a file that the version has before its content is sent. */
async function refuseTaken(ctx: PublishCtx, file: NewVersion & Omit<PublishedFile, 'content'>): Promise<void> {
  const version = file.replaces ? undefined : await findVersion(ctx.db, keyOf(ctx, file), comparable(file.version))
  if (version) {
    const lowerName = comparable(file.fileName)
    if (await findFile(ctx.db, version.id, { lowerName, fileKey: file.fileKey ?? '' })) throw fileExists()
  }
}

/** A received upload that no row refers to yet. */
export interface Upload {
  readonly arrived: ReceivedContent
  /** The file name in the form; empty for a plain body. */
  readonly fileName: string
  /** The text fields of the form. */
  readonly fields: Readonly<Record<string, string>>
  /** Stores further contents, such as members of the first. */
  readonly receive: StoreContent
}

/**
 * Stores an upload and passes it to `use`, which inspects and publishes it. Contents that `use` does not publish are
 * deleted.
 * @param limitBytes the registry's limit; a negative one means none
 */
export async function receiveUpload<Result>(
  ctx: PublishCtx,
  incoming: IncomingFile,
  limitBytes: number,
  use: (upload: Upload) => Promise<Result>,
  digests?: readonly DigestName[],
): Promise<Result> {
  const maxBytes = uploadLimit(ctx, limitBytes)
  await refuseSize(ctx, incoming.sizeBytes ?? 0, maxBytes)
  return storeContents(ctx, async (receive) => {
    const taken: { arrived: ReceivedContent; fileName: string }[] = []
    const fields = await incoming.receive(async (content, fileName) => {
      taken.push({ arrived: await receive(content, maxBytes, incoming.signal, digests), fileName })
    })
    const [first] = taken
    if (!first) throw new Error('an upload without content was not refused')
    return use({ ...first, fields, receive })
  })
}

/** Refuses a declared size over a limit before the content is sent. */
export async function refuseSize(ctx: PublishCtx, sizeBytes: number, maxBytes: number): Promise<void> {
  if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
  await refuseOverOwnerLimits(ctx, ctx.db, { sizeBytes, versions: 0 })
}

/** Throws `Forbidden` when the owner's totals and `more` exceed the settings. Site administrators are exempt. */
async function refuseOverOwnerLimits(
  { config, viewer, subject }: PublishCtx,
  db: Ctx['db'] | Tx,
  more: { readonly sizeBytes: number; readonly versions: number },
): Promise<void> {
  const settings = config.packages
  if (viewer.isAdmin || (settings.limitTotalOwnerSize < 0 && settings.limitTotalOwnerCount < 0)) return
  const [usage, versions] = [await loadUsage(db, subject.id), await countVersions(db, { ownerId: subject.id })]
  refuseOverTotals(settings, {
    sizeBytes: (usage[kind] ?? 0) + more.sizeBytes,
    versions: versions + more.versions,
  })
}

/**
 * Publishes stored contents in one transaction. Throws `Conflict` for an existing version or file, `NotFound` for a
 * content that
 * is gone, `TooLarge` for large metadata, and `Forbidden` over a limit.
 */
export async function publishVersion(ctx: PublishCtx, publication: Publication): Promise<PackageVersionRow> {
  const lost = await findLostContents(
    ctx,
    publication.files.flatMap(({ content }) => ('blobKey' in content ? [content] : [])),
  )
  const now = nowUnix(ctx.clock)
  // All publishers lock contents in the order of their SHA-256, which avoids deadlocks.
  const files = publication.files.toSorted((one, other) => (one.content.sha256 < other.content.sha256 ? -1 : 1))
  const metadata = publication.metadata && encodedMetadata(publication.metadata)
  return transaction(ctx.db, async (tx) => {
    const { parent, version, isNew } = await holdOrInsertVersion(ctx, tx, publication)
    let addedBytes = 0
    if (!isNew && publication.ifExists === 'replace') {
      addedBytes -= (await deleteFiles(tx, version.id, undefined, now)).sizeBytes
    }
    for (const file of files) {
      const { content } = file
      const blob = 'blobKey' in content ? await lockContent(tx, content, lost, now) : await lockBlob(tx, content.sha256)
      if (!blob) throw new NotFound('the content does not exist', 'package_content_not_found')
      addedBytes += await addFile(tx, version, file, blob, now)
    }
    if (metadata !== undefined && (isNew || publication.redescribes || publication.ifExists === 'replace')) {
      await putVersionMetadata(tx, version.id, metadata)
    }
    await publication.whileLocked?.(tx, version)
    for (const tag of publication.tags ?? []) await putTag(tx, parent.id, tag, version.id)
    if (publication.repoId !== undefined && parent.repo_id === null) {
      await updatePackageRepo(tx, parent.id, publication.repoId)
    }
    // This locks the ledger's row: concurrent uploads see each other's bytes in the checks below.
    await addToUsage(tx, { ownerId: ctx.subject.id }, kind, addedBytes)
    await refuseOverOwnerLimits(ctx, tx, { sizeBytes: 0, versions: 0 })
    if (!publication.isWithoutQuota) {
      const subject = 'size:assets:packages:all'
      await refuseOverQuotaBefore(ctx, tx, { owner: ctx.subject, kind, subject, sizeBytes: addedBytes })
    }
    if (version.is_internal) return version
    await bumpRevision(tx, ctx.subject.id, publication.type, now)
    if (isNew) {
      await publish(tx, 'package.created', {
        ownerId: ctx.subject.id,
        packageId: version.package_id,
        versionId: version.id,
        doerId: ctx.viewer.id,
      })
    }
    return version
  })
}

/** Adds a file and returns the change of the version's size in bytes. */
async function addFile(
  tx: Tx,
  version: PackageVersionRow,
  file: PublishedFile,
  blob: PackageBlobRow,
  now: number,
): Promise<number> {
  const key = { lowerName: comparable(file.fileName), fileKey: file.fileKey ?? '' }
  const former = file.replaces ? await findFileRow(tx, version.id, key) : undefined
  const gone = former ? (await deleteFiles(tx, version.id, [former.id], now)).sizeBytes : 0
  const added = await insertFile(tx, {
    version_id: version.id,
    blob_id: blob.id,
    name: file.fileName,
    lower_name: key.lowerName,
    file_key: key.fileKey,
    is_lead: file.isLead,
    size_bytes: blob.size_bytes,
    created_unix: now,
  })
  if (!added) throw fileExists()
  if (file.metadata) await putFileMetadata(tx, added.id, file.metadata)
  return blob.size_bytes - gone
}

async function holdOrInsertVersion(
  ctx: PublishCtx,
  tx: Tx,
  publication: Publication,
): Promise<{ readonly parent: PackageRow; readonly version: PackageVersionRow; readonly isNew: boolean }> {
  const parent = await holdOrInsertPackage(ctx, tx, publication)
  const lowerVersion = comparable(publication.version)
  const known = await findVersionOf(tx, parent.id, lowerVersion)
  if (known) {
    if (publication.ifExists === 'refuse') throw versionExists()
    return { parent, version: known, isNew: false }
  }
  if (!publication.isInternal) {
    await noteOwnName(tx, parent.owner_id, parent.type, normalName(parent.type, parent.name))
  }
  const version = await insertVersion(tx, {
    package_id: parent.id,
    owner_id: parent.owner_id,
    type: parent.type,
    version: publication.version,
    lower_version: lowerVersion,
    creator_id: ctx.viewer.id,
    download_count: 0,
    created_unix: nowUnix(ctx.clock),
    is_internal: publication.isInternal ?? false,
  })
  return { parent, version, isNew: true }
}

async function holdOrInsertPackage(ctx: PublishCtx, tx: Tx, publication: NewVersion): Promise<PackageRow> {
  const key = keyOf(ctx, publication)
  // An existing package may be deleted with its last version between the two statements, so this tries again.
  for (;;) {
    const inserted = await insertPackage(tx, {
      owner_id: key.ownerId,
      repo_id: null,
      type: key.type,
      name: publication.name,
      lower_name: key.lowerName,
      created_unix: nowUnix(ctx.clock),
    })
    const parent = inserted ?? (await findPackageForUpdate(tx, key))
    if (parent) return parent
  }
}
