import { Type } from 'typebox'
import type { CommentId, IssueId, LabelId, MilestoneId, Oid, PullId, RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, mentioned, oid, text } from './ids.ts'

/** Issues and pull requests share their table and numbering; `isPull` distinguishes them. */
const issue = { repoId: id<RepoId>(), issueId: id<IssueId>(), doerId: id<UserId>(), isPull: Type.Boolean() }
const comment = { ...issue, commentId: id<CommentId>() }
const pull = { repoId: id<RepoId>(), issueId: id<IssueId>(), pullId: id<PullId>(), doerId: id<UserId>() }

export const issueEvents = {
  /** A pull request also publishes `pull.opened`. */
  'issue.opened': fact({ ...issue, mentioned }),
  /** `commit`: the commit whose message closed it. */
  'issue.closed': fact({ ...issue, commit: Type.Optional(oid<Oid>()) }),
  'issue.reopened': fact(issue),
  /** Title, text, branch or due date changed; unchanged members are missing. `oldDueUnix` is 0 without a due date. */
  'issue.edited': fact({
    ...issue,
    posterId: Type.Optional(id<UserId>()),
    oldTitle: Type.Optional(text),
    oldContent: Type.Optional(text),
    oldRef: Type.Optional(Type.String()),
    oldDueUnix: Type.Optional(Type.Integer()),
    /** A relation to another issue began or ended. */
    relates: Type.Optional(Type.Boolean()),
  }),
  /** `cleared`: all labels were removed at once. */
  'issue.labelled': fact({
    ...issue,
    added: Type.Array(id<LabelId>()),
    removed: Type.Array(id<LabelId>()),
    cleared: Type.Boolean(),
  }),
  /** One account was assigned or unassigned. */
  'issue.assigned': fact({ ...issue, assigneeId: id<UserId>(), removed: Type.Boolean() }),
  /** The milestone changed; 0: none. */
  'issue.milestoned': fact({ ...issue, milestoneId: id<MilestoneId>(), oldMilestoneId: id<MilestoneId>() }),
  'issue.locked': fact({ ...issue, isLocked: Type.Boolean() }),
  'issue.pinned': fact({ ...issue, isPinned: Type.Boolean() }),
  /** Another text refers to it; for watchers. */
  'issue.referenced': fact({ ...issue, commentId: id<CommentId>() }),
  /** The row was deleted; the data describe it. */
  'issue.deleted': fact({
    ...issue,
    index: Type.Integer(),
    title: text,
    posterId: id<UserId>(),
    isClosed: Type.Boolean(),
  }),
  'issue.commented': fact({ ...comment, mentioned }),
  'comment.edited': fact({ ...comment, posterId: Type.Optional(id<UserId>()), oldContent: text }),
  /** The row was deleted; the data contain its text. */
  'comment.deleted': fact({
    ...comment,
    content: text,
    posterId: id<UserId>(),
    createdUnix: Type.Optional(Type.Integer()),
    updatedUnix: Type.Optional(Type.Integer()),
  }),
  'pull.opened': fact(pull),
  'pull.merged': fact({ ...pull, mergeCommit: oid<Oid>() }),
  /** Commits were pushed to the head branch. */
  'pull.synchronized': fact({ ...pull, old: oid<Oid>(), new: oid<Oid>() }),
}
