import type { Selectable } from 'kysely'
import type { EventId, IssueId, MailId, UserId } from '../../lib/ids.ts'
import { bigint, flag, id, integer, primaryKey, ref, table, text, type TablesOf } from '../table.ts'

export const mailTables = {
  /** The mail outbox: one row per event and recipient, deleted once the mail server accepts the mail. */
  mail_queue: table(
    {
      id: id<MailId>(),
      event_id: ref<EventId>('event', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      /** Whether the event addresses the recipient by name; otherwise they participate or watch. */
      is_named: flag(),
      /** Whether the recipient gets no further mail in this hour. */
      is_last: flag(),
    },
    { unique: [['event_id', 'user_id']], indexes: { mail_queue_user: '(user_id)' } },
  ),

  /** The progress through the recipients of an event. */
  mailed_event: table({
    event_id: primaryKey(ref<EventId>('event', 'cascade')),
    last_user_id: bigint<UserId>(),
  }),

  /** The number of mails to one person per hour. */
  mail_count: table({
    user_id: primaryKey(ref<UserId>('user', 'cascade')),
    /** Hours since 1970. */
    hour: bigint(),
    count: integer(),
  }),

  /** Incoming mails that became comments. The server recognizes a duplicate for a month. */
  incoming_mail: table(
    {
      /** Derived from the mail's Message-ID and the owner of the reply address. */
      key: primaryKey(text()),
      user_id: ref<UserId>('user', 'cascade'),
      issue_id: bigint<IssueId>(),
      taken_ms: bigint(),
    },
    { indexes: { incoming_mail_user: '(user_id, taken_ms)', incoming_mail_age: '(taken_ms)' } },
  ),
}

export type MailTables = TablesOf<typeof mailTables>
export type QueuedMailRow = Selectable<MailTables['mail_queue']>
