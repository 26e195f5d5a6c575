import type { Viewer } from '../auth/viewer.ts'
import { mode, type Rights } from '../access/rights.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { unitOf } from './issue.rules.ts'

type Item = Pick<IssueRow, 'is_pull'>

/** Allows reading an issue when its unit is enabled and readable. Administrators need the unit as well. */
export const mayReadIssue = (rights: Rights, issue: Item): Verdict =>
  rights.modeOf(unitOf(issue)) >= mode.read ? allow : deny('issue_not_found', 'the issue does not exist')

/** Allows management of an issue (labels, milestone, dates, dependencies, subscriptions) with write access to its unit. */
export const mayManage = (rights: Rights, issue: Item): Verdict =>
  rights.modeOf(unitOf(issue)) >= mode.write
    ? allow
    : deny('write_access_needed', 'only people with write access may do this')

/** Allows the author and writers to change title, text, branch and state. */
export const mayEditIssue = (viewer: Viewer, rights: Rights, issue: IssueRow): Verdict =>
  issue.poster_id === viewer.id || mayManage(rights, issue).allowed
    ? allow
    : deny('edit_forbidden', 'only the author and people with write access may edit this')

/** Allows the author and writers to edit and delete a comment. */
export const mayEditComment = (viewer: Viewer, rights: Rights, issue: IssueRow, comment: CommentRow): Verdict =>
  comment.poster_id === viewer.id || mayManage(rights, issue).allowed
    ? allow
    : deny('comment_of_other', 'only the author and people with write access may edit or delete this')

/**
 * Allows a comment or reaction.
 * @param blockers accounts that block the viewer, out of the repository's owner and the author
 */
export function mayComment(viewer: Viewer, rights: Rights, issue: IssueRow, isBlocked: boolean): Verdict {
  if (isBlocked) return deny('blocked', 'you are blocked by the owner of the repository or the author')
  if (issue.is_locked && !mayManage(rights, issue).allowed && !viewer.isAdmin) {
    return deny('issue_locked', 'the conversation is locked')
  }
  return allow
}

/** Allows the author and writers to attach files to the text of an issue. */
export const mayAttachToIssue = (viewer: Viewer, rights: Rights, issue: IssueRow): Verdict =>
  mayEditIssue(viewer, rights, issue).allowed
    ? allow
    : deny('attach_forbidden', 'only the author and people with write access may attach files')

/** Allows the author of a comment, and administrators with write access to the unit, to attach files to the comment. */
export const mayAttachToComment = (viewer: Viewer, rights: Rights, issue: IssueRow, comment: CommentRow): Verdict =>
  comment.poster_id === viewer.id || ((rights.isAdmin || viewer.isAdmin) && mayManage(rights, issue).allowed)
    ? allow
    : deny('attach_to_comment_forbidden', 'only the author of the comment and administrators may attach files')
