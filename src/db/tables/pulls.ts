import type { Insertable, Selectable, Updateable } from 'kysely'
import type { IssueId, Oid, PullId, RepoId, ReviewId, TeamId, UserId } from '../../lib/ids.ts'
import {
  bigint,
  byTrigger,
  flag,
  id,
  integer,
  nullable,
  primaryKey,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'

/**
 * Whether a pull request can be merged. `checking`: not known yet; `empty`: it changes nothing; `ancestor`: the base
 * contains it; `manual`: it was merged by hand; `error`: the check failed.
 */
export const checkStates = ['checking', 'mergeable', 'conflict', 'empty', 'ancestor', 'manual', 'error'] as const
export type CheckState = (typeof checkStates)[number]

export const reviewTypes = ['pending', 'comment', 'approve', 'reject', 'request'] as const
export type ReviewType = (typeof reviewTypes)[number]

export const pullTables = {
  /** Pull requests; their other columns are in `issue`. */
  pull: table(
    {
      id: id<PullId>(),
      issue_id: unique(ref<IssueId>('issue', 'cascade')),
      /** The base repository; equals the repository of the issue. */
      repo_id: ref<RepoId>('repo', 'cascade'),
      index: integer(),
      base_branch: text(),
      /** The repository of the head branch; null after its deletion. */
      head_repo_id: nullable(bigint<RepoId>()),
      head_branch: text(),
      /** 1: pushed to `refs/for/`, without a branch; 0: from a branch. */
      flow: integer<0 | 1>(0),
      /** The head of the branch. The transaction that records a push updates it. */
      head_oid: text<Oid>(),
      /** The commit that `refs/pull/N/head`, the timeline and the reviews reflect. */
      synced_oid: text<Oid>(),
      /** The merge base at the last check; '' for unrelated histories. */
      merge_base: text<Oid | ''>(),
      check_state: text<CheckState>(),
      /** Counts the requested checks. The result of an older version is discarded. */
      check_version: integer(0),
      additions: integer(0),
      deletions: integer(0),
      changed_files: integer(0),
      allow_maintainer_edit: flag(false),
      is_merged: flag(false),
      /** The commit that the merge created; '' before the merge. */
      merge_oid: text<Oid | ''>(''),
      merger_id: nullable(bigint<UserId>()),
      merged_unix: unix(0),
      /** Counts the review entries of the timeline. */
      num_reviews: integer(0),
    },
    {
      indexes: {
        pull_base: '(repo_id, base_branch)',
        pull_head: '(head_repo_id, head_branch)',
        pull_merge_oid: "(repo_id, merge_oid) where merge_oid <> ''",
      },
    },
  ),

  /** An auto-merge that waits for status checks and approvals. */
  scheduled_merge: table(
    {
      pull_id: primaryKey(ref<PullId>('pull', 'cascade')),
      doer_id: ref<UserId>('user', 'cascade'),
      style: text(),
      title: text(),
      message: text(),
      deletes_branch: flag(),
      created_unix: unix(),
    },
    { indexes: { scheduled_merge_doer: '(doer_id)' } },
  ),

  /** A changed file that an account has marked as viewed. The mark holds while the file has this content. */
  viewed_file: table(
    {
      pull_id: ref<PullId>('pull', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      path: text(),
      /** The blob of the new side; zeros for a deleted file. */
      content_oid: text<Oid>(),
    },
    { primaryKey: ['pull_id', 'user_id', 'path'], indexes: { viewed_file_user: '(user_id)' } },
  ),

  /** A review or a review request. */
  review: table(
    {
      id: id<ReviewId>(),
      issue_id: ref<IssueId>('issue', 'cascade'),
      type: text<ReviewType>(),
      /** Null for a request to a team. */
      reviewer_id: nullable(bigint<UserId>()),
      reviewer_team_id: nullable(ref<TeamId>('team', 'cascade')),
      content: text(''),
      /** Whether the review counts for branch protection. */
      is_official: flag(false),
      commit_oid: text<Oid | ''>(''),
      /** Whether the content changed after the review. */
      is_stale: flag(false),
      is_dismissed: flag(false),
      created_unix: unix(),
      updated_unix: unix(),
      /** The reviewer's name on the source server of an import; empty for local reviewers. */
      original_author: text(''),
      /** Review requests: copies of columns of the pull request's issue, set by a trigger. Null for reviews. */
      repo_id: byTrigger(nullable(bigint<RepoId>())),
      is_of_closed: byTrigger(nullable(flag())),
      pull_created_unix: byTrigger(nullable(unix())),
      /** Whether the request is unanswered or asks a team, whose members each answer for themselves. A trigger sets it. */
      is_waiting: byTrigger(flag(false)),
    },
    {
      indexes: {
        review_issue: '(issue_id, id)',
        review_reviewer: '(reviewer_id)',
        review_team: '(reviewer_team_id) where reviewer_team_id is not null',
        review_pending: "unique (issue_id, reviewer_id) where type = 'pending'",
        review_request: "unique (issue_id, reviewer_id) where type = 'request'",
        review_team_request: "unique (issue_id, reviewer_team_id) where type = 'request'",
        review_asked: '(reviewer_id, is_of_closed, pull_created_unix, issue_id, repo_id) where is_waiting',
        review_team_asked: '(reviewer_team_id, is_of_closed, pull_created_unix, issue_id, repo_id) where is_waiting',
      },
    },
  ),
}

export type PullTables = TablesOf<typeof pullTables>
export type PullRow = Selectable<PullTables['pull']>
export type NewPullRow = Insertable<PullTables['pull']>
export type PullChange = Updateable<PullTables['pull']>
export type ScheduledMergeRow = Selectable<PullTables['scheduled_merge']>
export type ReviewRow = Selectable<PullTables['review']>
export type NewReviewRow = Insertable<PullTables['review']>
export type ReviewChange = Updateable<PullTables['review']>
