import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'

/** Accounts and organizations by names in any letter case, in one query. */
export const listAccountsByNames = (db: Db, names: readonly string[]): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('lower_name', 'in', [...new Set(names.map((name) => name.toLowerCase()))])
    .execute()
