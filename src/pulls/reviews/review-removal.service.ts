import { removeFiles } from '../../attachments/attachment-row.service.ts'
import type { Tx } from '../../db/database.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { PullRow, ReviewRow } from '../../db/tables/pulls.ts'
import { publish } from '../../events/hub.ts'
import type { Attribution } from '../../issues/attribution.ts'
import { factsOfGoneComment } from '../../issues/issue-change.service.ts'
import { listFilesOfComments } from '../../issues/attachments/attachment.store.ts'
import type { CommentId, RepoId, UserId } from '../../lib/ids.ts'
import { factsOf } from '../pull-sync.service.ts'
import { isVerdict } from './review.rules.ts'
import {
  addToReviewCount,
  deleteComment,
  deleteReviewComments,
  deleteReviewRow,
  findNewestVerdict,
  listReviewCommentIds,
  recountComments,
  updateReview,
  wasDismissed,
} from './review.store.ts'

/**
 * Deletes a review with its comments and restores the reviewer's preceding verdict, unless that was dismissed.
 * @returns false, without a change, when the review does not exist
 */
export async function removeReview(tx: Tx, by: Attribution, pull: PullRow, review: ReviewRow): Promise<boolean> {
  // Comments have no foreign key to their review, so they are deleted separately.
  if (!(await deleteReviewRow(tx, review.id))) return false
  await removeFilesOf(tx, by, pull.repo_id, await listReviewCommentIds(tx, review.id))
  const entries = await deleteReviewComments(tx, review.id)
  await addToReviewCount(tx, pull.id, -entries)
  const reviewerId = review.reviewer_id
  if (reviewerId !== null && review.is_official && isVerdict(review.type)) {
    const before = await findNewestVerdict(tx, pull.issue_id, reviewerId)
    if (before && !(await wasDismissed(tx, before.id))) {
      await updateReview(tx, before.id, { is_official: true, is_dismissed: false })
    }
  }
  await recountComments(tx, pull.issue_id, by.atUnix)
  if (review.type === 'pending') return true
  await publish(tx, 'review.deleted', {
    ...factsOf(pull, by.doerId),
    reviewId: review.id,
    reviewerId: reviewerId ?? (0 as UserId),
  })
  return true
}

/** Deletes the files of comments, whose rows would go with the comments without their content. */
async function removeFilesOf(tx: Tx, by: Attribution, repoId: RepoId, commentIds: readonly CommentId[]): Promise<void> {
  const files = await listFilesOfComments(tx, commentIds)
  await removeFiles(
    tx,
    repoId,
    files.map((file) => file.id),
    by.doerId,
  )
}

/** Deletes a line comment; false when it does not exist. */
export async function removeLineComment(
  tx: Tx,
  by: Attribution,
  issue: IssueRow,
  comment: CommentRow,
  { isPending }: { readonly isPending: boolean },
): Promise<boolean> {
  await removeFilesOf(tx, by, issue.repo_id, [comment.id])
  if (!(await deleteComment(tx, comment.id))) return false
  // Comments of a pending review cause no events.
  if (isPending) return true
  await recountComments(tx, issue.id, by.atUnix)
  await publish(tx, 'comment.deleted', factsOfGoneComment(issue, comment, by))
  return true
}
