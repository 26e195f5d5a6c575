import type { Db } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'

/** Teams of an organization that somebody is on: the access of each, and what it has of the unit of packages. */
export const listPackageTeams = (db: Db, orgId: UserId, userId: UserId) =>
  db
    .selectFrom('team_user')
    .innerJoin('team', 'team.id', 'team_user.team_id')
    .leftJoin('team_unit', (join) =>
      join.onRef('team_unit.team_id', '=', 'team.id').on('team_unit.unit', '=', 'packages'),
    )
    .select(['team.access_mode', 'team_unit.access_mode as unit_mode'])
    .where('team_user.org_id', '=', orgId)
    .where('team_user.user_id', '=', userId)
    .execute()
