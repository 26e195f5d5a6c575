import type { Selectable } from 'kysely'
import type { CommentId, IssueId, ReactionId, RepoId, TrackedTimeId, UserId } from '../../lib/ids.ts'
import { afterInsert, bigint, flag, given, id, primaryKey, ref, table, text, unix, type TablesOf } from '../table.ts'

/** How two issues are related. */
export type RelationKind = 'parent' | 'duplicate' | 'related'

export const issueDetailTables = {
  /** Explicit subscriptions to issues, and explicit unsubscriptions. */
  issue_watch: table(
    {
      issue_id: ref<IssueId>('issue', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      is_watching: flag(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    {
      primaryKey: ['issue_id', 'user_id'],
      indexes: { issue_watch_user: '(user_id)', issue_watch_of_issue: '(issue_id, is_watching, user_id)' },
    },
  ),

  /** `dependency_id` must be closed before `issue_id`. */
  issue_dependency: table(
    {
      issue_id: ref<IssueId>('issue', 'cascade'),
      dependency_id: ref<IssueId>('issue', 'cascade'),
      user_id: bigint<UserId>(),
      created_unix: unix(),
    },
    { primaryKey: ['issue_id', 'dependency_id'], indexes: { issue_dependency_dependency: '(dependency_id)' } },
  ),

  /**
   * A relation of two issues: `issue_id` is a sub-issue of `other_id`, or a duplicate of it, or both are related (the lower id
   * first).
   */
  issue_relation: table(
    {
      issue_id: ref<IssueId>('issue', 'cascade'),
      other_id: ref<IssueId>('issue', 'cascade'),
      kind: text<RelationKind>(),
      created_unix: unix(),
    },
    {
      primaryKey: ['issue_id', 'other_id', 'kind'],
      indexes: {
        issue_relation_other: '(other_id, kind, issue_id)',
        issue_relation_parent: "unique (issue_id) where kind = 'parent'",
      },
    },
  ),

  tracked_time: table(
    {
      id: id<TrackedTimeId>(),
      issue_id: ref<IssueId>('issue', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      seconds: bigint(),
      /** Whether the time was deleted. The timeline entry still shows it. */
      is_deleted: flag(false),
      created_unix: unix(),
      /** Columns of the issue or pull request; a trigger sets them. */
      repo_id: afterInsert(bigint<RepoId>()),
      is_of_pull: afterInsert(flag()),
    },
    {
      indexes: {
        tracked_time_issue: '(issue_id, is_deleted, id, user_id, created_unix)',
        tracked_time_repo: '(repo_id, is_deleted, id, user_id, created_unix)',
        tracked_time_repo_user: '(repo_id, user_id, is_deleted, id, created_unix)',
        tracked_time_user: '(user_id, is_deleted, id, repo_id, is_of_pull, created_unix)',
        tracked_time_user_repo: '(user_id, is_deleted, repo_id, is_of_pull, created_unix)',
      },
    },
  ),

  /** A running stopwatch. An account has at most one. */
  stopwatch: table(
    {
      user_id: primaryKey(ref<UserId>('user', 'cascade')),
      issue_id: ref<IssueId>('issue', 'cascade'),
      created_unix: unix(),
    },
    { indexes: { stopwatch_issue: '(issue_id)' } },
  ),

  /** Former texts of issues (`comment_id` 0) and comments. */
  content_history: table(
    {
      id: id<number>(),
      issue_id: ref<IssueId>('issue', 'cascade'),
      comment_id: given(bigint<CommentId | 0>(0)),
      poster_id: bigint<UserId>(),
      content: text(),
      edited_unix: unix(),
      is_first: flag(),
    },
    { indexes: { content_history_issue: '(issue_id, comment_id)' } },
  ),

  reaction: table(
    {
      id: id<ReactionId>(),
      issue_id: ref<IssueId>('issue', 'cascade'),
      /** 0: a reaction to the issue itself. */
      comment_id: given(bigint<CommentId | 0>(0)),
      /** When `original_author` is set: the account that stands for people of other servers. */
      user_id: ref<UserId>('user', 'cascade'),
      /** The name on the source server of an import; empty for local accounts. */
      original_author: text(''),
      content: text(),
      created_unix: unix(),
    },
    {
      unique: [['issue_id', 'comment_id', 'user_id', 'original_author', 'content']],
      indexes: { reaction_comment: '(comment_id)', reaction_user: '(user_id)' },
    },
  ),
}

export type IssueDetailTables = TablesOf<typeof issueDetailTables>
export type ReactionRow = Selectable<IssueDetailTables['reaction']>
export type TrackedTimeRow = Selectable<IssueDetailTables['tracked_time']>
export type StopwatchRow = Selectable<IssueDetailTables['stopwatch']>
