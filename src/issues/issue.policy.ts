import type { Viewer } from '../auth/viewer.ts'
import { mode, type Rights } from '../access/rights.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { UserId } from '../lib/ids.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'
import { unitOf } from './issue.rules.ts'

type Item = Pick<IssueRow, 'is_pull'>

/** Whether somebody sees an issue at all: its unit is switched on and readable, for administrators too. */
export const mayReadIssue = (rights: Rights, issue: Item): Verdict =>
  rights.modeOf(unitOf(issue)) >= mode.read ? allow : deny('the issue does not exist')

/** Write access to the unit of the item: labels, milestones, dates, dependencies, watches and everything else about it. */
export const mayManage = (rights: Rights, issue: Item): Verdict =>
  rights.modeOf(unitOf(issue)) >= mode.write ? allow : deny('only people with write access may do this')

/** Title, text, branch and state: the author and writers. */
export const mayEditIssue = (viewer: Viewer, rights: Rights, issue: IssueRow): Verdict =>
  issue.poster_id === viewer.id ? allow : mayManage(rights, issue)

/** Text of a comment, and its removal: the author and writers. */
export const mayEditComment = (viewer: Viewer, rights: Rights, issue: IssueRow, comment: CommentRow): Verdict =>
  comment.poster_id === viewer.id ? allow : mayManage(rights, issue)

/** Whether somebody may add to a conversation. `blockers`: those of the owner and the author who block the viewer. */
export function mayComment(viewer: Viewer, rights: Rights, issue: IssueRow, blockers: ReadonlySet<UserId>): Verdict {
  if (blockers.size > 0) return deny('you are blocked by the owner of the repository or the author')
  if (issue.is_locked && !mayManage(rights, issue).allowed && !viewer.isAdmin) return deny('the conversation is locked')
  return allow
}

/** Attaching to the text of an issue: its author and writers. */
export const mayAttachToIssue = (viewer: Viewer, rights: Rights, issue: IssueRow): Verdict =>
  mayEditIssue(viewer, rights, issue).allowed
    ? allow
    : deny('only the author and people with write access may attach files')

/** Files of a comment: its author, and administrators with write access to the unit. */
export const mayAttachToComment = (viewer: Viewer, rights: Rights, issue: IssueRow, comment: CommentRow): Verdict =>
  comment.poster_id === viewer.id || ((rights.isAdmin || viewer.isAdmin) && mayManage(rights, issue).allowed)
    ? allow
    : deny('only the author of the comment and administrators may attach files')
