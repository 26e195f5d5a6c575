import { bytewise } from '../../db/bytewise.ts'
import type { Db } from '../../db/database.ts'
import type { UserId } from '../../lib/ids.ts'

/** A team of a person, or an organization without a team, by names in lower case. */
export interface Membership {
  readonly org: string
  readonly team: string | null
}

/** Returns the organizations and teams of a person by name; with `publicOnly` only public memberships. */
export async function listMemberships(db: Db, userId: UserId, publicOnly: boolean): Promise<Membership[]> {
  let orgs = db
    .selectFrom('org_user')
    .innerJoin('user as org', 'org.id', 'org_user.org_id')
    .where('org_user.user_id', '=', userId)
  if (publicOnly) orgs = orgs.where('org_user.is_public', '=', true).where('org.visibility', '=', 'public')
  const rows = await orgs
    .leftJoin('team_user', (join) =>
      join.onRef('team_user.org_id', '=', 'org_user.org_id').onRef('team_user.user_id', '=', 'org_user.user_id'),
    )
    .leftJoin('team', 'team.id', 'team_user.team_id')
    .select(['org.lower_name as org', 'team.lower_name as team'])
    .orderBy(bytewise(db, 'org.lower_name'))
    .orderBy(bytewise(db, 'team.lower_name'))
    .execute()
  return rows
}
