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

/** Removes an account from all allow lists. */
export async function takeAccountOffLists(tx: Tx, id: UserId): Promise<void> {
  await tx
    .updateTable('branch_rule')
    .set({
      push_user_ids: without('push_user_ids', id),
      merge_user_ids: without('merge_user_ids', id),
      approvals_user_ids: without('approvals_user_ids', id),
    })
    .where((rule) =>
      rule.or([
        rule('push_user_ids', 'like', `%${id}%`),
        rule('merge_user_ids', 'like', `%${id}%`),
        rule('approvals_user_ids', 'like', `%${id}%`),
      ]),
    )
    .execute()
  await tx
    .updateTable('tag_rule')
    .set({ user_ids: without('user_ids', id) })
    .where('user_ids', 'like', `%${id}%`)
    .execute()
}

/** Removes a team from all allow lists. */
export async function takeTeamOffLists(tx: Tx, id: TeamId): Promise<void> {
  await tx
    .updateTable('branch_rule')
    .set({
      push_team_ids: without('push_team_ids', id),
      merge_team_ids: without('merge_team_ids', id),
      approvals_team_ids: without('approvals_team_ids', id),
    })
    .where((rule) =>
      rule.or([
        rule('push_team_ids', 'like', `%${id}%`),
        rule('merge_team_ids', 'like', `%${id}%`),
        rule('approvals_team_ids', 'like', `%${id}%`),
      ]),
    )
    .execute()
  await tx
    .updateTable('tag_rule')
    .set({ team_ids: without('team_ids', id) })
    .where('team_ids', 'like', `%${id}%`)
    .execute()
}
