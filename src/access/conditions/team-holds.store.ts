import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Step } from '../../db/steps.ts'
import type { RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'

/** The condition that a row of `team` holds every repository of its organization. */
export const teamHoldsAll: RawBuilder<SqlBool> = sql<SqlBool>`(team.includes_all_repositories = ${sql.lit(true)}
  or team.access_mode = 4)`

/**
 * Returns the condition that a row of `team` holds a repository of its organization: all repositories, as the team
 * of owners, or this one.
 * @param repo the repository, or the column of the query that names it
 */
export const teamHoldsRepo = (repo: RepoId | 'repo.id'): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${teamHoldsAll} or exists (
    select 1 from team_repo where team_repo.team_id = team.id
      and team_repo.repo_id = ${repo === 'repo.id' ? sql.ref(repo) : repo}))`

/**
 * Returns the condition that a mention reaches a row of `team`: it holds the repository and gives the unit. Teams
 * of administrators always do (contract, issues: mentions).
 */
export const teamIsCalledTo = (repo: RepoId, unit: RepoUnit): RawBuilder<SqlBool> =>
  sql<SqlBool>`(team.access_mode >= 3 or (${teamHoldsRepo(repo)} and exists (
    select 1 from team_unit where team_unit.team_id = team.id and team_unit.unit = ${unit}
      and team_unit.access_mode >= 1)))`

/**
 * Returns a step with the name `team` and a row for each member. `team_user` repeats the columns of its team, so
 * one index finds the teams of an account.
 * @param where condition for the rows of `team`
 */
export const teamsOfMembers = (where: RawBuilder<SqlBool>): Step => ({
  table: 'team',
  rows: sql`(select user_id, org_id, team_id as id, includes_all_repositories, access_mode, unit_modes from team_user)`,
  where,
})
