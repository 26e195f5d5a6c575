import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type {
  AttachmentId,
  CommentId,
  IssueId,
  LabelId,
  MilestoneId,
  ReactionId,
  ReleaseId,
  RepoId,
  TeamId,
  TrackedTimeId,
  UserId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Issues, and the part of pull requests that is the same; a pull request has a row in `pull` beside it. */
export interface IssueTable {
  id: Generated<IssueId>
  repo_id: RepoId
  /** Its number; issues and pull requests of a repository are counted together. */
  index: number
  is_pull: Generated<boolean>
  /** The account may be gone. */
  poster_id: UserId
  /** Name of the author where it was imported from; empty for those made here. */
  original_author: Generated<string>
  title: string
  content: string
  /** Counts the edits of the text. */
  content_version: Generated<number>
  /** The branch it is bound to, as given; empty: none. */
  ref: Generated<string>
  milestone_id: MilestoneId | null
  is_closed: Generated<boolean>
  is_locked: Generated<boolean>
  /** Comments and reviews. */
  num_comments: Generated<number>
  /** 0: none. */
  due_unix: Generated<Unix>
  /** Place among the pinned ones from 1; 0: not pinned. */
  pin_order: Generated<number>
  created_unix: Unix
  updated_unix: Unix
  /** 0 while it is open. */
  closed_unix: Generated<Unix>
  /** When the pull request was merged; 0: it was not, or this is an issue. Set by whoever merges, with the closing. */
  merged_unix: Generated<Unix>
  /** The earlier of its own date and its milestone's, 0: none. The database keeps it. */
  listed_due_unix: GeneratedAlways<Unix>
  /** The same, and later than all dates where there is none. */
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

/** What is told below an issue or pull request: comments, and one row for each thing that happened to it. */
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
  /** The repository that a reference was made in. */
  ref_repo_id: RepoId | null
  /** The issue or pull request that refers to this one. */
  ref_issue_id: IssueId | null
  /** The comment that does. */
  ref_comment_id: CommentId | null
  ref_action: Generated<RefAction>
  commit_sha: Generated<string>
  /** Set on reviews, and on the line comments of a review. */
  review_id: number | null
  /** Line comments: the file, the line (negative: of the old side) and the hunk around it. */
  tree_path: Generated<string>
  line: Generated<number>
  patch: Generated<string>
  /** Line comments: the line has changed since. */
  is_invalidated: Generated<boolean>
  resolver_id: UserId | null
  created_unix: Unix
  updated_unix: Unix
  /** Where a comment lies; null for other entries. The database keeps both. */
  repo_id: GeneratedAlways<RepoId | null>
  is_of_pull: GeneratedAlways<boolean | null>
}

/** Labels of a repository or of an organization: exactly one of the two ids is set. */
export interface LabelTable {
  id: Generated<LabelId>
  repo_id: RepoId | null
  org_id: UserId | null
  name: string
  description: Generated<string>
  /** Six hexadecimal digits, lower case. */
  color: string
  is_exclusive: Generated<boolean>
  /** 0: it is not archived. */
  archived_unix: Generated<Unix>
  num_issues: Generated<number>
  num_closed_issues: Generated<number>
  created_unix: Unix
  updated_unix: Unix
}

/** What the database keeps of an issue with what the issue has: what lists are limited and ordered by. */
interface PlaceOfIssue {
  repo_id: GeneratedAlways<RepoId>
  is_pull: GeneratedAlways<boolean>
  is_closed: GeneratedAlways<boolean>
  created_unix: GeneratedAlways<Unix>
}

export interface IssueLabelTable extends PlaceOfIssue {
  issue_id: IssueId
  label_id: LabelId
}

export interface IssueAssigneeTable extends PlaceOfIssue {
  /** Order of assignment. */
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
  /** All issues and pull requests, open and closed. */
  num_issues: Generated<number>
  num_closed_issues: Generated<number>
  /** 0: none. */
  due_unix: Generated<Unix>
  closed_unix: Generated<Unix>
  created_unix: Unix
  updated_unix: Unix
}

/** Whether an account wants to hear of an issue, as it said itself. */
export interface IssueWatchTable {
  issue_id: IssueId
  user_id: UserId
  is_watching: boolean
  created_unix: Unix
  updated_unix: Unix
}

/** Accounts that were mentioned in an issue or its comments. */
export interface IssueMentionTable extends PlaceOfIssue {
  issue_id: IssueId
  user_id: UserId
}

/** `issue_id` cannot be closed before `dependency_id` is. */
export interface IssueDependencyTable {
  issue_id: IssueId
  dependency_id: IssueId
  user_id: UserId
  created_unix: Unix
}

export interface ReactionTable {
  id: Generated<ReactionId>
  issue_id: IssueId
  /** 0: a reaction to the text of the issue. */
  comment_id: CommentId | 0
  /** With a name in `original_author`: the account that stands for people of other servers. */
  user_id: UserId
  /** Name of who reacted, where it was imported from; empty for those made here. */
  original_author: Generated<string>
  content: string
  created_unix: Unix
}

export interface TrackedTimeTable {
  id: Generated<TrackedTimeId>
  issue_id: IssueId
  user_id: UserId
  seconds: number
  /** It was taken away; the entry that told of it still shows it. */
  is_deleted: Generated<boolean>
  created_unix: Unix
  /** Where its issue or pull request is; the database sets it. */
  repo_id: GeneratedAlways<RepoId>
  is_of_pull: GeneratedAlways<boolean>
}

/** A running watch; an account has one at most. */
export interface StopwatchTable {
  user_id: UserId
  issue_id: IssueId
  created_unix: Unix
}

/** What a text was before it was edited, for issues (`comment_id` 0) and comments. */
export interface ContentHistoryTable {
  id: Generated<number>
  issue_id: IssueId
  comment_id: CommentId | 0
  poster_id: UserId
  content: string
  edited_unix: Unix
  is_first: boolean
}

/** Files of issues, comments and releases; the bytes are in the store of attachments. */
export interface AttachmentTable {
  id: Generated<AttachmentId>
  uuid: string
  repo_id: RepoId
  issue_id: IssueId | null
  /** Set beside `issue_id` for files of a comment. */
  comment_id: CommentId | null
  release_id: ReleaseId | null
  uploader_id: UserId
  name: string
  size_bytes: number
  /** Key in the store; empty for a file that lies elsewhere. */
  blob_key: string
  sha256: string
  download_count: Generated<number>
  /** Address of a file of a release that lies elsewhere. */
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
