import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

export const findAccount = (db: Db, id: UserId): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()

/**
 * Returns a person by name in any letter case, or by any confirmed address. A confirmed address proves nothing where
 * addresses are not confirmed by mail: use `findPersonByPrimary` where control of an address gives access to the account.
 */
export const findPerson = (db: Db, login: string): Promise<UserRow | undefined> => find(db, login, false)

/** Returns a person by name in any letter case, or by the primary address. */
export const findPersonByPrimary = (db: Db, login: string): Promise<UserRow | undefined> => find(db, login, true)

async function find(db: Db, login: string, isPrimary: boolean): Promise<UserRow | undefined> {
  const lower = login.toLowerCase()
  const named = await db
    .selectFrom('user')
    .selectAll()
    .where('lower_name', '=', lower)
    .where('kind', '=', 'individual')
    .executeTakeFirst()
  if (named || !lower.includes('@')) return named
  return db
    .selectFrom('email')
    .innerJoin('user', 'user.id', 'email.user_id')
    .selectAll('user')
    .where('email.lower_email', '=', lower)
    .where('email.is_activated', '=', true)
    .$if(isPrimary, (query) => query.where('email.is_primary', '=', true))
    .executeTakeFirst()
}
