import type { Db } from '../db/database.ts'
import type { TeamRow, UserRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

/** People by name, in any letter case. */
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
