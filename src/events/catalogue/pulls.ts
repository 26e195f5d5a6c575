import { Type } from 'typebox'
import type { CommentId, IssueId, PullId, RepoId, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, mentioned } from './ids.ts'

const pull = { repoId: id<RepoId>(), issueId: id<IssueId>(), pullId: id<PullId>(), doerId: id<UserId>() }
const review = { ...pull, reviewId: id<ReviewId>() }

/** Events of pull requests only; `pull.opened`, `pull.merged` and `pull.synchronized` are among the issue events. */
export const pullEvents = {
  /** The base branch changed. */
  'pull.retargeted': fact({ ...pull, oldBase: Type.String(), newBase: Type.String() }),
  /** It stopped being a draft. */
  'pull.readied': fact(pull),
  /** An automatic merge was scheduled or cancelled. */
  'pull.mergeScheduled': fact({ ...pull, isCancelled: Type.Boolean() }),
  /** Also a pending review that was submitted; pending reviews publish nothing. */
  'review.submitted': fact({
    ...review,
    type: Type.Unsafe<'comment' | 'approve' | 'reject'>({ type: 'string', enum: ['comment', 'approve', 'reject'] }),
    mentioned,
  }),
  /** A review was requested from an account or team, or the request was withdrawn. */
  'review.requested': fact({
    ...pull,
    reviewerId: Type.Optional(id<UserId>()),
    teamId: Type.Optional(id<TeamId>()),
    removed: Type.Boolean(),
    commentId: id<CommentId>(),
  }),
  'review.dismissed': fact({ ...review, reviewerId: id<UserId>(), commentId: id<CommentId>() }),
  /** A conversation on a line was resolved, or opened again; the comment is its first one. */
  'review.resolved': fact({ ...pull, commentId: id<CommentId>(), isResolved: Type.Boolean() }),
  /** The row and its comments were deleted. */
  'review.deleted': fact({ ...review, reviewerId: id<UserId>() }),
}
