import type { Generated, Selectable } from 'kysely'
import type { ActId, CommentId, EventId, IssueId, ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

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

/**
 * An activity in a repository. Answers show the current state of the rows that it references. The activity is deleted
 * with them.
 */
export interface ActivityTable {
  id: Generated<ActId>
  actor_id: UserId
  repo_id: RepoId
  /** The repository's owner, copied here so that an index orders the activities of all repositories of an owner. */
  owner_id: UserId
  kind: ActKind
  unit: ActUnit
  issue_id: IssueId | null
  comment_id: CommentId | null
  release_id: ReleaseId | null
  /** The full name of the pushed reference; '' for other kinds. */
  ref_name: string
  /** Data that no other row holds: a former name, or the commits of a push as JSON. */
  content: string
  created_unix: Unix
  /** The event, and the position of the activity in it. They make the job that inserts it idempotent. */
  event_id: EventId | null
  ordinal: number
}

export interface ActivityTables {
  activity: ActivityTable
}

export type ActRow = Selectable<ActivityTable>
