import type { RepoCtx } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'
import { storedContent } from '../../access/stored-content.ts'
import { transaction } from '../../db/database.ts'
import type { ArchiveFormat } from '../../git/git.ts'
import type { FileContent } from '../../http/file-reply.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { nowUnix } from '../../lib/time.ts'
import { findArchive, upsertArchive, type ArchiveKey } from './archive.store.ts'
import { getNamedCommit, type NamedCommit } from '../commits/named-commit.service.ts'
import { countArchiveDownload } from '../branches/tag.store.ts'

/** Forms that are offered, by the ending of an address. */
export type OfferedFormat = Exclude<ArchiveFormat, 'tar'>

const endings: readonly OfferedFormat[] = ['zip', 'tar.gz', 'bundle']

/** The reference and form of an address such as `feature/x.tar.gz`; no form, or an unknown one, is `BadRequest`. */
export function splitArchiveName(name: string): { ref: string; format: OfferedFormat } {
  const format = endings.find((ending) => name.endsWith(`.${ending}`) && name.length > ending.length + 1)
  if (!format) {
    throw new BadRequest(
      `archives end with ${endings.map((ending) => `.${ending}`).join(', ')}`,
      'archive_format_unknown',
    )
  }
  return { ref: name.slice(0, -format.length - 1), format }
}

/** An archive that is stored, ready to be sent. */
export interface StoredArchive {
  readonly revision: NamedCommit
  readonly format: OfferedFormat
  readonly content: FileContent
}

/** Archives that are being made, so that those who ask meanwhile wait for the same one. */
const archivesUnderWay = perApplication(() => new Map<string, Promise<void>>())

/**
 * The archive of a revision. The first one who asks has it made and stored; it is kept for a while and used again.
 * An unknown revision, and archives that are switched off, are `NotFound`.
 */
export async function getArchive(ctx: RepoCtx, ref: string, format: OfferedFormat): Promise<StoredArchive> {
  if (ctx.config.repository.disableDownloadSourceArchives) {
    throw new NotFound('archives are switched off', 'archives_disabled')
  }
  const revision = await getNamedCommit(ctx.git, ctx.repo.git_key, ref)
  const key: ArchiveKey = { repoId: ctx.repo.id, commit: revision.commit, format }
  const content = (await storedArchive(ctx, key)) ?? (await madeContent(ctx, key, format))
  return { revision, format, content }
}

const blobKeyOf = ({ repoId, commit, format }: ArchiveKey): string =>
  `${repoId}/${commit.slice(0, 2)}/${commit}.${format}`

/** What is stored already; a row without its file counts as nothing. */
async function storedArchive(ctx: RepoCtx, key: ArchiveKey): Promise<FileContent | undefined> {
  const row = await findArchive(ctx.db, key)
  return row && storedContent(ctx.blobs.repoArchive, row.blob_key)
}

async function madeContent(ctx: RepoCtx, key: ArchiveKey, format: OfferedFormat): Promise<FileContent> {
  const blobKey = blobKeyOf(key)
  const underWay = archivesUnderWay(ctx)
  let work = underWay.get(blobKey)
  if (!work) {
    work = makeArchive(ctx, key, format, blobKey).finally(() => underWay.delete(blobKey))
    underWay.set(blobKey, work)
  }
  await work
  const content = await storedContent(ctx.blobs.repoArchive, blobKey)
  if (!content) throw new NotFound('the archive was removed meanwhile', 'archive_gone')
  return content
}

async function makeArchive(ctx: RepoCtx, key: ArchiveKey, format: OfferedFormat, blobKey: string): Promise<void> {
  const prefix = ctx.config.repository.prefixArchiveFiles ? `${ctx.repo.lower_name}/` : ''
  const stream = await ctx.git.archive(ctx.repo.git_key, { commit: key.commit, format, prefix })
  // How large an archive may become is git's own affair: its contents were accepted by pushes.
  await ctx.blobs.repoArchive.put(blobKey, stream, { maxBytes: Number.POSITIVE_INFINITY })
  await transaction(ctx.db, (tx) => upsertArchive(tx, key, blobKey, nowUnix(ctx.clock)))
}

/** The name an archive is offered by: repository and reference, slashes as dashes. */
export const archiveFileName = (ctx: RepoCtx, ref: string, format: OfferedFormat): string =>
  `${ctx.repo.name}-${ref.replaceAll('/', '-')}.${format}`

/** Counts a download for the tag it is of; other revisions and bundles are not counted. */
export async function countDownload(ctx: RepoCtx, archive: StoredArchive): Promise<void> {
  if (archive.revision.kind !== 'tag' || archive.format === 'bundle') return
  await transaction(ctx.db, (tx) => countArchiveDownload(tx, ctx.repo.id, archive.revision.name, archive.format))
}
