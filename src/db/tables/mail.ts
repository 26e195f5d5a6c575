import type { Generated, Selectable } from 'kysely'
import type { EventId, IssueId, MailId, UserId } from '../../lib/ids.ts'

/** The mail outbox: one row per event and recipient, deleted once the mail server accepts the mail. */
export interface MailQueueTable {
  id: Generated<MailId>
  event_id: EventId
  user_id: UserId
  /** Whether the event addresses the recipient by name; otherwise they participate or watch. */
  is_named: boolean
  /** Whether the recipient gets no further mail in this hour. */
  is_last: boolean
}

/** The progress through the recipients of an event. */
export interface MailedEventTable {
  event_id: EventId
  last_user_id: UserId
}

/** The number of mails to one person per hour. */
export interface MailCountTable {
  user_id: UserId
  /** Hours since 1970. */
  hour: number
  count: number
}

/** Incoming mails that became comments. The server recognizes a duplicate for a month. */
export interface IncomingMailTable {
  /** Derived from the mail's Message-ID and the owner of the reply address. */
  key: string
  user_id: UserId
  issue_id: IssueId
  taken_ms: number
}

export interface MailTables {
  incoming_mail: IncomingMailTable
  mail_queue: MailQueueTable
  mailed_event: MailedEventTable
  mail_count: MailCountTable
}

export type QueuedMailRow = Selectable<MailQueueTable>
