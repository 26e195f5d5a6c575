import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type {
  AttachmentId,
  CommentId,
  IssueId,
  LabelId,
  MilestoneId,
  Oid,
  ReactionId,
  ReleaseId,
  RepoId,
  TeamId,
  TrackedTimeId,
  UserId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Issues, and the columns that pull requests share with them. A pull request also has a row in `pull`. */
export interface IssueTable {
  id: Generated<IssueId>
  repo_id: RepoId
  /** The number in the repository; issues and pull requests share one sequence. */
  index: number
  is_pull: Generated<boolean>
  /** The account may be deleted. */
  poster_id: UserId
  /** The author's name on the source server of an import; empty for local authors. */
  original_author: Generated<string>
  title: string
  content: string
  /** Counts the edits of the text. */
  content_version: Generated<number>
  /** The branch of the issue, as given; empty for none. */
  ref: Generated<string>
  milestone_id: MilestoneId | null
  is_closed: Generated<boolean>
  is_locked: Generated<boolean>
  /** Counts comments and reviews. */
  num_comments: Generated<number>
  /** 0: none. */
  due_unix: Generated<Unix>
  /** The position among pinned issues, from 1; 0: not pinned. */
  pin_order: Generated<number>
  created_unix: Unix
  updated_unix: Unix
  /** 0 while open. */
  closed_unix: Generated<Unix>
  /**
   * When the pull request was merged; 0 for unmerged pull requests and issues. The merge sets it together with the
   * closing.
   */
  merged_unix: Generated<Unix>
  /** The earlier due date of the issue and its milestone; 0: none. A trigger sets it. */
  listed_due_unix: GeneratedAlways<Unix>
  /** Like `listed_due_unix`, but without a date it is later than all dates, for ordering. */
  nearest_due_unix: GeneratedAlways<Unix>
}

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
] as const
export type CommentType = (typeof commentTypes)[number]

export type RefAction = 'none' | 'closes' | 'reopens' | 'neutered'

/** The timeline of an issue or pull request: comments and events. */
export interface CommentTable {
  id: Generated<CommentId>
  issue_id: IssueId
  type: CommentType
  poster_id: UserId
  original_author: Generated<string>
  content: Generated<string>
  content_version: Generated<number>
  label_id: LabelId | null
  milestone_id: MilestoneId | null
  old_milestone_id: MilestoneId | null
  assignee_id: UserId | null
  assignee_team_id: TeamId | null
  removed_assignee: Generated<boolean>
  old_title: Generated<string>
  new_title: Generated<string>
  old_ref: Generated<string>
  new_ref: Generated<string>
  dependent_issue_id: IssueId | null
  time_id: TrackedTimeId | null
  /** The repository that contains the reference. */
  ref_repo_id: RepoId | null
  /** The issue or pull request that refers to this one. */
  ref_issue_id: IssueId | null
  /** The comment that contains the reference. */
  ref_comment_id: CommentId | null
  ref_action: Generated<RefAction>
  commit_sha: Generated<string>
  /** Set on reviews and on their line comments. */
  review_id: number | null
  /** Line comments: the file, the line (negative: in the old version) and the surrounding hunk. */
  tree_path: Generated<string>
  line: Generated<number>
  /** Line comments on several lines: the first one, on the side of `line`, which is the last; 0 for one line. */
  first_line: Generated<number>
  patch: Generated<string>
  /**
   * Line comments: the commit that `line` refers to, updated after each push: the head of the pull request, or its merge
   * base for lines of the old version. Empty when the line is not updated.
   */
  line_oid: Generated<Oid | ''>
  /** Line comments: whether the lines changed after the comment; the line is then the last known one, in `line_oid`. */
  is_invalidated: Generated<boolean>
  resolver_id: UserId | null
  created_unix: Unix
  updated_unix: Unix
  /** Set for comments, null for other timeline entries. Triggers set both. */
  repo_id: GeneratedAlways<RepoId | null>
  is_of_pull: GeneratedAlways<boolean | null>
}

/** Labels of a repository or of an organization; exactly one of the two ids is set. */
export interface LabelTable {
  id: Generated<LabelId>
  repo_id: RepoId | null
  org_id: UserId | null
  name: string
  description: Generated<string>
  /** Six hexadecimal digits, lower case. */
  color: string
  is_exclusive: Generated<boolean>
  /** 0: not archived. */
  archived_unix: Generated<Unix>
  num_issues: Generated<number>
  num_closed_issues: Generated<number>
  created_unix: Unix
  updated_unix: Unix
}

/** Columns of the issue that triggers copy into child rows, so that one index filters and orders a list. */
interface CopiedIssueColumns {
  repo_id: GeneratedAlways<RepoId>
  is_pull: GeneratedAlways<boolean>
  is_closed: GeneratedAlways<boolean>
  created_unix: GeneratedAlways<Unix>
}

