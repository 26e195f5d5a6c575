import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { ReviewRow } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import { claimShownFiles } from '../../issues/attachments/shown-files.service.ts'
import { editComment } from '../../issues/comments/comment.service.ts'
import { mayEditComment } from '../../issues/issue.policy.ts'
import { attributionNow, noIssue } from '../../issues/issue.service.ts'
import { updateCommentText } from '../../issues/timeline-entry.store.ts'
import { Conflict, NotFound } from '../../lib/errors.ts'
import type { ReviewId } from '../../lib/ids.ts'
import { must } from '../../lib/verdict.ts'
import { factsOf } from '../pull-sync.service.ts'
import type { PullPair } from '../pull.store.ts'
import { mayResolve } from './review.policy.ts'
import { maySeeReview, removeCodeComment } from './review.service.ts'
import { findReview, setResolver, updateReview } from './review.store.ts'
import type { Thread } from './thread.service.ts'

/**
 * Returns the review of a line comment or of a summary; undefined when an import brought none.
 * @throws NotFound when the viewer may not read code, or may not see the review
 */
export async function getReviewOfText(
  ctx: RepoCtx,
  issue: IssueRow,
  comment: CommentRow,
): Promise<ReviewRow | undefined> {
  if (!ctx.rights.canRead('code')) throw noIssue()
  if (comment.review_id === null) return undefined
  const review = await findReview(ctx.db, issue.id, comment.review_id as ReviewId)
  if (!review || !maySeeReview(ctx, review)) throw noIssue()
  return review
}

/** Changes the text of a line comment or of the summary of a review. Nobody learns of changes of a pending review. */
export async function editReviewText(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  comment: CommentRow,
  body: string,
): Promise<void> {
  const review = await getReviewOfText(ctx, issue, comment)
  must(mayEditComment(ctx.viewer, ctx.rights, issue, comment))
  if (review?.type === 'pending') {
    const by = attributionNow(ctx)
    await transaction(ctx.db, async (tx) => {
      const edited = await updateCommentText(tx, comment.id, body, by.atUnix)
      if (!edited) throw new NotFound('the comment does not exist', 'comment_not_found')
      await claimShownFiles(tx, by.doerId, issue, edited)
    })
    return
  }
  await editComment(ctx, issue, comment, {
    body,
    updatedAt: undefined,
    beside: async (tx) => {
      if (review && comment.type === 'review') await updateReview(tx, review.id, { content: body })
    },
  })
}

/** Deletes a line comment. @throws Conflict for the summary of a review, which is deleted with the review */
export async function removeReviewText(ctx: SignedInRepoCtx, pair: PullPair, comment: CommentRow): Promise<void> {
  const review = await getReviewOfText(ctx, pair.issue, comment)
  if (comment.type !== 'code') throw new Conflict('the summary belongs to its review', 'review_summary')
  await removeCodeComment(ctx, pair, review, comment)
}

/** Marks a conversation on a line as resolved, or opens it again. A later comment opens it too. */
export async function setResolved(
  ctx: SignedInRepoCtx,
  { pull, issue }: PullPair,
  thread: Thread,
  isResolved: boolean,
): Promise<void> {
  const rows = thread.comments.map(({ row }) => row)
  const [first] = rows
  if (!first) throw noIssue()
  must(mayResolve(ctx.viewer, ctx.rights, issue, first))
  if (thread.isResolved === isResolved) return
  await transaction(ctx.db, async (tx) => {
    await setResolver(
      tx,
      rows.map(({ id }) => id),
      isResolved ? ctx.viewer.id : null,
    )
    await publish(tx, 'review.resolved', { ...factsOf(pull, ctx.viewer.id), commentId: first.id, isResolved })
  })
}
