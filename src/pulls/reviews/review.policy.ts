import type { Rights } from '../../access/rights.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { mayManage } from '../../issues/issue.policy.ts'
import { allow, deny, type Verdict } from '../../lib/verdict.ts'

/** The relations of an account to a pull request that decide whether it may request reviews. */
export interface ReviewRequester {
  readonly isPoster: boolean
  readonly isOwner: boolean
  readonly isCollaborator: boolean
  /** Member of a team with read access to the repository's pull requests. */
  readonly isOnTeam: boolean
}

/** The author, the owner, each collaborator and members of teams with read access may (contract, pulls: requests). */
export const mayAskForReview = (asker: ReviewRequester): Verdict =>
  asker.isPoster || asker.isOwner || asker.isCollaborator || asker.isOnTeam
    ? allow
    : deny('review_request_refused', 'you may not request reviews here')

/** Allows the author of the pull request, the author of the conversation's first comment, and writers to resolve it. */
export const mayResolve = (
  viewer: Viewer,
  rights: Rights,
  issue: IssueRow,
  first: Pick<CommentRow, 'poster_id'>,
): Verdict =>
  viewer.id === issue.poster_id || viewer.id === first.poster_id || mayManage(rights, issue).allowed
    ? allow
    : deny('resolve_forbidden', 'only the authors and people with write access may resolve a conversation')
