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
import { holdBlob } from './content/blob.store.ts'
import {
  findLost,
  holdContent,
  takingContents,
  tooLarge,
  type Arrived,
  type Receive,
} from './content/content.service.ts'
import { deleteFiles, findFile, findFileRow, insertFile } from './content/file.store.ts'
import { putFileMetadata, putTag, putVersionMetadata } from './catalog/metadata.store.ts'
import { comparable, refuseOverTotals } from './package.rules.ts'
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

/** Whoever publishes, and the owner that it is published under. */
export type PublishCtx = SignedInCtx & { readonly subject: UserRow }

/** A version, as its registry names it. All names were checked. */
export interface NewVersion {
  readonly type: string
  readonly name: string
  readonly version: string
}

/** A file of a version whose content is in the store: it has just arrived, or it is one that is there (by SHA-256). */
export interface PublishedFile {
  readonly fileName: string
  /** Tells files of one name apart where the registry has such. */
  readonly fileKey?: string
  /** Downloads of it count as downloads of the version. */
  readonly isLead: boolean
  readonly content: Arrived | { readonly sha256: string }
  /** What the registry knows of it. */
  readonly metadata?: object
  /** It takes the place of one of its name; else that is a conflict. */
  readonly replaces?: boolean
}

/** Files of a version that are published together, or not at all. */
export interface Publication extends NewVersion {
  /** What the registry knows of the version. Of one that is there it is known already, unless this `redescribes` it. */
  readonly metadata?: object
  readonly redescribes?: boolean
  /** What becomes of a version that is there: it gets the files too (as usual), is a conflict, or is emptied first. */
  readonly whenThere?: 'add' | 'refuse' | 'replace'
  /** No list shows it and nobody is told of it. */
  readonly isInternal?: boolean
  /** The quota of the owner was looked at when the upload was begun, or does not apply. */
  readonly isWithoutQuota?: boolean
  /** Names that stand for the version from now on. */
  readonly tags?: readonly string[]
  /** The repository that the package is linked to, unless it is linked. */
  readonly repoId?: RepoId | undefined
  /** What the registry looks at and notes while the package is held; what it throws refuses all of it. */
  readonly whileHeld?: (tx: Tx, version: PackageVersionRow) => Promise<void>
  readonly files: readonly PublishedFile[]
}

/** A file that is being sent. */
export interface Incoming {
  /** Its size, when the client says it before. */
  readonly sizeBytes: number | undefined
  readonly signal: AbortSignal
  /** Hands over the content; throws when there is none. Gives the text fields that were sent beside it. */
  receive(take: (content: Readable, fileName: string) => Promise<void>): Promise<Readonly<Record<string, string>>>
}

const kind = 'packages'

const alreadyThere = () => new Conflict('the file is there already', 'package_file_exists')
const versionThere = () => new Conflict('the version is there already', 'package_version_exists')

const keyOf = ({ subject }: Pick<PublishCtx, 'subject'>, { type, name }: NewVersion): PackageKey => ({
  ownerId: subject.id,
  type,
  lowerName: comparable(name),
})

/** Largest upload of somebody, by the setting of a registry (`[packages].LIMIT_SIZE_…`; negative is no limit). */
export const uploadLimit = ({ viewer }: SignedInCtx, limitBytes: number): number =>
  limitBytes < 0 || viewer.isAdmin ? Infinity : limitBytes

/**
 * Adds a file to a version, which is made if it is not there, as is its package. Throws `Conflict` when the version has
 * the file, `Forbidden` over a limit of the settings; what was sent is not kept then.
 * @param limitBytes of the registry; negative is no limit
 * @param digests that the content has at once; all unless told
 */
export async function publishFile(
  ctx: PublishCtx,
  file: NewVersion & Omit<PublishedFile, 'content'>,
  incoming: Incoming,
  limitBytes: number,
  digests?: readonly DigestName[],
): Promise<void> {
  const { type, name, version, ...named } = file
  await refuseTaken(ctx, file)
  const publishArrived = ({ arrived }: Upload) =>
    record(ctx, { type, name, version, files: [{ ...named, content: arrived }] })
  await receiveUpload(ctx, incoming, limitBytes, publishArrived, digests)
}

