import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { idList, idListText } from '../db/id-list.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { QueuedMailRow } from '../db/tables/mail.ts'
import type { EventId, MailId, UserId } from '../lib/ids.ts'

/** An event and the people who may get a mail about it. */
export interface NewMails {
  readonly eventId: EventId
  readonly userIds: readonly UserId[]
  /** The people whom the event names. */
  readonly named: readonly UserId[]
  readonly doerId: UserId
  /** SQL condition: a row of `user` may read the subject. */
  readonly mayHear: RawBuilder<SqlBool>
  /** The current hour, counted since 1970. */
  readonly hour: number
  /** Most mails to one person within the hour; 0 for no limit. */
  readonly maxPerHour: number
}

/**
 * Queues mails to people with an address who may read the subject, want the mail and have not reached their hourly limit, and
 * returns how many. Source of the preferences: contract (notifications, mail).
 */
export async function insertMails(tx: Tx, mails: NewMails): Promise<number> {
  const { eventId, userIds, named, doerId, mayHear, hour, maxPerHour } = mails
  const isNamed = sql<SqlBool>`"user".id in ${idList(tx, idListText(named))}`
  const wantsIt = sql<SqlBool>`"user".id in ${idList(tx, idListText(userIds))} and "user".email <> '' and ${mayHear}
    and ("user".id <> ${doerId} or "user".email_notifications = 'andyourown')
    and (case when ${isNamed} then "user".email_notifications <> 'disabled'
      else "user".email_notifications in ('enabled', 'andyourown') end)`
  await sql`
    insert into mail_count (user_id, hour, count)
    select "user".id, cast(${hour} as bigint), 1 from "user" where ${wantsIt}
    on conflict (user_id) do update set
      count = case when mail_count.hour = excluded.hour then mail_count.count + 1 else 1 end,
      hour = excluded.hour`.execute(tx)
  const { rows } = await sql`
    insert into mail_queue (event_id, user_id, is_named, is_last)
    select cast(${eventId} as bigint), "user".id, ${isNamed}, mail_count.count = cast(${maxPerHour} as bigint)
    from "user" inner join mail_count on mail_count.user_id = "user".id
    where ${wantsIt} and (${maxPerHour === 0 ? sql`true` : sql`mail_count.count <= ${maxPerHour}`})
    on conflict (event_id, user_id) do nothing
    returning id`.execute(tx)
  return rows.length
}

/** The mails of an event to users with ids above `after` and up to `upTo`. */
export interface MailRange {
  readonly eventId: EventId
  readonly after: number
  readonly upTo: number
}

/** A queued mail with its recipient. */
export interface QueuedMail {
  readonly row: QueuedMailRow
  /** undefined: the recipient may not read the subject or does not want mails. */
  readonly recipient: UserRow | undefined
  /** Whether the recipient may read the code of the repository. */
  readonly mayReadCode: boolean
}

/** Lists the queued mails of a range, by the recipient's id. The conditions are about a row of `user`. */
export async function listQueuedMails(
  db: Db,
  { eventId, after, upTo }: MailRange,
  mayHear: RawBuilder<SqlBool>,
  mayReadCode = sql<SqlBool>`1 = 0`,
): Promise<QueuedMail[]> {
  const rows = await db
    .selectFrom('mail_queue')
    .selectAll()
    .where('event_id', '=', eventId)
    .where('user_id', '>', after as UserId)
    .where('user_id', '<=', upTo as UserId)
    .orderBy('user_id')
    .execute()
  if (rows.length === 0) return []
  const ids = idListText(rows.map((row) => row.user_id))
  const recipients = await db
    .selectFrom('user')
    .selectAll()
    .select(sql<SqlBool>`case when ${mayReadCode} then 1 else 0 end`.as('may_read_code'))
    .where(sql<SqlBool>`"user".id in ${idList(db, ids)}`)
    .where('email', '<>', '')
    .where('email_notifications', '<>', 'disabled')
    .where(mayHear)
    .execute()
  const byId = new Map(recipients.map((user) => [user.id, user]))
  return rows.map((row) => {
    const recipient = byId.get(row.user_id)
    return { row, recipient, mayReadCode: Boolean(recipient?.may_read_code) }
  })
}

export const deleteMails = async (tx: Tx, ids: readonly MailId[]): Promise<void> => {
  await tx
    .deleteFrom('mail_queue')
    .where(sql<SqlBool>`id in ${idList(tx, idListText(ids))}`)
    .execute()
}

/** Lists the administrators of the instance. */
export const listAdminIds = async (db: Db): Promise<UserId[]> =>
  (
    await db.selectFrom('user').select('id').where('kind', '=', 'individual').where('is_admin', '=', true).execute()
  ).map((row) => row.id)

/** SQL condition: a row of `user` is an administrator who can sign in. */
export const isAdmin = sql<SqlBool>`("user".kind = 'individual' and "user".is_admin and "user".is_active
  and not "user".prohibit_login)`
