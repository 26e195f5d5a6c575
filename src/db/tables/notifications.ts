import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { EventId, IssueId, RepoId, ThreadId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const threadStatuses = ['unread', 'read', 'pinned'] as const
export type ThreadStatus = (typeof threadStatuses)[number]

/** The subject of a notification. The API defines `commit`; the server never creates it. */
export const threadSubjects = ['issue', 'pull', 'commit', 'repository'] as const
export type ThreadSubject = (typeof threadSubjects)[number]

/** Notifications: one row per account and issue, pull request or repository. */
export interface NotificationTable {
  id: Generated<ThreadId>
  user_id: UserId
  repo_id: RepoId
  /** Null when the subject is the repository. */
  issue_id: IssueId | null
  subject: ThreadSubject
  status: ThreadStatus
  created_unix: Unix
  /** When the subject or the status last changed, in milliseconds: seconds do not give a total order. */
  updated_ms: number
  /**
   * What updated the notification last, as a word, for comments and reviews with their id, and with ` mention` for the
   * mentioned: `comment 1 mention`, `closed` (`cause.rules.ts`). '' after its comment or review was deleted.
   */
  cause: Generated<string>
  /** The status before the last event; null when that event created the notification. */
  earlier_status: Generated<ThreadStatus | null>
}

/** Counts of an account's notifications per repository, subject and status. Triggers maintain them. */
export interface NotificationTallyTable {
  id: GeneratedAlways<number>
  user_id: UserId
  repo_id: RepoId
  subject: ThreadSubject
  status: ThreadStatus
  total: number
}

/** The progress through the recipients of an event. Without it, a retry would mark read notifications as unread. */
export interface NotifiedEventTable {
  event_id: EventId
  /** The last notified account. Accounts are notified in the order of their ids. */
  last_user_id: UserId
}

export interface NotificationTables {
  notification: NotificationTable
  notification_tally: NotificationTallyTable
  notified_event: NotifiedEventTable
}

export type ThreadRow = Selectable<NotificationTable>