/** A version that has the file is refused before anything is sent. */
async function refuseTaken(ctx: PublishCtx, file: NewVersion & Omit<PublishedFile, 'content'>): Promise<void> {
  const version = file.replaces ? undefined : await findVersion(ctx.db, keyOf(ctx, file), comparable(file.version))
  if (version) {
    const lowerName = comparable(file.fileName)
    if (await findFile(ctx.db, version.id, { lowerName, fileKey: file.fileKey ?? '' })) throw alreadyThere()
  }
}

/** What was sent, in the store; nobody else knows of it yet. */
export interface Upload {
  readonly arrived: Arrived
  /** The name that a form gave the file; else empty. */
  readonly fileName: string
  /** Text that came with it in a form. */
  readonly fields: Readonly<Record<string, string>>
  /** Takes more contents, as what was found inside of the first. */
  readonly receive: Receive
}

/**
 * Takes an upload into the store and hands it on to be looked at and published. What is not published is removed.
 * @param limitBytes of the registry; negative is no limit
 */
export async function receiveUpload<Result>(
  ctx: PublishCtx,
  incoming: Incoming,
  limitBytes: number,
  use: (upload: Upload) => Promise<Result>,
  digests?: readonly DigestName[],
): Promise<Result> {
  const maxBytes = uploadLimit(ctx, limitBytes)
  await refuseSize(ctx, incoming.sizeBytes ?? 0, maxBytes)
  return takingContents(ctx, async (receive) => {
    const taken: { arrived: Arrived; fileName: string }[] = []
    const fields = await incoming.receive(async (content, fileName) => {
      taken.push({ arrived: await receive(content, maxBytes, incoming.signal, digests), fileName })
    })
    const [first] = taken
    if (!first) throw new Error('an upload without content was not refused')
    return use({ ...first, fields, receive })
  })
}

/** What is known to be too much is refused before it is sent. */
export async function refuseSize(ctx: PublishCtx, sizeBytes: number, maxBytes: number): Promise<void> {
  if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
  await refuseOverOwnerLimits(ctx, ctx.db, { sizeBytes, versions: 0 })
}

/** Throws `Forbidden` when what the owner has, and this beside, is more than the settings allow. Administrators may. */
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
 * Publishes files whose contents are in the store. Throws `Conflict` for a version or file that is there, `NotFound` for
 * a content that went meanwhile, `Forbidden` over a limit of the settings; nothing is changed then.
 */
export async function record(ctx: PublishCtx, publication: Publication): Promise<PackageVersionRow> {
  const lost = await findLost(
    ctx,
    publication.files.flatMap(({ content }) => ('blobKey' in content ? [content] : [])),
  )
  const now = nowUnix(ctx.clock)
  // Contents are held in one order by everybody.
  const files = publication.files.toSorted((one, other) => (one.content.sha256 < other.content.sha256 ? -1 : 1))
  return transaction(ctx.db, async (tx) => {
    const { parent, version, isNew } = await holdOrInsertVersion(ctx, tx, publication)
    let addedBytes = 0
    if (!isNew && publication.whenThere === 'replace') {
      addedBytes -= (await deleteFiles(tx, version.id, undefined, now)).sizeBytes
    }
    for (const file of files) {
      const { content } = file
      const blob = 'blobKey' in content ? await holdContent(tx, content, lost, now) : await holdBlob(tx, content.sha256)
      if (!blob) throw new NotFound('the content does not exist', 'package_content_not_found')
      addedBytes += await addFile(tx, version, file, blob, now)
    }
    if (publication.metadata && (isNew || publication.redescribes || publication.whenThere === 'replace')) {
      await putVersionMetadata(tx, version.id, publication.metadata)
    }
    await publication.whileHeld?.(tx, version)
    for (const tag of publication.tags ?? []) await putTag(tx, parent.id, tag, version.id)
    if (publication.repoId !== undefined && parent.repo_id === null) {
      await updatePackageRepo(tx, parent.id, publication.repoId)
    }
    // The ledger's row is held from here on: of several uploads the later ones count what the earlier ones added.
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

/** Gives the bytes that a version has more with a file. */
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
  if (!added) throw alreadyThere()
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
    if (publication.whenThere === 'refuse') throw versionThere()
    return { parent, version: known, isNew: false }
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
  // The one that is there may go with its last version while it is reached for.
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
