import { randomUUID } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Ctx, RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { mode } from '../../access/rights.ts'
import { transaction } from '../../db/database.ts'
import type { AttachmentRow, CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { sniffBytes, sniffContentType } from '../../lib/content-type.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { AttachmentId, RepoId } from '../../lib/ids.ts'
import { must } from '../../lib/verdict.ts'
import { addFile, removeFiles } from './attachment-row.service.ts'
import { allowedTypes, mayAttach } from './attachment.rules.ts'
import {
  countDownload,
  findAttachmentByUuid,
  findAttachmentOfIssue,
  listFilesOfComments,
  updateAttachmentName,
} from './attachment.store.ts'
import { touchComment } from '../timeline-entry.store.ts'
import { mayAttachToComment, mayAttachToIssue } from '../issue.policy.ts'
import { unitOf } from '../issue.rules.ts'
import { attributionAt, attributionNow } from '../issue.service.ts'
import { findIssueById, listFilesOf, touchIssues } from '../issue.store.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'

const noAttachment = () => new NotFound('the attachment does not exist', 'attachment_not_found')

/** Where a file is attached: to the text of an issue, or to a comment of it. */
export interface AttachmentParent {
  readonly issue: IssueRow
  readonly comment: CommentRow | undefined
}

/** A file of an issue or of one of its comments; with a comment only of that one. Else 404. */
export async function getAttachment(ctx: RepoCtx, parent: AttachmentParent, id: number): Promise<AttachmentRow> {
  const file = await findAttachmentOfIssue(ctx.db, parent.issue.id, id as AttachmentId)
  if (!file || (parent.comment && file.comment_id !== parent.comment.id)) throw noAttachment()
  return file
}

/** Files of the text of an issue, oldest first; not those of its comments. */
export const getFilesOfIssue = (ctx: Ctx, issue: IssueRow): Promise<readonly AttachmentRow[]> =>
  listFilesOf(ctx.db, issue.id)

export const getFilesOfComment = (ctx: Ctx, comment: CommentRow): Promise<AttachmentRow[]> =>
  listFilesOfComments(ctx.db, [comment.id])

function refuseStrangers(ctx: SignedInRepoCtx, { issue, comment }: AttachmentParent): void {
  must(
    comment
      ? mayAttachToComment(ctx.viewer, ctx.rights, issue, comment)
      : mayAttachToIssue(ctx.viewer, ctx.rights, issue),
  )
}

/** A file that has arrived in the store. */
interface Arrived {
  readonly uuid: string
  readonly blobKey: string
  readonly name: string
  readonly sizeBytes: number
  readonly sha256: string
}

/** The part of a path after its last slash of either kind, without control characters. */
const baseName = (name: string): string =>
  name
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255)

const blobKeyOf = (repoId: RepoId, uuid: string): string => `${repoId}/${uuid.slice(0, 2)}/${uuid}`

const mebibyte = 1024 * 1024

/**
 * Takes a file into the store of attachments while it arrives: its kind is looked at by its name or its first bytes
 * (`Invalid` when it is not allowed), and it may be as large as `[attachment].MAX_SIZE` says (`TooLarge`).
 */
export async function storeFile(
  ctx: Ctx,
  repo: RepoRow,
  file: IncomingFile,
  types: string,
  signal: AbortSignal,
): Promise<Arrived> {
  const name = baseName(file.name)
  if (name === '') throw new Invalid('[name]: the file has no name', 'attachment_nameless', { field: 'name' })
  const content = new PassThrough()
  const passing = pipeline(file.content, content)
  passing.catch(() => {})
  const head = await firstBytes(content)
  if (!mayAttach(allowedTypes(types), name, sniffContentType(head))) {
    content.destroy()
    throw new Invalid('[attachment]: files of this kind are not allowed', 'attachment_type', { field: 'attachment' })
  }
  const uuid = randomUUID()
  const blobKey = blobKeyOf(repo.id, uuid)
  const { sizeBytes, sha256 } = await ctx.blobs.attachments.put(blobKey, content, {
    maxBytes: ctx.config.attachment.maxSize * mebibyte,
    signal,
  })
  await passing
  return { uuid, blobKey, name, sizeBytes, sha256 }
}

/** What a stream begins with, put back so that it can be read from its beginning. */
async function firstBytes(stream: PassThrough): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  while (size < sniffBytes) {
    const chunk = stream.read() as Buffer | null
    if (chunk) {
      chunks.push(chunk)
      size += chunk.length
      continue
    }
    if (stream.readableEnded || stream.destroyed || stream.writableFinished) break
    await new Promise<void>((resolve, reject) => {
      const done = () => {
        stream.off('readable', done).off('end', done).off('error', failed).off('finish', done)
        resolve()
      }
      const failed = (error: Error) => {
        stream.off('readable', done).off('end', done).off('finish', done)
        reject(error)
      }
      stream.once('readable', done).once('end', done).once('error', failed).once('finish', done)
    })
  }
  const head = Buffer.concat(chunks)
  if (head.length > 0) stream.unshift(head)
  return head
}

/** A file that comes in. */
export interface IncomingFile {
  readonly name: string
  readonly content: Readable
}

