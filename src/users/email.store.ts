import { accountsShownTo } from '../access/access-rule.store.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { Db, Tx } from '../db/database.ts'
import { lowerContains } from '../db/like.ts'
import type { EmailRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'

/** Addresses of an account in order of adding. */
export const listEmails = (db: Db | Tx, userId: UserId): Promise<EmailRow[]> =>
  db.selectFrom('email').selectAll().where('user_id', '=', userId).orderBy('id').execute()

export const insertEmails = (tx: Tx, rows: readonly Omit<EmailRow, 'id'>[]) =>
  tx.insertInto('email').values(rows).execute()

export const deleteEmails = (tx: Tx, userId: UserId, lowerEmails: readonly string[]) =>
  tx.deleteFrom('email').where('user_id', '=', userId).where('lower_email', 'in', lowerEmails).execute()

/** Of the addresses of an account only this one is primary. */
export async function updatePrimaryEmail(tx: Tx, userId: UserId, lowerEmail: string): Promise<void> {
  await tx.updateTable('email').set({ is_primary: false }).where('user_id', '=', userId).execute()
  await tx
    .updateTable('email')
    .set({ is_primary: true, is_activated: true })
    .where('user_id', '=', userId)
    .where('lower_email', '=', lowerEmail)
    .execute()
}

const found = (db: Db, viewer: Viewer, text: string) => {
  const query = db.selectFrom('email').innerJoin('user', 'user.id', 'email.user_id').where(accountsShownTo(viewer))
  return text === ''
    ? query
    : query.where((where) =>
        where.or([lowerContains('email.lower_email', text), lowerContains('user.lower_name', text)]),
      )
}

/** Every address of accounts that the viewer may see, with its account, by address; a text is part of the address or of the account's name. */
export const searchEmails = (db: Db, viewer: Viewer, text: string, page: Page) =>
  found(db, viewer, text)
    .select(['email.email', 'email.is_activated', 'email.is_primary', 'email.user_id', 'user.name as user_name'])
    .orderBy('email.lower_email')
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countEmails = async (db: Db, viewer: Viewer, text: string): Promise<number> =>
  (
    await found(db, viewer, text)
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
