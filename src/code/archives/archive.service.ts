import { aboutRepository } from '../../admission/claim.ts'
import type { RepoCtx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import { storedContent } from '../../access/contributions/stored-content.ts'
import { contributionsOf } from '../../access/feature.ts'
import { transaction } from '../../db/database.ts'
import type { ArchiveFormat } from '../../git/git.ts'
import type { FileContent } from '../../http/file-reply.ts'
import { BadRequest, NotFound, Unavailable } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { makeRoomForArchives } from './archive-removal.service.ts'
import { findArchive, upsertArchive, type ArchiveKey } from './archive.store.ts'
import { filledArchive, type FillResult } from './large-in-archive.ts'
import { getNamedCommit, type NamedCommit } from '../commits/named-commit.service.ts'
import { countArchiveDownload } from '../branches/tag.store.ts'

/** Offered formats, by file extension. */
export type OfferedFormat = Exclude<ArchiveFormat, 'tar'>

const endings: readonly OfferedFormat[] = ['zip', 'tar.gz', 'bundle']

/** Splits a name such as `feature/x.tar.gz`. Throws `BadRequest` for a missing or unknown format. */
export function splitArchiveName(name: string): { ref: string; format: OfferedFormat } {
  const format = endings.find((ending) => name.endsWith(`.${ending}`) && name.length > ending.length + 1)
  if (!format) {
    throw new BadRequest(
      `the name of an archive must end with ${endings.map((ending) => `.${ending}`).join(', ')}`,
      'archive_format_unknown',
    )
  }
  return { ref: name.slice(0, -format.length - 1), format }
}

/** A stored archive. */
export interface StoredArchive {
  readonly revision: NamedCommit
  readonly format: OfferedFormat
  /** The format with the options that determine its content. */
  readonly form: string
  readonly content: FileContent
}

/** An archive under construction. */
interface ArchiveBuild {
  readonly done: Promise<void>
  waiting: number
  /** Aborted when no caller waits. */
  readonly abandoned: AbortController
}

/** Archives under construction, which concurrent callers share. */
const runningBuilds = perApplication(() => new Map<string, ArchiveBuild>())

/** Most files of an archive. */
const maxFiles = 300_000

/** Most bytes of large files that occur repeatedly in an archive. */
const maxRepeatedBytes = 128 * 1024 * 1024

/**
 * The archive of a revision, made on first use and stored. Throws `NotFound` for an unknown revision and when archives
 * are disabled, `TooLarge` for too many or too large files.
 * @param signal ends when the caller disconnects
 */
export async function getArchive(
  ctx: RepoCtx,
  ref: string,
  format: OfferedFormat,
  signal: AbortSignal,
): Promise<StoredArchive> {
  if (ctx.config.repository.disableDownloadSourceArchives) {
    throw new NotFound('archives are disabled on this server', 'archives_disabled')
  }
  const revision = await getNamedCommit(ctx.git, ctx.repo.git_key, ref)
  const isFilled =
    format !== 'bundle' && ctx.config.ingot.lfsInArchives && contributionsOf(ctx).largeFiles?.isOn(ctx) === true
  const form = isFilled ? `${filledForm}${format}` : format
  const key: ArchiveKey = { repoId: ctx.repo.id, commit: revision.commit, format: form }
  const content = (await storedArchive(ctx, key)) ?? (await buildArchive(ctx, key, format, signal))
  return { revision, format, form, content }
}

/** Prefixes of forms that include large files, complete or incomplete. */
const filledForm = 'lfs.'
const incompleteForm = 'lfs-incomplete.'

const blobKeyOf = ({ repoId, commit, format }: ArchiveKey): string =>
  `${repoId}/${commit.slice(0, 2)}/${commit}.${format}`

/** The stored archive; a row without its file does not count. */
async function storedArchive(ctx: RepoCtx, key: ArchiveKey): Promise<FileContent | undefined> {
  const row = await findArchive(ctx.db, key)
  return row && storedContent(ctx.blobs.repoArchive, row.blob_key)
}

async function buildArchive(
  ctx: RepoCtx,
  key: ArchiveKey,
  format: OfferedFormat,
  signal: AbortSignal,
): Promise<FileContent> {
  const blobKey = blobKeyOf(key)
  const underWay = runningBuilds(ctx)
  let making = underWay.get(blobKey)
  if (!making || making.abandoned.signal.aborted) {
    const abandoned = new AbortController()
    const begun: ArchiveBuild = {
      abandoned,
      waiting: 0,
      done: makeArchive(ctx, key, format, blobKey, abandoned.signal).finally(() => {
        if (underWay.get(blobKey) === begun) underWay.delete(blobKey)
      }),
    }
    making = begun
    underWay.set(blobKey, begun)
  }
  await waitFor(making, signal)
  const content = await storedContent(ctx.blobs.repoArchive, blobKey)
  if (!content) throw new NotFound('the archive was removed; request it again', 'archive_gone')
  return content
}

/** Waits for an archive. When the last caller leaves, the work ends. */
async function waitFor(making: ArchiveBuild, signal: AbortSignal): Promise<void> {
  making.waiting += 1
  let leave: () => void = () => undefined
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
  try {
    await Promise.race([making.done, left])
  } finally {
    signal.removeEventListener('abort', leave)
    making.waiting -= 1
    if (making.waiting === 0) {
      // Nobody waits for the rejection.
      making.done.catch(() => undefined)
      making.abandoned.abort(
        new Unavailable('all clients that waited for the archive disconnected', 'archive_abandoned'),
      )
    }
  }
}

async function makeArchive(
  ctx: RepoCtx,
  key: ArchiveKey,
  format: OfferedFormat,
  blobKey: string,
  signal: AbortSignal,
): Promise<void> {
  const { config, git, repo } = ctx
  const maxBytes = config.ingot.maxArchiveSize
  const release = await ctx.admission.archives.take(ctx.claim && aboutRepository(ctx.claim, repo.id), signal)
  try {
    // A bundle contains each object once.
    const limits = { maxFiles, maxBytes, maxRepeatedBytes, signal }
    if (format !== 'bundle') await git.measureTree(repo.git_key, key.commit, limits)
    const prefix = config.repository.prefixArchiveFiles ? `${repo.lower_name}/` : ''
    const isFilled = key.format.startsWith(filledForm) && format !== 'bundle'
    const made = isFilled ? 'tar' : format
    const stream = await git.archive(repo.git_key, { commit: key.commit, format: made, prefix, signal })
    const filling: FillResult = { missing: 0 }
    const content = isFilled ? filledArchive(ctx, stream, format, limits, filling) : stream
    const { sizeBytes } = await ctx.blobs.repoArchive.put(blobKey, content, { maxBytes, signal })
    // An incomplete archive is sent to its callers but never found again, since the missing files may arrive.
    const kept = filling.missing > 0 ? { ...key, format: `${incompleteForm}${format}` } : key
    await transaction(ctx.db, (tx) =>
      upsertArchive(tx, { ...kept, blobKey, sizeBytes, createdUnix: nowUnix(ctx.clock) }),
    )
    await makeRoomForArchives(ctx, repo.id, blobKey)
  } finally {
    release()
  }
}

/** File name of an archive: repository and reference, with dashes for slashes. */
export const archiveFileName = (ctx: RepoCtx, ref: string, format: OfferedFormat): string =>
  `${ctx.repo.name}-${ref.replaceAll('/', '-')}.${format}`

/** Counts a download of a tag's archive. Other revisions and bundles are not counted. */
export async function countDownload(ctx: RepoCtx, archive: StoredArchive): Promise<void> {
  if (archive.revision.kind !== 'tag' || archive.format === 'bundle') return
  await transaction(ctx.db, (tx) => countArchiveDownload(tx, ctx.repo.id, archive.revision.name, archive.format))
}
