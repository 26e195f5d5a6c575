import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import type { SignedInRepoCtx } from '../../access/context.ts'
import { addFile } from '../../attachments/attachment-row.service.ts'
import { storeFile, type ArrivedFile, type IncomingFile } from '../../attachments/incoming-file.service.ts'
import type { Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { Invalid, OverQuota, Refusal } from '../../lib/errors.ts'
import { addComment } from './comment.service.ts'

/** A comment that is created together with its files. */
export interface CommentWithFiles {
  readonly body: string
  readonly files: readonly IncomingFile[]
  readonly signal: AbortSignal
  /** Runs in the transaction of the comment; an error undoes the comment. */
  readonly beside: (tx: Tx, comment: CommentRow) => Promise<void>
}

/**
 * Adds a comment with files in one transaction. It omits files of a refused type and those above the limit, and keeps the
 * comment. Errors are those of `addComment`.
 */
export async function addCommentWithFiles(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  { body, files, signal, beside }: CommentWithFiles,
): Promise<CommentRow> {
  const stored = await storeAllowed(ctx, files, signal)
  try {
    return await addComment(ctx, issue, {
      body,
      updatedAt: undefined,
      async beside(tx, comment) {
        // `[attachment].MAX_FILES` limits the loop; each file writes an event and adds to the storage usage.
        for (const file of stored) {
          const owner = { repo_id: ctx.repo.id, issue_id: issue.id, comment_id: comment.id, release_id: null }
          const by = { uploader_id: ctx.viewer.id, created_unix: comment.created_unix }
          await addFile(tx, { ...file, ...owner, ...by }, ctx.viewer.id)
        }
        await beside(tx, comment)
      },
    })
  } catch (error) {
    for (const { blob_key: key } of stored) await ctx.blobs.attachments.delete(key)
    throw error
  }
}

async function storeAllowed(
  ctx: SignedInRepoCtx,
  files: readonly IncomingFile[],
  signal: AbortSignal,
): Promise<ArrivedFile[]> {
  const { attachment } = ctx.config
  const stored: ArrivedFile[] = []
  if (!attachment.enabled) return stored
  for (const file of files.slice(0, attachment.maxFiles)) {
    try {
      await refuseOverQuota(ctx, ctx.owner, 'size:assets:attachments:issues')
      stored.push(await storeFile(ctx, file, { types: attachment.allowedTypes, refusal: Invalid }, signal))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error instanceof OverQuota) break
    }
  }
  return stored
}