export interface IssueLabelTable extends CopiedIssueColumns {
  issue_id: IssueId
  label_id: LabelId
}

export interface IssueAssigneeTable extends CopiedIssueColumns {
  /** The order of assignment. */
  id: Generated<number>
  issue_id: IssueId
  user_id: UserId
}

export interface MilestoneTable {
  id: Generated<MilestoneId>
  repo_id: RepoId
  title: string
  content: Generated<string>
  is_closed: Generated<boolean>
  /** Counts all issues and pull requests, open and closed. */
  num_issues: Generated<number>
  num_closed_issues: Generated<number>
  /** 0: none. */
  due_unix: Generated<Unix>
  closed_unix: Generated<Unix>
  created_unix: Unix
  updated_unix: Unix
}

/** Explicit subscriptions to issues, and explicit unsubscriptions. */
export interface IssueWatchTable {
  issue_id: IssueId
  user_id: UserId
  is_watching: boolean
  created_unix: Unix
  updated_unix: Unix
}

/** Accounts mentioned in an issue or its comments. */
export interface IssueMentionTable extends CopiedIssueColumns {
  issue_id: IssueId
  user_id: UserId
}

/** `dependency_id` must be closed before `issue_id`. */
export interface IssueDependencyTable {
  issue_id: IssueId
  dependency_id: IssueId
  user_id: UserId
  created_unix: Unix
}

export interface ReactionTable {
  id: Generated<ReactionId>
  issue_id: IssueId
  /** 0: a reaction to the issue itself. */
  comment_id: CommentId | 0
  /** When `original_author` is set: the account that stands for people of other servers. */
  user_id: UserId
  /** The name on the source server of an import; empty for local accounts. */
  original_author: Generated<string>
  content: string
  created_unix: Unix
}

export interface TrackedTimeTable {
  id: Generated<TrackedTimeId>
  issue_id: IssueId
  user_id: UserId
  seconds: number
  /** Whether the time was deleted. The timeline entry still shows it. */
  is_deleted: Generated<boolean>
  created_unix: Unix
  /** Columns of the issue or pull request; a trigger sets them. */
  repo_id: GeneratedAlways<RepoId>
  is_of_pull: GeneratedAlways<boolean>
}

/** A running stopwatch. An account has at most one. */
export interface StopwatchTable {
  user_id: UserId
  issue_id: IssueId
  created_unix: Unix
}

/** Former texts of issues (`comment_id` 0) and comments. */
export interface ContentHistoryTable {
  id: Generated<number>
  issue_id: IssueId
  comment_id: CommentId | 0
  poster_id: UserId
  content: string
  edited_unix: Unix
  is_first: boolean
}

/** Attachments of issues, comments and releases. The blob store holds the bytes. */
export interface AttachmentTable {
  id: Generated<AttachmentId>
  uuid: string
  repo_id: RepoId
  /** Null for files of releases, and for uploads that no text shows yet. */
  issue_id: IssueId | null
  /** Set together with `issue_id` for attachments of a comment. */
  comment_id: CommentId | null
  release_id: ReleaseId | null
  uploader_id: UserId
  name: string
  size_bytes: number
  /** Blob key; empty for an external file. */
  blob_key: string
  sha256: string
  download_count: Generated<number>
  /** URL of an external release file. */
  external_url: Generated<string>
  created_unix: Unix
}

export interface IssueTables {
  issue: IssueTable
  comment: CommentTable
  label: LabelTable
  issue_label: IssueLabelTable
  issue_assignee: IssueAssigneeTable
  milestone: MilestoneTable
  issue_watch: IssueWatchTable
  issue_mention: IssueMentionTable
  issue_dependency: IssueDependencyTable
  reaction: ReactionTable
  tracked_time: TrackedTimeTable
  stopwatch: StopwatchTable
  content_history: ContentHistoryTable
  attachment: AttachmentTable
}

export type IssueRow = Selectable<IssueTable>
export type NewIssueRow = Insertable<IssueTable>
export type IssueChange = Updateable<IssueTable>
export type CommentRow = Selectable<CommentTable>
export type NewCommentRow = Insertable<CommentTable>
export type LabelRow = Selectable<LabelTable>
export type NewLabelRow = Insertable<LabelTable>
export type LabelChange = Updateable<LabelTable>
export type MilestoneRow = Selectable<MilestoneTable>
export type NewMilestoneRow = Insertable<MilestoneTable>
export type MilestoneChange = Updateable<MilestoneTable>
export type ReactionRow = Selectable<ReactionTable>
export type TrackedTimeRow = Selectable<TrackedTimeTable>
export type StopwatchRow = Selectable<StopwatchTable>
export type AttachmentRow = Selectable<AttachmentTable>
export type NewAttachmentRow = Insertable<AttachmentTable>
export type AttachmentChange = Updateable<AttachmentTable>
