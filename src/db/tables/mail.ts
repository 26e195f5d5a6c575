import type { Generated, Selectable } from 'kysely'
import type { EventId, IssueId, MailId, UserId } from '../../lib/ids.ts'

/** A mail that is to be sent: one row for each event and recipient, which goes when the mail server has taken it. */
export interface MailQueueTable {
  id: Generated<MailId>
  event_id: EventId
  user_id: UserId
  /** The event is for them by name; else they take part, or watch. */
  is_named: boolean
  /** No further mail goes to them in this hour. */
  is_last: boolean
}

/** How far the recipients of an event's mails were written down. */
export interface MailedEventTable {
  event_id: EventId
  last_user_id: UserId
}

/** Mails to one person within an hour. */
export interface MailCountTable {
  user_id: UserId
  /** Hours since 1970. */
  hour: number
  count: number
}

/** A mail that has become a comment: for a month it is known when it comes again. */
export interface IncomingMailTable {
  /** Made of the mail's Message-ID and whom its address belongs to. */
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
