import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { TeamId, UserId } from '../../lib/ids.ts'

/** People by lower-case name. */
export const listUsersByName = (db: Db, lowerNames: readonly string[]): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('lower_name', 'in', lowerNames)
    .where('kind', '=', 'individual')
    .orderBy('id')
    .execute()

export const listTeamsByName = (db: Db, orgId: UserId, lowerNames: readonly string[]): Promise<TeamRow[]> =>
  db
    .selectFrom('team')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('lower_name', 'in', lowerNames)
    .orderBy('id')
    .execute()

/** Removes an id from a list, which is JSON without spaces and duplicates. */
function without(list: string, id: number): RawBuilder<string> {
  const alone = sql`replace(${sql.ref(list)}, ${`[${id}]`}, '[]')`
  const first = sql`replace(${alone}, ${`[${id},`}, '[')`
  const inside = sql`replace(${first}, ${`,${id},`}, ',')`
  return sql<string>`replace(${inside}, ${`,${id}]`}, ']')`
}

/** Removes an account or a team from all allow lists. */
export async function takeOffLists(tx: Tx, kind: 'user' | 'team', id: UserId | TeamId): Promise<void> {
  const lists = [`push_${kind}_ids`, `merge_${kind}_ids`, `approvals_${kind}_ids`] as const
  await tx
    .updateTable('branch_rule')
    .set(Object.fromEntries(lists.map((list) => [list, without(list, id)])))
    .where((rule) => rule.or(lists.map((list) => rule(list, 'like', `%${id}%`))))
    .execute()
  await tx
    .updateTable('tag_rule')
    .set({ [`${kind}_ids`]: without(`${kind}_ids`, id) })
    .where(`${kind}_ids`, 'like', `%${id}%`)
    .execute()
}
