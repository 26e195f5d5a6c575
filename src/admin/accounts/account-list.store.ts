import type { Db } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { UserId } from '../../lib/ids.ts'

/** Returns accounts of people in order of id, after `after`. */
export function listPeople(
  db: Db,
  page: { readonly onlyAdmins: boolean; readonly after: UserId; readonly limit: number },
): Promise<UserRow[]> {
  const people = db
    .selectFrom('user')
    .selectAll()
    .where('kind', '=', 'individual')
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
  return (page.onlyAdmins ? people.where('is_admin', '=', true) : people).execute()
}
