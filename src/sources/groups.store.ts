import type { Db } from '../db/database.ts'
import type { TeamRow } from '../db/tables/accounts.ts'
import type { UserId } from '../lib/ids.ts'

/** Returns the teams with these lower-case names, with their organizations, and whether the person is a member. */
export const listNamedTeams = (
  db: Db,
  userId: UserId,
  orgs: readonly string[],
  teams: readonly string[],
): Promise<(TeamRow & { org: string; member: UserId | null })[]> =>
  db
    .selectFrom('team')
    .innerJoin('user as org', 'org.id', 'team.org_id')
    .leftJoin('team_user', (join) =>
      join.onRef('team_user.team_id', '=', 'team.id').on('team_user.user_id', '=', userId),
    )
    .selectAll('team')
    .select(['org.lower_name as org', 'team_user.user_id as member'])
    .where('org.lower_name', 'in', orgs)
    .where('team.lower_name', 'in', teams)
    .execute()
