import { Type } from 'typebox'
import type { CommentId, IssueId, LabelId, Oid, PullId, RepoId, UserId } from '../../lib/ids.ts'
import { id, oid } from './ids.ts'

/** Issues and pull requests share one row and one numbering; `isPull` tells which it is. */
const issue = { repoId: id<RepoId>(), issueId: id<IssueId>(), doerId: id<UserId>(), isPull: Type.Boolean() }
const comment = { ...issue, commentId: id<CommentId>() }
const pull = { repoId: id<RepoId>(), issueId: id<IssueId>(), pullId: id<PullId>(), doerId: id<UserId>() }

export const issueEvents = {
  /** A pull request publishes `pull.opened` beside this. */
  'issue.opened': Type.Object(issue),
  'issue.closed': Type.Object(issue),
  'issue.reopened': Type.Object(issue),
  /** The title or the text changed; what did not change is left out. */
  'issue.edited': Type.Object({
    ...issue,
    oldTitle: Type.Optional(Type.String()),
    oldContent: Type.Optional(Type.String()),
  }),
  'issue.labelled': Type.Object({ ...issue, added: Type.Array(id<LabelId>()), removed: Type.Array(id<LabelId>()) }),
  'issue.commented': Type.Object(comment),
  'comment.edited': Type.Object({ ...comment, oldContent: Type.String() }),
  /** The row is gone: what it said is here. */
  'comment.deleted': Type.Object({ ...comment, content: Type.String(), posterId: id<UserId>() }),
  'pull.opened': Type.Object(pull),
  'pull.closed': Type.Object(pull),
  'pull.merged': Type.Object({ ...pull, mergeCommit: oid<Oid>() }),
  /** Commits were pushed to the head branch. */
  'pull.synchronized': Type.Object({ ...pull, old: oid<Oid>(), new: oid<Oid>() }),
}
