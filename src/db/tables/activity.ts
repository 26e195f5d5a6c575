import type { Selectable } from 'kysely'
import type { ActId, CommentId, EventId, IssueId, ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import { bigint, id, integer, nullable, ref, table, text, unix, type TablesOf } from '../table.ts'

/** The kinds of activity; the values of the API's `op_type`. */
export const actKinds = [
  'create_repo',
  'rename_repo',
  'transfer_repo',
  'commit_repo',
  'delete_branch',
  'push_tag',
  'delete_tag',
  'create_issue',
  'close_issue',
  'reopen_issue',
  'comment_issue',
  'create_pull_request',
  'close_pull_request',
  'reopen_pull_request',
  'merge_pull_request',
  'pull_request_ready_for_review',
  'comment_pull',
  'approve_pull_request',
  'reject_pull_request',
  'pull_review_dismissed',
  'publish_release',
] as const
export type ActKind = (typeof actKinds)[number]

/** The unit whose readers see the activity; '' for everyone who can access the repository. */
export type ActUnit = 'code' | 'issues' | 'pulls' | 'releases' | ''

export const activityTables = {
  /**
   * An activity in a repository. Answers show the current state of the rows that it references. The activity is deleted
   * with them.
   */
  activity: table(
    {
      id: id<ActId>(),
      actor_id: ref<UserId>('user', 'cascade'),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** The repository's owner, copied here so that an index orders the activities of all repositories of an owner. */
      owner_id: bigint<UserId>(),
      kind: text<ActKind>(),
      unit: text<ActUnit>(),
      issue_id: nullable(ref<IssueId>('issue', 'cascade')),
      comment_id: nullable(ref<CommentId>('comment', 'cascade')),
      release_id: nullable(ref<ReleaseId>('release', 'cascade')),
      /** The full name of the pushed reference; '' for other kinds. */
      ref_name: text(),
      /** Data that no other row holds: a former name, or the commits of a push as JSON. */
      content: text(),
      created_unix: unix(),
      /** The event, and the position of the activity in it. They find the activity to which a job adds its commits. */
      event_id: nullable(bigint<EventId>()),
      ordinal: integer(),
    },
    {
      indexes: {
        activity_actor: '(actor_id, created_unix, id, repo_id, unit, owner_id)',
        activity_owner: '(owner_id, created_unix, id, repo_id, unit, actor_id)',
        activity_repo: '(repo_id, created_unix, id, unit, actor_id)',
        activity_repo_release: '(repo_id, created_unix, id, unit, actor_id) where release_id is not null',
        activity_issue: '(issue_id) where issue_id is not null',
        activity_comment: '(comment_id) where comment_id is not null',
        activity_release: '(release_id) where release_id is not null',
        activity_time: '(created_unix)',
        activity_event: 'unique (event_id, ordinal) where event_id is not null',
        activity_actor_repo: '(actor_id, repo_id)',
        activity_owner_repo: '(owner_id, repo_id)',
      },
    },
  ),
}

export type ActivityTables = TablesOf<typeof activityTables>
export type ActRow = Selectable<ActivityTables['activity']>
