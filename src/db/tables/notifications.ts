import type { Selectable } from 'kysely'
import type { EventId, IssueId, RepoId, ThreadId, UserId } from '../../lib/ids.ts'
import { bigint, byTrigger, id, nullable, primaryKey, ref, table, text, unix, type TablesOf } from '../table.ts'

export const threadStatuses = ['unread', 'read', 'pinned'] as const
export type ThreadStatus = (typeof threadStatuses)[number]

/** The subject of a notification. The API defines `commit`; the server never creates it. */
export const threadSubjects = ['issue', 'pull', 'commit', 'repository'] as const
export type ThreadSubject = (typeof threadSubjects)[number]

/**
 * Why a person hears of a subject, the strongest reason first: asked for a review, assigned, mentioned, offered the
 * repository, author, taking part, watching.
 */
export const threadReasons = [
  'review_requested',
  'assigned',
  'mentioned',
  'offered',
  'author',
  'participating',
  'watching',
] as const
export type ThreadReason = (typeof threadReasons)[number]

export const notificationTables = {
  /** Notifications: one row per account and issue, pull request or repository. */
  notification: table(
    {
      id: id<ThreadId>(),
      user_id: ref<UserId>('user', 'cascade'),
      repo_id: ref<RepoId>('repo', 'cascade'),
      /** Null when the subject is the repository. */
      issue_id: nullable(ref<IssueId>('issue', 'cascade')),
      subject: text<ThreadSubject>(),
      status: text<ThreadStatus>(),
      created_unix: unix(),
      /** When the subject or the status last changed, in milliseconds: seconds do not give a total order. */
      updated_ms: bigint(),
      /**
       * What updated the notification last, as a word, for comments and reviews with their id, and with ` mention` for the
       * mentioned: `comment 1 mention`, `closed` (`cause.rules.ts`). '' after its comment or review was deleted.
       */
      cause: text(''),
      /** The status before the last event; null when that event created the notification. */
      earlier_status: nullable(text<ThreadStatus>()),
      /** While the notification is not read, the strongest reason of its events; then that of the next event. */
      reason: text<ThreadReason>('watching'),
      /** The reason before the last event; null when that event created the notification. */
      earlier_reason: nullable(text<ThreadReason>()),
    },
    {
      indexes: {
        notification_issue: 'unique (issue_id, user_id) where issue_id is not null',
        notification_repo: 'unique (repo_id, user_id) where issue_id is null',
        notification_repo_all: '(repo_id)',
        notification_status: '(user_id, status, updated_ms, id, repo_id, subject)',
        notification_list: '(user_id, updated_ms, id, repo_id, subject, status)',
        notification_of_repo: '(user_id, repo_id, status, updated_ms, id, subject, reason)',
        notification_of_reason: '(user_id, reason, status, updated_ms, id, repo_id, subject)',
      },
    },
  ),

  /** The progress through the recipients of an event. Without it, a retry would mark read notifications as unread. */
  notified_event: table({
    event_id: primaryKey(ref<EventId>('event', 'cascade')),
    /** The last notified account. Accounts are notified in the order of their ids. */
    last_user_id: bigint<UserId>(),
  }),

  /** Counts of an account's notifications per repository, subject, status and reason. Triggers maintain them. */
  notification_tally: table(
    {
      id: byTrigger(id<number>()),
      user_id: ref<UserId>('user', 'cascade'),
      repo_id: ref<RepoId>('repo', 'cascade'),
      subject: text<ThreadSubject>(),
      status: text<ThreadStatus>(),
      total: bigint(),
      reason: text<ThreadReason>('watching'),
    },
    {
      unique: [['user_id', 'repo_id', 'subject', 'status', 'reason']],
      indexes: { notification_tally_repo: '(repo_id)' },
    },
  ),
}

export type NotificationTables = TablesOf<typeof notificationTables>
export type ThreadRow = Selectable<NotificationTables['notification']>