/** What somebody sends to be attached. */
export interface Upload {
  /** Hands over the file when it arrives, if there is one. Gives the time that the act is to count as done at, if one is said. */
  receive(
    maxFileBytes: number,
    take: (file: IncomingFile) => Promise<void>,
  ): Promise<{ readonly updatedAt: string | undefined }>
  readonly signal: AbortSignal
}

/** Attaches a file. Whatever is refused after it has arrived leaves nothing in the store. */
export async function attachFile(
  ctx: SignedInRepoCtx,
  parent: AttachmentParent,
  upload: Upload,
): Promise<AttachmentRow> {
  refuseStrangers(ctx, parent)
  const { allowedTypes: types, maxSize } = ctx.config.attachment
  const arrived: Arrived[] = []
  try {
    const { updatedAt } = await upload.receive(maxSize * mebibyte, async (incoming) => {
      arrived.push(await storeFile(ctx, ctx.repo, incoming, types, upload.signal))
    })
    const [file] = arrived
    if (!file) throw new BadRequest('the request holds no file in the field attachment', 'attachment_missing')
    return await keepFile(ctx, parent, file, updatedAt)
  } catch (error) {
    for (const file of arrived) await ctx.blobs.attachments.delete(file.blobKey)
    throw error
  }
}

function keepFile(
  ctx: SignedInRepoCtx,
  { issue, comment }: AttachmentParent,
  file: Arrived,
  updatedAt: string | undefined,
): Promise<AttachmentRow> {
  const by = attributionAt(ctx, issue, updatedAt)
  return transaction(ctx.db, async (tx) => {
    const values = {
      uuid: file.uuid,
      repo_id: ctx.repo.id,
      issue_id: issue.id,
      comment_id: comment?.id ?? null,
      release_id: null,
      uploader_id: by.doerId,
      name: file.name,
      size_bytes: file.sizeBytes,
      blob_key: file.blobKey,
      sha256: file.sha256,
      created_unix: by.atUnix,
    }
    if (comment) await touchComment(tx, comment.id, by.atUnix)
    else await touchIssues(tx, [issue.id], by.atUnix)
    return addFile(tx, values, by.doerId)
  })
}

/** Gives a file another name; an empty one changes nothing. */
export async function renameAttachment(
  ctx: SignedInRepoCtx,
  parent: AttachmentParent,
  file: AttachmentRow,
  name: string | undefined,
): Promise<AttachmentRow> {
  refuseStrangers(ctx, parent)
  const wanted = baseName(name ?? '')
  if (wanted === '') return file
  if (!mayAttach(allowedTypes(ctx.config.attachment.allowedTypes), wanted, 'application/octet-stream')) {
    throw new Invalid('[name]: files of this kind are not allowed', 'attachment_type', { field: 'name' })
  }
  const renamed = await transaction(ctx.db, (tx) => updateAttachmentName(tx, file.id, wanted))
  if (!renamed) throw noAttachment()
  return renamed
}

/** Removes a file; its bytes go after the commit. */
export async function deleteAttachment(
  ctx: SignedInRepoCtx,
  parent: AttachmentParent,
  file: AttachmentRow,
): Promise<void> {
  refuseStrangers(ctx, parent)
  const by = attributionNow(ctx)
  await transaction(ctx.db, async (tx) => {
    const [gone] = await removeFiles(tx, file.repo_id, [file.id], by.doerId)
    if (!gone) throw noAttachment()
  })
}

/**
 * A file that somebody wants to download, by its public id: readable by whoever reads the unit of what it belongs to,
 * and, before it belongs to anything, by whoever uploaded it. Else 404.
 */
export async function getDownload(ctx: Ctx, uuid: string): Promise<AttachmentRow> {
  const file = /^[\da-f-]{36}$/i.test(uuid) ? await findAttachmentByUuid(ctx.db, uuid.toLowerCase()) : undefined
  if (!file) throw noAttachment()
  const repoWithOwner = (await loadReposWithOwners(ctx.db, [file.repo_id])).get(file.repo_id)
  if (!repoWithOwner) throw noAttachment()
  const { rights } = await accessTo(ctx.db, ctx.viewer, repoWithOwner.owner, repoWithOwner.repo)
  const issue = file.issue_id === null ? undefined : await findIssueById(ctx.db, file.issue_id)
  const unit = issue ? unitOf(issue) : file.release_id === null ? undefined : 'releases'
  const mayRead = unit ? rights.modeOf(unit) >= mode.read : file.uploader_id === ctx.viewer?.id
  if (!mayRead || rights.isWithheld) throw noAttachment()
  return file
}

/** The bytes of a file from a place on, as they are read. */
export async function openFile(
  ctx: Ctx,
  file: AttachmentRow,
  range?: { start: number; end: number },
): Promise<Readable> {
  const content = await ctx.blobs.attachments.get(
    file.blob_key,
    range ? { range: { start: range.start, end: range.end - 1 } } : {},
  )
  if (!content) throw noAttachment()
  return content.stream
}

export async function countOneDownload(ctx: Ctx, file: AttachmentRow): Promise<void> {
  await transaction(ctx.db, (tx) => countDownload(tx, file.id))
}
