import { Type } from 'typebox'
import { anyAccess, inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { inTeam, teamMember, teamPublicOnly } from '../../orgs/org.requirements.ts'
import { presentTeam, presentTeams } from '../../orgs/team.present.ts'
import { Team } from '../../orgs/team.schemas.ts'
import { presentRepos } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'
import {
  getOwnerTeam,
  getRepoToGive,
  getTeamRepo,
  giveRepoToTeam,
  listRepoTeams,
  pageOfTeamRepos,
  refuseTeamChange,
  takeRepoFromTeam,
  teamHasRepo,
} from './team-repo.service.ts'

export const orgListTeamRepos = operation({
  method: 'GET',
  path: '/teams/{teamid}/repos',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories of a team',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { repos, total } = await pageOfTeamRepos(ctx, ctx.team, page)
    return paged(await presentRepos(ctx, repos), page, total, { link: false })
  },
})

export const orgListTeamRepo = operation({
  method: 'GET',
  path: '/teams/{teamid}/repos/{org}/{reponame}',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn],
  reply: { 200: Repository },
  summary: 'Get a repository of a team',
  async run({ ctx, params }) {
    const [repo] = await presentRepos(ctx, [await getTeamRepo(ctx, ctx.org, ctx.team, params.reponame)])
    if (!repo) throw new NotFound('the repository does not exist', 'repo_not_found')
    return ok(repo)
  },
})

export const orgAddTeamRepository = operation({
  method: 'PUT',
  path: '/teams/{teamid}/repos/{org}/{reponame}',
  cost: 'usual',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Give a repository to a team',
  async run({ ctx, params }) {
    const repo = await getRepoToGive(ctx, ctx.org, params.reponame)
    await giveRepoToTeam(ctx, ctx.team, repo.id)
  },
})

export const orgRemoveTeamRepository = operation({
  method: 'DELETE',
  path: '/teams/{teamid}/repos/{org}/{reponame}',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Take a repository from a team',
  async run({ ctx, params }) {
    const repo = await getRepoToGive(ctx, ctx.org, params.reponame)
    await takeRepoFromTeam(ctx, ctx.team, repo.id)
  },
})

export const repoListTeams = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/teams',
  cost: 'usual',
  scope: 'repository',
  refuses: [405],
  requires: [inRepo, signedIn, anyAccess],
  reply: { 200: Type.Array(Team) },
  summary: 'List the teams of a repository',
  run: async ({ ctx }) => ok(await presentTeams(ctx, await listRepoTeams(ctx))),
})

export const repoCheckTeam = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/teams/{team}',
  cost: 'usual',
  scope: 'repository',
  refuses: [405],
  requires: [inRepo, signedIn, anyAccess],
  reply: { 200: Team },
  summary: 'Get a team of a repository',
  async run({ ctx, params }) {
    const team = await getOwnerTeam(ctx, params.team)
    if (!(await teamHasRepo(ctx, team))) {
      throw new NotFound('the team does not have the repository', 'team_without_repo')
    }
    return ok(await presentTeam(ctx, team))
  },
})

export const repoAddTeam = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/teams/{team}',
  cost: 'usual',
  scope: 'repository',
  outlivesCredential: true,
  refuses: [405, 422],
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Give a repository to a team, by the name of the team',
  async run({ ctx, params }) {
    refuseTeamChange(ctx)
    const team = await getOwnerTeam(ctx, params.team)
    if (await teamHasRepo(ctx, team)) throw new Invalid('the team has the repository already', 'team_has_repo')
    await giveRepoToTeam(ctx, team, ctx.repo.id)
  },
})

export const repoDeleteTeam = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/teams/{team}',
  cost: 'usual',
  scope: 'repository',
  refuses: [405, 422],
  requires: [inRepo, signedIn, repoAdmin],
  reply: { 204: 'empty' },
  summary: 'Take a repository from a team, by the name of the team',
  async run({ ctx, params }) {
    refuseTeamChange(ctx)
    const team = await getOwnerTeam(ctx, params.team)
    if (!(await takeRepoFromTeam(ctx, team, ctx.repo.id))) {
      throw new Invalid('the team does not have the repository', 'team_without_repo')
    }
  },
})
