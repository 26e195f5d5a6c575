import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'

/** Accounts with a confirmed address, each with that address in lower case. */
export const listAccountsByEmail = (db: Db, lowerEmails: readonly string[]) =>
  db
    .selectFrom('email')
    .innerJoin('user', 'user.id', 'email.user_id')
    .selectAll('user')
    .select('email.lower_email')
    .where('email.lower_email', 'in', lowerEmails)
    .where('email.is_activated', '=', true)
    .execute()

export const listAccountsByName = (db: Db, lowerNames: readonly string[]): Promise<UserRow[]> =>
  db.selectFrom('user').selectAll().where('lower_name', 'in', lowerNames).where('kind', '=', 'individual').execute()
