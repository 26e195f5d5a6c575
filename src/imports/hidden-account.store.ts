import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'

/** Finds a reserved account by its exact name. */
export const findReservedAccount = (db: Db, name: string): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('lower_name', '=', name).where('kind', '=', 'reserved').executeTakeFirst()
