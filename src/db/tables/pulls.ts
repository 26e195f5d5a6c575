import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type { IssueId, Oid, PullId, RepoId, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/**
 * What is known of merging: `checking` until it is found out; `empty` changes nothing, `ancestor` is contained in the
 * base, `manual` was merged by hand, `error` could not be found out.
 */
export const checkStates = ['checking', 'mergeable', 'conflict', 'empty', 'ancestor', 'manual', 'error'] as const
export type CheckState = (typeof checkStates)[number]

/** A pull request, beside its row in `issue`. */
export interface PullTable {
  id: Generated<PullId>
  issue_id: IssueId
  /** The repository that it would change; the one of its issue. */
  repo_id: RepoId
  index: number
  base_branch: string
  /** Where the branch lies; null when that repository is gone. */
  head_repo_id: RepoId | null
  head_branch: string
  /** 1: pushed to `refs/for/`, there is no branch; 0: from a branch. */
  flow: Generated<0 | 1>
  /** The newest commit of the branch, followed in the transaction that records a push. */
  head_oid: Oid
  /** The commit that `refs/pull/N/head`, timeline and reviews have been brought to. */
  synced_oid: Oid
  /** Of base and head when it was checked last; '' for unrelated histories. */
  merge_base: Oid | ''
  check_state: CheckState
  /** Counts how often a check was asked for; a result for an older number is dropped. */
  check_version: Generated<number>
  additions: Generated<number>
  deletions: Generated<number>
  changed_files: Generated<number>
  allow_maintainer_edit: Generated<boolean>
  is_merged: Generated<boolean>
  /** What the merge made, '' before. */
  merge_oid: Generated<Oid | ''>
  merger_id: UserId | null
  merged_unix: Generated<Unix>
  /** Entries of reviews in the timeline. */
  num_reviews: Generated<number>
}

/** A merge that waits for checks and approvals. */
export interface ScheduledMergeTable {
  pull_id: PullId
  doer_id: UserId
  style: string
  title: string
  message: string
  deletes_branch: boolean
  created_unix: Unix
}

export const reviewTypes = ['pending', 'comment', 'approve', 'reject', 'request'] as const
export type ReviewType = (typeof reviewTypes)[number]

/** A review, or the request for one. */
export interface ReviewTable {
  id: Generated<ReviewId>
  issue_id: IssueId
  type: ReviewType
  /** Null for a request to a team. */
  reviewer_id: UserId | null
  reviewer_team_id: TeamId | null
  /** Name of the reviewer where it was imported from; empty for those made here. */
  original_author: Generated<string>
  content: Generated<string>
  /** Counts for what branch protection asks for. */
  is_official: Generated<boolean>
  commit_oid: Generated<Oid | ''>
  /** The content has changed since. */
  is_stale: Generated<boolean>
  is_dismissed: Generated<boolean>
  created_unix: Unix
  updated_unix: Unix
  /** What the database keeps with requests of their pull request. Null: it is no request. */
  repo_id: GeneratedAlways<RepoId | null>
  is_of_closed: GeneratedAlways<boolean | null>
  pull_created_unix: GeneratedAlways<Unix | null>
  /** A request that is not answered, or one for a team, which members answer each for themselves. The database keeps it. */
  is_waiting: GeneratedAlways<boolean>
}

export interface PullTables {
  pull: PullTable
  scheduled_merge: ScheduledMergeTable
  review: ReviewTable
}

export type PullRow = Selectable<PullTable>
export type NewPullRow = Insertable<PullTable>
export type PullChange = Updateable<PullTable>
export type ScheduledMergeRow = Selectable<ScheduledMergeTable>
export type ReviewRow = Selectable<ReviewTable>
export type NewReviewRow = Insertable<ReviewTable>
export type ReviewChange = Updateable<ReviewTable>
