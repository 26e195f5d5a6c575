import type { Generated, Selectable } from 'kysely'
import type { ActId, CommentId, EventId, IssueId, ReleaseId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** What was done, in the words of the API (`op_type`). */
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

/** Who may know of an act: who reads this unit; '' for who may enter the repository at all. */
export type ActUnit = 'code' | 'issues' | 'pulls' | 'releases' | ''

/**
 * What somebody did in a repository. What it was about is told as it is now, from the rows that are named here, and the act
 * goes with them.
 */
export interface ActivityTable {
  id: Generated<ActId>
  actor_id: UserId
  repo_id: RepoId
  /** The owner of the repository, here so that the acts in all of an owner's repositories are found in their order. */
  owner_id: UserId
  kind: ActKind
  unit: ActUnit
  issue_id: IssueId | null
  comment_id: CommentId | null
  release_id: ReleaseId | null
  /** The full reference that was pushed; '' otherwise. */
  ref_name: string
  /** What cannot be read from other rows: a former name, or the commits of a push as JSON. */
  content: string
  created_unix: Unix
  /** Of what a job makes: the event and the place of the act in it, so that a second run makes none. */
  event_id: EventId | null
  ordinal: number
}

export interface ActivityTables {
  activity: ActivityTable
}

export type ActRow = Selectable<ActivityTable>
