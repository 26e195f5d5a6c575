import type { Insertable, Selectable, Updateable } from 'kysely'
import type {
  AttachmentId,
  CommentId,
  IssueId,
  LabelId,
  MilestoneId,
  Oid,
  ReleaseId,
  RepoId,
  TeamId,
  TrackedTimeId,
  UserId,
} from '../../lib/ids.ts'
import {
  afterInsert,
  bigint,
  byTrigger,
  computed,
  flag,
  given,
  id,
  integer,
  nullable,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'

export const commentTypes = [
  'comment',
  'reopen',
  'close',
  'issue_ref',
  'commit_ref',
  'comment_ref',
  'pull_ref',
  'label',
  'milestone',
  'assignees',
  'change_title',
  'delete_branch',
  'start_tracking',
  'stop_tracking',
  'add_time_manual',
  'cancel_tracking',
  'added_deadline',
  'modified_deadline',
  'removed_deadline',
  'add_dependency',
  'remove_dependency',
  'code',
  'review',
  'lock',
  'unlock',
  'change_target_branch',
  'delete_time_manual',
  'review_request',
  'merge_pull',
  'pull_push',
  'project',
  'project_board',
  'dismiss_review',
  'change_issue_ref',
  'pull_scheduled_merge',
  'pull_cancel_scheduled_merge',
  'pin',
  'unpin',
  'add_relation',
  'remove_relation',
] as const
export type CommentType = (typeof commentTypes)[number]

export type RefAction = 'none' | 'closes' | 'reopens' | 'neutered'

/** Columns of the issue that triggers copy into child rows, so that one index filters and orders a list. */
const copiedIssueColumns = {
  repo_id: afterInsert(bigint<RepoId>()),
  is_pull: afterInsert(flag()),
  is_closed: afterInsert(flag()),
  created_unix: afterInsert(unix()),
}

export const issueTables = {
  milestone: table(
    {
      id: id<MilestoneId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      title: text(),
      content: text(''),
      is_closed: flag(false),
      /** Counts all issues and pull requests, open and closed. */
      num_issues: integer(0),
      num_closed_issues: integer(0),
      /** 0: none. */
      due_unix: unix(0),
      closed_unix: unix(0),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { indexes: { milestone_repo: '(repo_id)', milestone_title: '(title)' } },
  ),

  /** Labels of a repository or of an organization; exactly one of the two ids is set. */
  label: table(
    {
      id: id<LabelId>(),
      repo_id: nullable(ref<RepoId>('repo', 'cascade')),
      org_id: nullable(ref<UserId>('user', 'cascade')),
      name: text(),
      description: text(''),
      /** Six hexadecimal digits, lower case. */
      color: text(),
      is_exclusive: flag(false),
      /** 0: not archived. */
      archived_unix: unix(0),
      num_issues: integer(0),
      num_closed_issues: integer(0),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { indexes: { label_repo: '(repo_id)', label_org: '(org_id)', label_name: '(name)' } },
  ),

  /** Issues, and the columns that pull requests share with them. A pull request also has a row in `pull`. */
  issue: table(
    {
      id: id<IssueId>(),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** The number in the repository; issues and pull requests share one sequence. */
      index: integer(),
      is_pull: flag(false),
      /** The account may be deleted. */
      poster_id: bigint<UserId>(),
      /** The author's name on the source server of an import; empty for local authors. */
      original_author: text(''),
      title: text(),
      content: text(),
      /** Words of title and text that the tokenizers of the databases do not find (`issues/search/further-words.parse.ts`). */
      further_words: text(''),
      /** Counts the edits of the text. */
      content_version: integer(0),
      /** The branch of the issue, as given; empty for none. */
      ref: text(''),
      milestone_id: nullable(ref<MilestoneId>('milestone', 'set null')),
      is_closed: flag(false),
      is_locked: flag(false),
      /** Counts comments and reviews. */
      num_comments: integer(0),
      /** 0: none. */
      due_unix: unix(0),
      /** The position among pinned issues, from 1; 0: not pinned. */
      pin_order: integer(0),
      created_unix: unix(),
      updated_unix: unix(),
      /** 0 while open. */
      closed_unix: unix(0),
      /**
       * When the pull request was merged; 0 for unmerged pull requests and issues. The merge sets it together with the
       * closing.
       */
      merged_unix: unix(0),
      /** The earlier due date of the issue and its milestone; 0: none. A trigger sets it. */
      listed_due_unix: byTrigger(unix(0)),
      /** Like `listed_due_unix`, but without a date it is later than all dates, for ordering. */
      nearest_due_unix: computed(
        unix(),
        'case when listed_due_unix = 0 then 9007199254740991 else listed_due_unix end',
      ),
    },
    {
      unique: [['repo_id', 'index']],
      indexes: {
        issue_list: '(repo_id, is_closed, created_unix, id)',
        issue_list_all: '(repo_id, created_unix, id)',
        issue_pins: '(repo_id, is_pull, pin_order) where pin_order > 0',
        issue_by_created: '(repo_id, is_pull, is_closed, created_unix, id, updated_unix)',
        issue_of_poster_in:
          '(repo_id, poster_id, is_pull, is_closed, created_unix, id, updated_unix, num_comments, listed_due_unix)',
        issue_newest_of_kind: '(is_pull, is_closed, created_unix, id, repo_id, updated_unix)',
        issue_changed: '(updated_unix, is_pull, is_closed, created_unix, id, repo_id)',
        issue_of_poster: '(poster_id, is_pull, is_closed, created_unix, id, repo_id)',
        issue_of_milestone: '(milestone_id, is_pull, is_closed, created_unix, id, repo_id)',
        issue_number: '("index", id)',
        issue_by_updated:
          '(repo_id, is_pull, is_closed, updated_unix, created_unix, id, poster_id, milestone_id, num_comments, listed_due_unix)',
        issue_by_comments:
          '(repo_id, is_pull, is_closed, num_comments, created_unix, id, poster_id, milestone_id, updated_unix)',
        issue_by_fewest_comments:
          '(repo_id, is_pull, is_closed, num_comments, created_unix desc, id desc, poster_id, milestone_id, updated_unix)',
        issue_by_due:
          '(repo_id, is_pull, is_closed, listed_due_unix, created_unix, id, poster_id, milestone_id, updated_unix)',
        issue_by_nearest_due:
          '(repo_id, is_pull, is_closed, nearest_due_unix, created_unix desc, id desc, poster_id, milestone_id, updated_unix)',
      },
    },
  ),

  /** The timeline of an issue or pull request: comments and events. */
  comment: table(
    {
      id: id<CommentId>(),
      issue_id: ref<IssueId>('issue', 'cascade'),
      type: text<CommentType>(),
      poster_id: bigint<UserId>(),
      original_author: text(''),
      content: text(''),
      /** Like `further_words` of an issue. */
      further_words: text(''),
      content_version: integer(0),
      label_id: nullable(ref<LabelId>('label', 'cascade')),
      milestone_id: nullable(bigint<MilestoneId>()),
      old_milestone_id: nullable(bigint<MilestoneId>()),
      assignee_id: nullable(bigint<UserId>()),
      assignee_team_id: nullable(bigint<TeamId>()),
      removed_assignee: flag(false),
      old_title: text(''),
      new_title: text(''),
      old_ref: text(''),
      new_ref: text(''),
      dependent_issue_id: nullable(bigint<IssueId>()),
      time_id: nullable(bigint<TrackedTimeId>()),
      /** The repository that contains the reference. */
      ref_repo_id: nullable(bigint<RepoId>()),
      /** The issue or pull request that refers to this one. */
      ref_issue_id: nullable(ref<IssueId>('issue', 'cascade')),
      /** The comment that contains the reference. */
      ref_comment_id: nullable(bigint<CommentId>()),
      ref_action: text<RefAction>('none'),
      commit_sha: text(''),
      /** Set on reviews and on their line comments. */
      review_id: nullable(bigint()),
      /** Line comments: the file, the line (negative: in the old version) and the surrounding hunk. */
      tree_path: text(''),
      line: integer(0),
      /** Line comments on several lines: the first one, on the side of `line`, which is the last; 0 for one line. */
      first_line: integer(0),
      patch: text(''),
      /**
       * Line comments: the commit that `line` refers to, updated after each push: the head of the pull request, or its merge
       * base for lines of the old version. Empty when the line is not updated.
       */
      line_oid: text<Oid | ''>(''),
      /** Line comments: whether the lines changed after the comment; the line is then the last known one, in `line_oid`. */
      is_invalidated: flag(false),
      resolver_id: nullable(bigint<UserId>()),
      created_unix: unix(),
      updated_unix: unix(),
      /** Set for comments, null for other timeline entries. Triggers set both. */
      repo_id: byTrigger(nullable(bigint<RepoId>())),
      is_of_pull: byTrigger(nullable(flag())),
    },
    {
      indexes: {
        comment_issue: '(issue_id, created_unix, id)',
        comment_label: '(label_id) where label_id is not null',
        comment_ref_issue: '(ref_issue_id) where ref_issue_id is not null',
        comment_ref_comment: '(ref_comment_id) where ref_comment_id is not null',
        comment_review: '(review_id) where review_id is not null',
        comment_commit: "unique (issue_id, commit_sha) where type = 'commit_ref'",
        comment_dependent: '(dependent_issue_id) where dependent_issue_id is not null',
        comment_of_repo_updated: "(repo_id, is_of_pull, updated_unix, created_unix, id) where type = 'comment'",
        comment_of_repo: "(repo_id, is_of_pull, created_unix, id, updated_unix) where type = 'comment'",
        comment_poster: '(poster_id, is_of_pull, type, issue_id)',
      },
    },
  ),

  issue_label: table(
    {
      issue_id: ref<IssueId>('issue', 'cascade'),
      label_id: ref<LabelId>('label', 'cascade'),
      ...copiedIssueColumns,
    },
    {
      primaryKey: ['issue_id', 'label_id'],
      indexes: { issue_label_label: '(label_id, repo_id, is_pull, is_closed, created_unix, issue_id)' },
    },
  ),

  issue_assignee: table(
    {
      /** The order of assignment. */
      id: id<number>(),
      issue_id: ref<IssueId>('issue', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      ...copiedIssueColumns,
    },
    {
      unique: [['issue_id', 'user_id']],
      indexes: {
        issue_assignee_user: '(user_id, repo_id, is_pull, is_closed, created_unix, issue_id)',
        issue_assignee_newest: '(user_id, is_pull, is_closed, created_unix, issue_id, repo_id)',
      },
    },
  ),

  /** Accounts mentioned in an issue or its comments. */
  issue_mention: table(
    {
      issue_id: ref<IssueId>('issue', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      ...copiedIssueColumns,
    },
    {
      primaryKey: ['issue_id', 'user_id'],
      indexes: {
        issue_mention_user: '(user_id, repo_id, is_pull, is_closed, created_unix, issue_id)',
        issue_mention_newest: '(user_id, is_pull, is_closed, created_unix, issue_id, repo_id)',
      },
    },
  ),

  /** Attachments of issues, comments and releases. The blob store holds the bytes. */
  attachment: table(
    {
      id: id<AttachmentId>(),
      uuid: unique(text()),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** Null for files of releases, and for uploads that no text shows yet. */
      issue_id: nullable(ref<IssueId>('issue', 'cascade')),
      /** Set together with `issue_id` for attachments of a comment. */
      comment_id: nullable(ref<CommentId>('comment', 'cascade')),
      release_id: nullable(bigint<ReleaseId>()),
      uploader_id: bigint<UserId>(),
      name: text(),
      size_bytes: bigint(),
      /** Blob key; empty for an external file. */
      blob_key: text(),
      sha256: given(text('')),
      download_count: integer(0),
      /** URL of an external release file. */
      external_url: text(''),
      created_unix: unix(),
    },
    {
      indexes: {
        attachment_repo: '(repo_id)',
        attachment_issue: '(issue_id) where issue_id is not null',
        attachment_comment: '(comment_id) where comment_id is not null',
        attachment_release: '(release_id) where release_id is not null',
        attachment_pending: '(repo_id, uploader_id, created_unix) where issue_id is null and release_id is null',
        attachment_size: '(repo_id, size_bytes, id)',
      },
    },
  ),
}

export type IssueTables = TablesOf<typeof issueTables>
export type IssueTable = IssueTables['issue']
export type IssueRow = Selectable<IssueTable>
export type NewIssueRow = Insertable<IssueTable>
export type IssueChange = Updateable<IssueTable>
export type CommentRow = Selectable<IssueTables['comment']>
export type NewCommentRow = Insertable<IssueTables['comment']>
export type LabelRow = Selectable<IssueTables['label']>
export type NewLabelRow = Insertable<IssueTables['label']>
export type LabelChange = Updateable<IssueTables['label']>
export type MilestoneRow = Selectable<IssueTables['milestone']>
export type NewMilestoneRow = Insertable<IssueTables['milestone']>
export type MilestoneChange = Updateable<IssueTables['milestone']>
export type AttachmentRow = Selectable<IssueTables['attachment']>
export type NewAttachmentRow = Insertable<IssueTables['attachment']>
export type AttachmentChange = Updateable<IssueTables['attachment']>
