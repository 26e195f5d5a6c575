import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type { IssueId, Oid, PullId, RepoId, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/**
 * Whether a pull request can be merged. `checking`: not known yet; `empty`: it changes nothing; `ancestor`: the base
 * contains it; `manual`: it was merged by hand; `error`: the check failed.
 */
export const checkStates = ['checking', 'mergeable', 'conflict', 'empty', 'ancestor', 'manual', 'error'] as const
export type CheckState = (typeof checkStates)[number]

/** Pull requests; their other columns are in `issue`. */
export interface PullTable {
  id: Generated<PullId>
  issue_id: IssueId
  /** The base repository; equals the repository of the issue. */
  repo_id: RepoId
  index: number
  base_branch: string
  /** The repository of the head branch; null after its deletion. */
  head_repo_id: RepoId | null
  head_branch: string
  /** 1: pushed to `refs/for/`, without a branch; 0: from a branch. */
  flow: Generated<0 | 1>
  /** The head of the branch. The transaction that records a push updates it. */
  head_oid: Oid
  /** The commit that `refs/pull/N/head`, the timeline and the reviews reflect. */
  synced_oid: Oid
  /** The merge base at the last check; '' for unrelated histories. */
  merge_base: Oid | ''
  check_state: CheckState
  /** Counts the requested checks. The result of an older version is discarded. */
  check_version: Generated<number>
  additions: Generated<number>
  deletions: Generated<number>
  changed_files: Generated<number>
  allow_maintainer_edit: Generated<boolean>
  is_merged: Generated<boolean>
  /** The commit that the merge created; '' before the merge. */
  merge_oid: Generated<Oid | ''>
  merger_id: UserId | null
  merged_unix: Generated<Unix>
  /** Counts the review entries of the timeline. */
  num_reviews: Generated<number>
}

/** An auto-merge that waits for status checks and approvals. */
export interface ScheduledMergeTable {
  pull_id: PullId
  doer_id: UserId
  style: string
  title: string
  message: string
  deletes_branch: boolean
  created_unix: Unix
}

/** A changed file that an account has marked as viewed. The mark holds while the file has this content. */
export interface ViewedFileTable {
  pull_id: PullId
  user_id: UserId
  path: string
  /** The blob of the new side; zeros for a deleted file. */
  content_oid: Oid
}

export const reviewTypes = ['pending', 'comment', 'approve', 'reject', 'request'] as const
export type ReviewType = (typeof reviewTypes)[number]

/** A review or a review request. */
export interface ReviewTable {
  id: Generated<ReviewId>
  issue_id: IssueId
  type: ReviewType
  /** Null for a request to a team. */
  reviewer_id: UserId | null
  reviewer_team_id: TeamId | null
  /** The reviewer's name on the source server of an import; empty for local reviewers. */
  original_author: Generated<string>
  content: Generated<string>
  /** Whether the review counts for branch protection. */
  is_official: Generated<boolean>
  commit_oid: Generated<Oid | ''>
  /** Whether the content changed after the review. */
  is_stale: Generated<boolean>
  is_dismissed: Generated<boolean>
  created_unix: Unix
  updated_unix: Unix
  /** Review requests: copies of columns of the pull request's issue, set by a trigger. Null for reviews. */
  repo_id: GeneratedAlways<RepoId | null>
  is_of_closed: GeneratedAlways<boolean | null>
  pull_created_unix: GeneratedAlways<Unix | null>
  /** Whether the request is unanswered or asks a team, whose members each answer for themselves. A trigger sets it. */
  is_waiting: GeneratedAlways<boolean>
}

export interface PullTables {
  pull: PullTable
  scheduled_merge: ScheduledMergeTable
  viewed_file: ViewedFileTable
  review: ReviewTable
}

export type PullRow = Selectable<PullTable>
export type NewPullRow = Insertable<PullTable>
export type PullChange = Updateable<PullTable>
export type ScheduledMergeRow = Selectable<ScheduledMergeTable>
export type ReviewRow = Selectable<ReviewTable>
export type NewReviewRow = Insertable<ReviewTable>
export type ReviewChange = Updateable<ReviewTable>
