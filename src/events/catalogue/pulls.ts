import { Type } from 'typebox'
import type { CommentId, IssueId, PullId, RepoId, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, mentioned } from './ids.ts'

const pull = { repoId: id<RepoId>(), issueId: id<IssueId>(), pullId: id<PullId>(), doerId: id<UserId>() }
const review = { ...pull, reviewId: id<ReviewId>() }

/** What only pull requests have; `pull.opened`, `pull.merged` and `pull.synchronized` are with the issues' events. */
export const pullEvents = {
  /** It aims at another branch. */
  'pull.retargeted': fact({ ...pull, oldBase: Type.String(), newBase: Type.String() }),
  /** Its title no longer says that it is a draft. */
  'pull.readied': fact(pull),
  /** A merge waits for checks, or waits no longer (unless it was made). */
  'pull.mergeScheduled': fact({ ...pull, isCancelled: Type.Boolean() }),
  /** A pending one that was handed in, too; pending ones themselves publish nothing. */
  'review.submitted': fact({
    ...review,
    type: Type.Unsafe<'comment' | 'approve' | 'reject'>({ type: 'string', enum: ['comment', 'approve', 'reject'] }),
    mentioned,
  }),
  /** Somebody, or a team, was asked for a review, or is asked no longer. */
  'review.requested': fact({
    ...pull,
    reviewerId: Type.Optional(id<UserId>()),
    teamId: Type.Optional(id<TeamId>()),
    removed: Type.Boolean(),
    commentId: id<CommentId>(),
  }),
  'review.dismissed': fact({ ...review, reviewerId: id<UserId>(), commentId: id<CommentId>() }),
  /** The row is gone, with its comments. */
  'review.deleted': fact({ ...review, reviewerId: id<UserId>() }),
}
