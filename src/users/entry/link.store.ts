import type { Db, Tx } from '../../db/database.ts'
import { changesRow } from '../../db/rows.ts'
import type { MailedLinkRow, NewMailedLinkRow } from '../../db/tables/sign-in.ts'
import type { LinkId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export const insertLink = (tx: Tx, values: NewMailedLinkRow): Promise<MailedLinkRow> =>
  tx.insertInto('mailed_link').values(values).returningAll().executeTakeFirstOrThrow()

export const findLink = (db: Db | Tx, id: LinkId): Promise<MailedLinkRow | undefined> =>
  db.selectFrom('mailed_link').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the times of recent earlier requests for mails to an address, newest first. */
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

/** Uses up a link; returns false when it was used. */
export const takeLink = (tx: Tx, id: LinkId, nowUnix: Unix): Promise<boolean> =>
  changesRow(
    tx.updateTable('mailed_link').set({ used_unix: nowUnix }).where('id', '=', id).where('used_unix', 'is', null),
  )

/** Returns the newest pending sign-up of an address. */
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

/** Returns the addresses of an account that wait for confirmation. */
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

/** Ends all links that would add these addresses to the account. */
export const endWaitingAddresses = (tx: Tx, userId: UserId, lowerEmails: readonly string[], nowUnix: Unix) =>
  tx
    .updateTable('mailed_link')
    .set({ used_unix: nowUnix })
    .where('user_id', '=', userId)
    .where('kind', '=', 'address')
    .where('lower_email', 'in', lowerEmails)
    .where('used_unix', 'is', null)
    .execute()

/** Deletes links that were requested before a time and can no longer be used. */
export const deleteLinksBefore = (tx: Tx, createdUnix: Unix, nowUnix: Unix) =>
  tx.deleteFrom('mailed_link').where('created_unix', '<', createdUnix).where('expires_unix', '<', nowUnix).execute()
