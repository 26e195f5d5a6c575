import type { Db } from '../../db/database.ts'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { loadTeams } from '../../orgs/team.store.ts'
import { loadUsers } from '../../users/user.store.ts'

/** Names by id; missing accounts and teams have none. */
export interface ListNames {
  readonly users: (ids: readonly UserId[]) => string[]
  readonly teams: (ids: readonly TeamId[]) => string[]
}

/** Loads the names of all listed accounts and teams with two queries. */
export async function loadListNames(
  db: Db,
  userIds: readonly UserId[],
  teamIds: readonly TeamId[],
): Promise<ListNames> {
  const [users, teamRows] = await Promise.all([loadUsers(db, userIds), loadTeams(db, [...new Set(teamIds)])])
  const teams = new Map(teamRows.map((team) => [team.id, team.name]))
  return {
    users: (ids) => ids.flatMap((id) => users.get(id)?.name ?? []),
    teams: (ids) => ids.flatMap((id) => teams.get(id) ?? []),
  }
}
