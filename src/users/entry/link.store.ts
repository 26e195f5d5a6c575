import type { Db, Tx } from '../../db/database.ts'
import type { MailedLinkRow, NewMailedLinkRow } from '../../db/tables/accounts.ts'
import type { LinkId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const insertLink = (tx: Tx, values: NewMailedLinkRow): Promise<MailedLinkRow> =>
  tx.insertInto('mailed_link').values(values).returningAll().executeTakeFirstOrThrow()

export const findLink = (db: Db | Tx, id: LinkId): Promise<MailedLinkRow | undefined> =>
  db.selectFrom('mailed_link').selectAll().where('id', '=', id).executeTakeFirst()

/** When the mails to an address were asked for before this one, of late: newest first, a few. */
export const listMomentsBefore = async (db: Db, link: MailedLinkRow, sinceUnix: Unix, limit: number): Promise<Unix[]> =>
  (
    await db
      .selectFrom('mailed_link')
      .select('created_unix')
      .where('lower_email', '=', link.lower_email)
      .where('created_unix', '>', sinceUnix)
      .where('id', '<', link.id)
      .orderBy('id', (order) => order.desc())
      .limit(limit)
      .execute()
  ).map((row) => row.created_unix)

/** Uses a link up; false when it was used already. */
export const takeLink = async (tx: Tx, id: LinkId, nowUnix: Unix): Promise<boolean> =>
  (
    await tx
      .updateTable('mailed_link')
      .set({ used_unix: nowUnix })
      .where('id', '=', id)
      .where('used_unix', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows > 0n

/** The newest sign-up by an address that waits to be confirmed. */
export const findWaitingSignUp = (db: Db, lowerEmail: string, nowUnix: Unix): Promise<MailedLinkRow | undefined> =>
  db
    .selectFrom('mailed_link')
    .selectAll()
    .where('lower_email', '=', lowerEmail)
    .where('kind', '=', 'sign-up')
    .where('used_unix', 'is', null)
    .where('expires_unix', '>', nowUnix)
    .orderBy('id', (order) => order.desc())
    .limit(1)
    .executeTakeFirst()

/** The addresses that an account waits to have confirmed. */
export const listWaitingAddresses = (db: Db | Tx, userId: UserId, nowUnix: Unix): Promise<MailedLinkRow[]> =>
  db
    .selectFrom('mailed_link')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'address')
    .where('used_unix', 'is', null)
    .where('expires_unix', '>', nowUnix)
    .orderBy('id')
    .execute()

/** Ends all links by which an account would get these addresses. */
export const endWaitingAddresses = (tx: Tx, userId: UserId, lowerEmails: readonly string[], nowUnix: Unix) =>
  tx
    .updateTable('mailed_link')
    .set({ used_unix: nowUnix })
    .where('user_id', '=', userId)
    .where('kind', '=', 'address')
    .where('lower_email', 'in', lowerEmails)
    .where('used_unix', 'is', null)
    .execute()

/** Forgets links that were asked for before a time and do nothing any more. */
export const deleteLinksBefore = (tx: Tx, createdUnix: Unix, nowUnix: Unix) =>
  tx.deleteFrom('mailed_link').where('created_unix', '<', createdUnix).where('expires_unix', '<', nowUnix).execute()
