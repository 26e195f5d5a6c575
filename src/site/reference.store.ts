import { teamHoldsRepo } from '../access/conditions/team-holds.store.ts'
import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'

/** Returns accounts and organizations by name in any letter case, in one query. */
export const listAccountsByNames = (db: Db, names: readonly string[]): Promise<UserRow[]> =>
  db
    .selectFrom('user')
    .selectAll()
    .where('lower_name', 'in', [...new Set(names.map((name) => name.toLowerCase()))])
    .execute()

/** Returns the lower-case names of the given teams that have the repository; teams belong to its owner. */
export const listTeamNamesOfRepo = async (
  db: Db,
  { id, owner_id }: Pick<RepoRow, 'id' | 'owner_id'>,
  lowerNames: readonly string[],
): Promise<string[]> =>
  (
    await db
      .selectFrom('team')
      .select('lower_name')
      .where('org_id', '=', owner_id)
      .where('lower_name', 'in', lowerNames)
      .where(teamHoldsRepo(id))
      .execute()
  ).map((row) => row.lower_name)
