import type { Generated, GeneratedAlways, Selectable } from 'kysely'
import type { EventId, IssueId, RepoId, ThreadId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const threadStatuses = ['unread', 'read', 'pinned'] as const
export type ThreadStatus = (typeof threadStatuses)[number]

/** What a thread is about. `commit` is a word of the API that nothing makes. */
export const threadSubjects = ['issue', 'pull', 'commit', 'repository'] as const
export type ThreadSubject = (typeof threadSubjects)[number]

/** What somebody is told: one row for each account and issue, pull request or repository. */
export interface NotificationTable {
  id: Generated<ThreadId>
  user_id: UserId
  repo_id: RepoId
  /** Null where the repository itself is the subject. */
  issue_id: IssueId | null
  subject: ThreadSubject
  status: ThreadStatus
  created_unix: Unix
  /** When something happened to the subject, or the status changed, in milliseconds: a second is too long to tell an order. */
  updated_ms: number
  /** The comment or review that moved the thread last, as `comment 1` or `review 1`; '' for any other event. */
  cause: Generated<string>
  /** Status before the cause; null when the cause made the thread. */
  earlier_status: Generated<ThreadStatus | null>
}

/** How many threads somebody has in a repository, by subject and status. The database keeps it with every write. */
export interface NotificationTallyTable {
  id: GeneratedAlways<number>
  user_id: UserId
  repo_id: RepoId
  subject: ThreadSubject
  status: ThreadStatus
  total: number
}

/** How far people have been told of an event: telling them again from the start would make unread what they have read. */
export interface NotifiedEventTable {
  event_id: EventId
  /** People are told in the order of their ids; this is the last one who was. */
  last_user_id: UserId
}

export interface NotificationTables {
  notification: NotificationTable
  notification_tally: NotificationTallyTable
  notified_event: NotifiedEventTable
}

export type ThreadRow = Selectable<NotificationTable>
