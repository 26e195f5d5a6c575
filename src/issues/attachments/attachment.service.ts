import type { Ctx, RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import type { FileHolder } from '../../access/contributions/file-holder.ts'
import { mode } from '../../access/rights.ts'
import { addUpload, removeFiles } from '../../attachments/attachment-row.service.ts'
import { attachedName } from '../../attachments/attachment.rules.ts'
import { updateAttachment } from '../../attachments/attachment.store.ts'
import {
  checkedName,
  noFile,
  takeUpload,
  type ArrivedFile,
  type AttachRules,
  type Upload,
} from '../../attachments/incoming-file.service.ts'
import { addPendingFile } from '../../attachments/pending-file.service.ts'
import { transaction } from '../../db/database.ts'
import type { AttachmentRow, CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { AttachmentId } from '../../lib/ids.ts'
import { must } from '../../lib/verdict.ts'
import { findAttachmentOfIssue, listFilesOfComments } from './attachment.store.ts'
import { touchComment } from '../timeline-entry.store.ts'
import { mayAttachToComment, mayAttachToIssue, mayComment, mayEditIssue } from '../issue.policy.ts'
import { unitOf } from '../issue.rules.ts'
import { attributionAt, attributionNow, isBlockedFrom, refuseBlocked } from '../issue.service.ts'
import { findIssueById, listFilesOf, touchIssues } from '../issue.store.ts'

const noAttachment = () => new NotFound('the attachment does not exist', 'attachment_not_found')

/** The parent of a file: the text of an issue, or a comment of it. */
export interface AttachmentParent {
  readonly issue: IssueRow
  readonly comment: CommentRow | undefined
}

/**
 * Returns a file of an issue or of one of its comments; with a comment, only a file of that comment.
 * @throws NotFound
 */
export async function getAttachment(ctx: RepoCtx, parent: AttachmentParent, id: number): Promise<AttachmentRow> {
  const file = await findAttachmentOfIssue(ctx.db, parent.issue.id, id as AttachmentId)
  if (!file || (parent.comment && file.comment_id !== parent.comment.id)) throw noAttachment()
  return file
}

/** Returns the files attached to the text of an issue, oldest first, without those of comments. */
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

/** Returns the limits and types of files for issues and comments. */
const rulesOf = ({ config }: Ctx): AttachRules => ({ types: config.attachment.allowedTypes, refusal: Invalid })

/** Attaches a file. A refused upload leaves no bytes in the store. */
export async function attachFile(
  ctx: SignedInRepoCtx,
  parent: AttachmentParent,
  upload: Upload,
): Promise<AttachmentRow> {
  refuseStrangers(ctx, parent)
  return takeUpload(ctx, upload, rulesOf(ctx), async (file, { updatedAt }) => {
    if (!file) throw noFile()
    return keepFile(ctx, parent, file, updatedAt)
  })
}

/**
 * Stores a file for a comment or for the text of an issue that is being written: the text holds the file when it is saved.
 * @throws Forbidden for a viewer who may neither comment nor edit the issue
 */
export async function addFileForText(ctx: SignedInRepoCtx, issue: IssueRow, upload: Upload): Promise<AttachmentRow> {
  if (!mayEditIssue(ctx.viewer, ctx.rights, issue).allowed) {
    must(mayComment(ctx.viewer, ctx.rights, issue, await isBlockedFrom(ctx, issue)))
  }
  return addPendingFile(ctx, upload, rulesOf(ctx))
}

/**
 * Stores a file for the text of an issue or pull request that does not exist yet.
 * @throws Forbidden for a viewer whom the owner of the repository blocks
 */
export async function addFileForNewText(ctx: SignedInRepoCtx, upload: Upload): Promise<AttachmentRow> {
  await refuseBlocked(ctx, [ctx.owner.id])
  return addPendingFile(ctx, upload, rulesOf(ctx))
}

function keepFile(
  ctx: SignedInRepoCtx,
  { issue, comment }: AttachmentParent,
  file: ArrivedFile,
  updatedAt: string | undefined,
): Promise<AttachmentRow> {
  const by = attributionAt(ctx, issue, updatedAt)
  return transaction(ctx.db, async (tx) => {
    const values = {
      ...file,
      repo_id: ctx.repo.id,
      issue_id: issue.id,
      comment_id: comment?.id ?? null,
      release_id: null,
      uploader_id: by.doerId,
      created_unix: by.atUnix,
    }
    if (comment) await touchComment(tx, comment.id, by.atUnix)
    else await touchIssues(tx, [issue.id], by.atUnix)
    return addUpload(ctx, tx, values, by.doerId)
  })
}

/** Renames a file; an empty name changes nothing. */
export async function renameAttachment(
  ctx: SignedInRepoCtx,
  parent: AttachmentParent,
  file: AttachmentRow,
  name: string | undefined,
): Promise<AttachmentRow> {
  refuseStrangers(ctx, parent)
  if (attachedName(name ?? '') === '') return file
  const wanted = checkedName(name ?? '', rulesOf(ctx))
  const renamed = await transaction(ctx.db, (tx) => updateAttachment(tx, file.id, { name: wanted }))
  if (!renamed) throw noAttachment()
  return renamed
}

/** Deletes a file; its bytes are deleted after the commit. */
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

/** Anyone who may read the issue's unit may read its files. */
export const issueFiles: FileHolder = {
  async guard(db, file) {
    const issue = file.issue_id === null ? undefined : await findIssueById(db, file.issue_id)
    return issue && { scope: 'issue', mayRead: (rights) => rights.modeOf(unitOf(issue)) >= mode.read }
  },
}
