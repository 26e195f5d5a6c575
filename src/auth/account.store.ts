import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

export const findAccount = (db: Db, id: UserId): Promise<UserRow | undefined> =>
  db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()

/** A person by name in any letter case, or by any confirmed address. */
export async function findPerson(db: Db, login: string): Promise<UserRow | undefined> {
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
    .executeTakeFirst()
}
