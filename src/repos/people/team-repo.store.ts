import { mayEnter } from '../../access/conditions/repo-condition.store.ts'
import { teamHoldsRepo } from '../../access/conditions/team-holds.store.ts'
import type { Viewer } from '../../auth/viewer.ts'
import { bytewise } from '../../db/bytewise.ts'
import type { Db, Tx } from '../../db/database.ts'
import { countRows } from '../../db/rows.ts'
import type { TeamRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId, TeamId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'

/** Repositories that a team has: given it, or all of the organization. */
const reposOfTeam = (db: Db | Tx, teamId: TeamId) =>
  db
    .selectFrom('repo')
    .innerJoin('team', 'team.org_id', 'repo.owner_id')
    .where('team.id', '=', teamId)
    .where(teamHoldsRepo('repo.id'))

const seenReposOfTeam = (db: Db, teamId: TeamId, viewer: Viewer | undefined) =>
  reposOfTeam(db, teamId).innerJoin('user as owner', 'owner.id', 'repo.owner_id').where(mayEnter(viewer, 'repo'))

/** One page of the repositories that a team has and the viewer may see. */
export const listTeamRepos = (db: Db, teamId: TeamId, viewer: Viewer | undefined, page: Page): Promise<RepoRow[]> =>
  seenReposOfTeam(db, teamId, viewer)
    .selectAll('repo')
    .orderBy(bytewise(db, 'repo.lower_name'))
    .limit(page.limit)
    .offset(page.offset)
    .execute()

export const countTeamRepos = (db: Db, teamId: TeamId, viewer: Viewer | undefined): Promise<number> =>
  countRows(seenReposOfTeam(db, teamId, viewer))

/** One page of the repositories of the organization that the team lacks and the viewer may see. */
export const listReposBeyondTeam = (
  db: Db,
  team: TeamRow,
  viewer: Viewer | undefined,
  limit: number,
): Promise<RepoRow[]> =>
  db
    .selectFrom('repo')
    .innerJoin('team', 'team.org_id', 'repo.owner_id')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .selectAll('repo')
    .where('team.id', '=', team.id)
    .where((where) => where.not(teamHoldsRepo('repo.id')))
    .where(mayEnter(viewer, 'repo'))
    .orderBy(bytewise(db, 'repo.lower_name'))
    .limit(limit)
    .execute()

export const listTeamRepoIds = async (db: Db | Tx, teamId: TeamId): Promise<RepoId[]> =>
  (await reposOfTeam(db, teamId).select('repo.id').execute()).map((row) => row.id)

/** A repository that the team has, or undefined. */
export const findTeamRepo = (db: Db, teamId: TeamId, lowerName: string): Promise<RepoRow | undefined> =>
  reposOfTeam(db, teamId).selectAll('repo').where('repo.lower_name', '=', lowerName).executeTakeFirst()

/** Deletes the rows of teams for a repository and returns them. */
export const deleteTeamReposOf = (tx: Tx, repoId: RepoId) =>
  tx.deleteFrom('team_repo').where('repo_id', '=', repoId).returning(['team_id', 'org_id']).execute()
