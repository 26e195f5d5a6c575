import type { AttachmentRow, CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { AroundIssues } from '../../issues/issue.store.ts'
import type { IssueChoices } from '../../issues/lists/query-list.service.ts'
import type { SeenRelation } from '../../issues/relations/relation.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import type { ReactionCount, TimelinePart } from '../../issues/timeline/timeline-view.service.ts'
import { pathOf, withQuery } from '../ui/paths.ts'

/** What the page of an issue or pull request shows. */
export interface ConversationProps {
  readonly repository: RepoWithOwner
  readonly issue: IssueRow
  readonly timeline: TimelinePart
  readonly files: readonly AttachmentRow[]
  /** Reactions and rendered texts by comment; 0 is the text of the issue or pull request. */
  readonly reactions: ReadonlyMap<number, readonly ReactionCount[]>
  readonly texts: ReadonlyMap<number, string>
  readonly around: AroundIssues
  readonly side: {
    /** Undefined: the viewer may not change labels, milestone and assignees. */
    readonly choices: IssueChoices | undefined
    readonly hasDependencies: boolean
    readonly dependencies: readonly IssueRow[]
    readonly blocked: readonly IssueRow[]
    readonly relations: readonly SeenRelation[]
    /** Undefined for guests. */
    readonly isSubscribed: boolean | undefined
    readonly time: { readonly seconds: number; readonly isRunning: boolean; readonly mayAdd: boolean } | undefined
    readonly mayAdmin: boolean
    readonly mayLock: boolean
  }
  readonly may: {
    readonly edit: boolean
    readonly comment: boolean
    /** The code of the denial of a comment. */
    readonly refusal: string | undefined
    readonly attach: boolean
    readonly editComment: (comment: CommentRow) => boolean
  }
  /** Anchor of the text that is shown as a form, or `title`. */
  readonly editing: string | undefined
  /** The page shows entries before the newest. */
  readonly isEarlier: boolean
}

/** Returns the path of the page of an issue or pull request. */
export const conversationPath = ({ owner, repo }: RepoWithOwner, issue: Pick<IssueRow, 'index' | 'is_pull'>): string =>
  pathOf(owner.name, repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index)

/** Returns paths of acts on an issue or pull request. */
export const issueAt =
  ({ owner, repo }: RepoWithOwner, { index }: Pick<IssueRow, 'index'>) =>
  (...parts: readonly (string | number)[]): string =>
    pathOf(owner.name, repo.name, 'issues', index, ...parts)

/** Returns a text that differs when an issue or pull request has changed. */
export const markOf = ({ updated_unix: updatedUnix, num_comments: count }: IssueRow): string =>
  `${updatedUnix}.${count}`

/** Returns the path of the stream that tells a page of changes, also of those between the page and the stream. */
export const livePath = (repository: RepoWithOwner, issue: IssueRow): string =>
  withQuery(issueAt(repository, issue)('live'), { seen: markOf(issue) })
