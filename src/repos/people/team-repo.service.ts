import { findRepoByName } from '../../access/access.store.ts'
import type { Ctx, RepoCtx, SignedInCtx } from '../../access/context.ts'
import { accessTo } from '../../access/repo-access.ts'
import { noRepo, openRepo } from '../../access/resolve-repo.ts'
import { transaction } from '../../db/database.ts'
import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { publish } from '../../events/hub.ts'
import { Forbidden, Invalid, MethodNotAllowed, NotFound } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { factsOfTeam } from '../../orgs/team.service.ts'
import {
  countTeamMembers,
  deleteTeamRepo,
  findTeamByName,
  hasTeamRepo,
  insertTeamRepos,
  listTeamMemberIds,
  listTeamsOfRepo,
} from '../../orgs/team.store.ts'
import { countTeamRepos, findTeamRepo, listReposBeyondTeam, listTeamRepos } from './team-repo.store.ts'
import { mayGiveToTeams } from './team-repo.policy.ts'
import { watchRepos } from '../social/watch.store.ts'

export async function pageOfTeamRepos(
  ctx: Ctx,
  team: TeamRow,
  page: Page,
): Promise<{ readonly repos: RepoRow[]; readonly total: number }> {
  const [repos, total] = await rowsAndTotal(
    page,
    listTeamRepos(ctx.db, team.id, ctx.viewer, page),
    countTeamRepos(ctx.db, team.id, ctx.viewer),
  )
  return { repos, total }
}

/**
 * A repository that the team has and the viewer may see, or `NotFound`. Its owner is the organization, whatever the path
 * says (observed).
 */
export async function getTeamRepo(ctx: Ctx, org: UserRow, team: TeamRow, name: string): Promise<RepoRow> {
  const repo = await findTeamRepo(ctx.db, team.id, name.toLowerCase())
  if (!repo) throw noRepo()
  return (await openRepo(ctx, org, repo)).repo
}

/** A repository of the team's organization whose code the viewer administers; else `NotFound` or `Forbidden`. */
export async function getRepoToGive(ctx: SignedInCtx, org: UserRow, name: string): Promise<RepoRow> {
  const repo = await findRepoByName(ctx.db, org.id, name.toLowerCase())
  if (!repo) throw noRepo()
  const { rights } = await accessTo(ctx.db, ctx.viewer, org, repo)
  must(mayGiveToTeams(rights))
  return repo
}

/** Adds a repository to a team, if the team does not have it. */
export async function giveRepoToTeam(ctx: SignedInCtx, team: TeamRow, repoId: RepoId): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const isNew = (await insertTeamRepos(tx, team, [repoId])).length > 0
    if (isNew) await publish(tx, 'team.repoAdded', { ...factsOfTeam(team, ctx.viewer.id), repoId })
    if (!ctx.config.service.autoWatchNewRepos) return
    await watchRepos(tx, [repoId], await listTeamMemberIds(tx, team.id), 'auto', nowUnix(ctx.clock))
  })
}

/** Most repositories that one request gives to a team. */
const maxGivenAtOnce = 100
/** Most watches that one request inserts. */
const maxWatches = 5000

/** Returns the first repositories, by name, that the team lacks and the viewer sees. */
export const reposBeyondTeam = (ctx: SignedInCtx, team: TeamRow, limit: number): Promise<RepoRow[]> =>
  listReposBeyondTeam(ctx.db, team, ctx.viewer, limit)

/**
 * Adds the repositories of its organization to a team, for owners. Large organizations need several calls.
 * @returns the number of added repositories, and whether the team still lacks repositories
 */
export async function giveAllReposToTeam(
  ctx: SignedInCtx,
  team: TeamRow,
): Promise<{ readonly count: number; readonly hasMore: boolean }> {
  const members = await countTeamMembers(ctx.db, team.id)
  const limit = Math.max(1, Math.min(maxGivenAtOnce, Math.floor(maxWatches / Math.max(1, members))))
  const found = await reposBeyondTeam(ctx, team, limit + 1)
  const ids = found.slice(0, limit).map(({ id }) => id)
  const count = await transaction(ctx.db, async (tx) => {
    const added = await insertTeamRepos(tx, team, ids)
    for (const repoId of added) await publish(tx, 'team.repoAdded', { ...factsOfTeam(team, ctx.viewer.id), repoId })
    if (ctx.config.service.autoWatchNewRepos) {
      await watchRepos(tx, added, await listTeamMemberIds(tx, team.id), 'auto', nowUnix(ctx.clock))
    }
    return added.length
  })
  return { count, hasMore: found.length > limit }
}

/**
 * Removes a repository from a team; returns false when the team did not have it. Throws `Invalid` for a team with all
 * repositories.
 */
export async function takeRepoFromTeam(ctx: SignedInCtx, team: TeamRow, repoId: RepoId): Promise<boolean> {
  if (hasAllRepos(team)) throw new Invalid('the team has all repositories of the organization', 'team_has_all')
  return transaction(ctx.db, async (tx) => {
    if (!(await deleteTeamRepo(tx, team.id, repoId))) return false
    await publish(tx, 'team.repoRemoved', { ...factsOfTeam(team, ctx.viewer.id), repoId })
    for (const userId of await listTeamMemberIds(tx, team.id)) {
      await publish(tx, 'access.reduced', { userId, ownerId: team.org_id })
    }
    return true
  })
}

/** Returns whether a team has every repository of its organization. */
export const hasAllRepos = (team: TeamRow): boolean => team.includes_all_repositories || team.access_mode === 4

/** Teams that have the repository; 405 for a repository of a person, which has none. */
export async function listRepoTeams(ctx: RepoCtx): Promise<TeamRow[]> {
  refuseNoOrg(ctx)
  return listTeamsOfRepo(ctx.db, ctx.owner.id, ctx.repo.id)
}

function refuseNoOrg({ owner }: RepoCtx): void {
  if (owner.kind !== 'organization') {
    throw new MethodNotAllowed('only repositories of organizations have teams', 'owner_not_organization')
  }
}

/** Returns a team of the owner by name; 405 for a repository of a person. */
export async function findOwnerTeam(ctx: RepoCtx, name: string): Promise<TeamRow | undefined> {
  refuseNoOrg(ctx)
  return findTeamByName(ctx.db, ctx.owner.id, name.toLowerCase())
}

/** A team of the owner by name, or `NotFound`. */
export async function getOwnerTeam(ctx: RepoCtx, name: string): Promise<TeamRow> {
  const team = await findOwnerTeam(ctx, name)
  if (!team) throw new NotFound('the team does not exist', 'team_not_found')
  return team
}

export const teamHasRepo = async (ctx: RepoCtx, team: TeamRow): Promise<boolean> =>
  hasAllRepos(team) || hasTeamRepo(ctx.db, team.id, ctx.repo.id)

/** Returns whether the organization lets an administrator of a repository, or only its owners, give teams access to it. */
export const mayChangeTeams = ({ owner, rights }: RepoCtx): boolean =>
  owner.repo_admin_change_team_access || rights.isOwner

/** Throws `Forbidden` where the organization lets only its owners give teams access to a repository. */
export function refuseTeamChange(ctx: RepoCtx): void {
  refuseNoOrg(ctx)
  if (!mayChangeTeams(ctx)) {
    throw new Forbidden('administrators of repositories may not change their teams here', 'team_access_fixed')
  }
}
