import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { RepoId } from '../lib/ids.ts'

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
