import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { TeamId, UserId } from '../../lib/ids.ts'
import { teamHoldsAll } from './team-holds.store.ts'

/** Returns a column of the query's `repo`. A caller that wants no index for it writes the column as an expression. */
export type RepoColumn = (name: 'id' | 'owner_id' | 'audience') => RawBuilder<unknown>

/**
 * Returns conditions for rows of `repo` that an account contributes to: its own, those that its teams hold, those of its
 * organizations that are not private, and those it collaborates on. Each such repository satisfies one condition.
 * @param knownTo who may learn of the contributions: another account learns of public memberships and of common
 *   organizations, a guest of public memberships only and of no collaboration; undefined: everything counts
 */
export function contributedTo(
  userId: UserId,
  knownTo: UserId | 'guest' | undefined,
  column: RepoColumn,
): RawBuilder<SqlBool>[] {
  const ofUser = sql<SqlBool>`team.user_id = ${userId} and ${isKnownOrg(userId, knownTo)}`
  const orgs = sql`(select team.org_id from team_user as team where ${ofUser})`
  const wholeOwners = sql`(select cast(${userId} as bigint)
    union all select team.org_id from team_user as team where ${ofUser} and ${teamHoldsAll})`
  const ofTeams = sql`select team_repo.repo_id from team_user as team
    cross join team_repo where ${ofUser} and team_repo.team_id = team.team_id`
  const collaborations =
    knownTo === 'guest' ? sql`` : sql` union all select repo_id from collaboration where user_id = ${userId}`
  const owner = column('owner_id')
  const isOfWholeOwner = sql<SqlBool>`${owner} in ${wholeOwners}`
  const isShownToMembers = sql<SqlBool>`${owner} in ${orgs} and repo.audience < 3`
  return [
    isOfWholeOwner,
    sql<SqlBool>`${isShownToMembers} and repo.owner_id not in ${wholeOwners}`,
    sql<SqlBool>`${column('id')} in (${ofTeams}${collaborations})
      and not (repo.owner_id in ${wholeOwners} or (repo.owner_id in ${orgs} and repo.audience < 3))`,
  ]
}

const isKnownOrg = (userId: UserId, knownTo: UserId | 'guest' | undefined): RawBuilder<SqlBool> => {
  if (knownTo === undefined) return sql<SqlBool>`${sql.lit(true)}`
  const isCommon =
    knownTo === 'guest'
      ? sql``
      : sql` or org_user.org_id in (select own.org_id from org_user as own where own.user_id = ${knownTo})`
  return sql<SqlBool>`team.org_id in (select org_user.org_id from org_user
    where org_user.user_id = ${userId} and (org_user.is_public = ${sql.lit(true)}${isCommon}))`
}

/**
 * Returns conditions for rows of `repo` that a team holds: all of its organization, or those that it was given. Each such
 * repository satisfies one condition.
 */
export function heldByTeam(teamId: TeamId, column: RepoColumn): RawBuilder<SqlBool>[] {
  const orgOf = (holdsAll: RawBuilder<SqlBool>) =>
    sql`(select team.org_id from team where team.id = ${teamId} and ${holdsAll})`
  return [
    sql<SqlBool>`${column('owner_id')} = ${orgOf(teamHoldsAll)}`,
    sql<SqlBool>`${column('id')} in (select team_repo.repo_id from team_repo where team_repo.team_id = ${teamId})
      and repo.owner_id = ${orgOf(sql<SqlBool>`not ${teamHoldsAll}`)}`,
  ]
}
