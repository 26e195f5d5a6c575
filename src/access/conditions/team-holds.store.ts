import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Step } from '../../db/steps.ts'
import type { RepoUnit } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'

/** That a team holds every repository of its organization: it has all of them, or is the team of owners. */
export const teamHoldsAll: RawBuilder<SqlBool> = sql<SqlBool>`(team.includes_all_repositories = ${sql.lit(true)}
  or team.access_mode = 4)`

/**
 * That a team holds a repository of its organization: it has all of them, is the team of owners, or was given this one.
 * A condition for queries that have `team`; every list and every check of rights asks it in this form.
 * @param repo the repository, or the column of the query that names it
 */
export const teamHoldsRepo = (repo: RepoId | 'repo.id'): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${teamHoldsAll} or exists (
    select 1 from team_repo where team_repo.team_id = team.id
      and team_repo.repo_id = ${repo === 'repo.id' ? sql.ref(repo) : repo}))`

/**
 * Condition on `team` for a mention: the team holds the repository and gives its members a unit. Teams of administrators
 * always do (contract, issues: mentions).
 */
export const teamIsCalledTo = (repo: RepoId, unit: RepoUnit): RawBuilder<SqlBool> =>
  sql<SqlBool>`(team.access_mode >= 3 or (${teamHoldsRepo(repo)} and exists (
    select 1 from team_unit where team_unit.team_id = team.id and team_unit.unit = ${unit}
      and team_unit.access_mode >= 1)))`

/**
 * Teams by who is on them, as rows of a `team` with what it gives, and `user_id`: that is kept with each member, so that an index
 * has it however many teams somebody is on.
 * @param where what the rows of `team` are to be
 */
export const teamsOfMembers = (where: RawBuilder<SqlBool>): Step => ({
  table: 'team',
  rows: sql`(select user_id, org_id, team_id as id, includes_all_repositories, access_mode, unit_modes from team_user)`,
  where,
})
