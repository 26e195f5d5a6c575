import type { Viewer } from '../auth/viewer.ts'
import { mode, type Rights } from '../access/rights.ts'
import type { CommentRow, IssueRow } from '../db/tables/issues.ts'
import type { UserId } from '../lib/ids.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** The unit whose rights count for an issue or pull request. */
export const unitOf = (issue: { readonly is_pull: boolean }): 'issues' | 'pulls' => (issue.is_pull ? 'pulls' : 'issues')

/** Whether somebody sees an issue at all: its unit is switched on and readable, for administrators too. */
export const mayReadIssue = (rights: Rights, issue: { readonly is_pull: boolean }): boolean =>
  rights.modeOf(unitOf(issue)) >= mode.read

/** Write access to the unit of the item: whoever has it may change everything about it. */
export const isWriter = (rights: Rights, issue: { readonly is_pull: boolean }): boolean =>
  rights.modeOf(unitOf(issue)) >= mode.write

/** Title, text, branch and state: the author and writers. */
export const mayEditIssue = (viewer: Viewer, rights: Rights, issue: IssueRow): boolean =>
  issue.poster_id === viewer.id || isWriter(rights, issue)

/** Text of a comment, and its removal: the author and writers. */
export const mayEditComment = (viewer: Viewer, rights: Rights, issue: IssueRow, comment: CommentRow): boolean =>
  comment.poster_id === viewer.id || isWriter(rights, issue)

/** Whether somebody may add to a conversation. `blockers`: who of the owner and the author blocks the viewer. */
export function mayComment(viewer: Viewer, rights: Rights, issue: IssueRow, blockers: ReadonlySet<UserId>): Verdict {
  if (blockers.size > 0) return deny('you are blocked by the owner of the repository or the author')
  if (issue.is_locked && !isWriter(rights, issue) && !viewer.isAdmin) return deny('the conversation is locked')
  return allow
}

/** Labels, milestones, dates, dependencies, watches. */
export const mayManage = (rights: Rights, issue: { readonly is_pull: boolean }): Verdict =>
  isWriter(rights, issue) ? allow : deny('only those who may write may do this')

/** Attaching to the text of an issue: its author and writers. */
export const mayAttachToIssue = (viewer: Viewer, rights: Rights, issue: IssueRow): Verdict =>
  mayEditIssue(viewer, rights, issue) ? allow : deny('only the author and those who may write may attach files')

/** Attaching to a comment: its author or an administrator, who besides may write (contract, issues: access). */
export const mayAttachToComment = (viewer: Viewer, rights: Rights, issue: IssueRow, comment: CommentRow): Verdict =>
  (comment.poster_id === viewer.id || rights.isAdmin || viewer.isAdmin) && isWriter(rights, issue)
    ? allow
    : deny('only the author of the comment may attach files, when he may write')
