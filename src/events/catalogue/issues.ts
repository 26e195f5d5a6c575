import { Type } from 'typebox'
import type { CommentId, IssueId, LabelId, MilestoneId, Oid, PullId, RepoId, UserId } from '../../lib/ids.ts'
import { fact } from '../fact.ts'
import { id, mentioned, oid, text } from './ids.ts'

/** Issues and pull requests share one row and one numbering; `isPull` tells which it is. */
const issue = { repoId: id<RepoId>(), issueId: id<IssueId>(), doerId: id<UserId>(), isPull: Type.Boolean() }
const comment = { ...issue, commentId: id<CommentId>() }
const pull = { repoId: id<RepoId>(), issueId: id<IssueId>(), pullId: id<PullId>(), doerId: id<UserId>() }

export const issueEvents = {
  /** A pull request publishes `pull.opened` beside this. */
  'issue.opened': fact({ ...issue, mentioned }),
  /** `commit`: the one that closed it by what its message says. */
  'issue.closed': fact({ ...issue, commit: Type.Optional(oid<Oid>()) }),
  'issue.reopened': fact(issue),
  /** Title, text, branch or due date changed; what did not change is left out. `oldDueUnix`: 0 when there was none. */
  'issue.edited': fact({
    ...issue,
    posterId: Type.Optional(id<UserId>()),
    oldTitle: Type.Optional(text),
    oldContent: Type.Optional(text),
    oldRef: Type.Optional(Type.String()),
    oldDueUnix: Type.Optional(Type.Integer()),
  }),
  /** All of `removed` without any of `added` by clearing is `cleared`. */
  'issue.labelled': fact({
    ...issue,
    added: Type.Array(id<LabelId>()),
    removed: Type.Array(id<LabelId>()),
    cleared: Type.Boolean(),
  }),
  /** One account was assigned, or is no longer. */
  'issue.assigned': fact({ ...issue, assigneeId: id<UserId>(), removed: Type.Boolean() }),
  /** The milestone changed; 0 is none. */
  'issue.milestoned': fact({ ...issue, milestoneId: id<MilestoneId>(), oldMilestoneId: id<MilestoneId>() }),
  'issue.locked': fact({ ...issue, isLocked: Type.Boolean() }),
  'issue.pinned': fact({ ...issue, isPinned: Type.Boolean() }),
  /** Another text names it; a hint for those who watch. */
  'issue.referenced': fact({ ...issue, commentId: id<CommentId>() }),
  /** The row is gone: what it was is here. */
  'issue.deleted': fact({
    ...issue,
    index: Type.Integer(),
    title: text,
    posterId: id<UserId>(),
    isClosed: Type.Boolean(),
  }),
  'issue.commented': fact({ ...comment, mentioned }),
  'comment.edited': fact({ ...comment, posterId: Type.Optional(id<UserId>()), oldContent: text }),
  /** The row is gone: what it said is here. */
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
