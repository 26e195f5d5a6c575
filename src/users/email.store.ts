import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { accountsShownTo, seesAllAccounts } from '../access/conditions/account-condition.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db, Tx } from '../db/database.ts'
import { lowerContains } from '../db/like.ts'
import type { Schema } from '../db/schema.ts'
import type { EmailRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

/** Returns the addresses of an account in order of creation. */
export const listEmails = (db: Db | Tx, userId: UserId): Promise<EmailRow[]> =>
  db.selectFrom('email').selectAll().where('user_id', '=', userId).orderBy('id').execute()

export const insertEmails = (tx: Tx, rows: readonly Omit<EmailRow, 'id'>[]) =>
  tx.insertInto('email').values(rows).execute()

export const deleteEmails = (tx: Tx, userId: UserId, lowerEmails: readonly string[]) =>
  tx.deleteFrom('email').where('user_id', '=', userId).where('lower_email', 'in', lowerEmails).execute()

/** Makes this address the only primary one of the account. */
export async function updatePrimaryEmail(tx: Tx, userId: UserId, lowerEmail: string): Promise<void> {
  await tx.updateTable('email').set({ is_primary: false }).where('user_id', '=', userId).execute()
  await tx
    .updateTable('email')
    .set({ is_primary: true, is_activated: true })
    .where('user_id', '=', userId)
    .where('lower_email', '=', lowerEmail)
    .execute()
}

/** Joins accounts only when a condition needs them. */
const found = (db: Db, viewer: Viewer, text: string) => {
  if (text === '' && seesAllAccounts(viewer)) return db.selectFrom('email')
  const query = db.selectFrom('email').innerJoin('user', 'user.id', 'email.user_id').where(accountsShownTo(viewer))
  const isFound = sql<SqlBool>`(${lowerContains('email.lower_email', text)} or ${lowerContains('user.lower_name', text)})`
  return (text === '' ? query : query.where(isFound)) as unknown as SelectQueryBuilder<Schema, 'email', object>
}

/**
 * Returns a page of the addresses of visible accounts in order of address, and their number. The text matches a part of
 * the address or of the account's name.
 */
export async function searchEmails(db: Db, viewer: Viewer, text: string, { limit, offset }: Page) {
  const all = found(db, viewer, text)
  const { total } = await all.select((select) => select.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  // Only the rows of the page are loaded.
  const window = all.select('email.lower_email').orderBy('email.lower_email').limit(limit).offset(offset)
  const rows = await db
    .selectFrom(window.as('place'))
    .innerJoin('email', 'email.lower_email', 'place.lower_email')
    .innerJoin('user', 'user.id', 'email.user_id')
    .select(['email.email', 'email.is_activated', 'email.is_primary', 'email.user_id', 'user.name as user_name'])
    .orderBy('place.lower_email')
    .execute()
  return { rows, total }
}
