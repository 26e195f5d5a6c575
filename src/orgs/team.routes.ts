import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation, validBody } from '../http/operation.ts'
import { created, ok, paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { presentUser } from '../users/user.present.ts'
import { User } from '../users/user.schemas.ts'
import { accountOfPath, targetUser } from '../users/subject.requirements.ts'
import { inOrg, inTeam, orgMember, orgOwner, teamMember, teamOrgOwner, teamPublicOnly } from './org.requirements.ts'
import { presentOwnTeams, presentTeam, presentTeams } from './team.present.ts'
import { CreateTeamOption, EditTeamOption, Team, TeamSearchResults } from './team.schemas.ts'
import {
  addTeamMember,
  checkTeamMember,
  createTeam,
  editTeam,
  notOnTeam,
  pageOfOwnTeams,
  pageOfTeamMembers,
  pageOfTeams,
  removeTeam,
  removeTeamMember,
  searchTeams,
} from './team.service.ts'

const teamOf = (body: EditTeamOption) => ({
  description: body.description,
  permission: body.permission,
  units: body.units,
  unitsMap: body.units_map,
  includesAllRepositories: body.includes_all_repositories,
  canCreateOrgRepo: body.can_create_org_repo,
})

export const orgListTeams = operation({
  method: 'GET',
  path: '/orgs/{org}/teams',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgMember],
  query: pageQuery,
  reply: { 200: Type.Array(Team) },
  summary: 'List the teams of an organization',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { teams, total } = await pageOfTeams(ctx, ctx.org, page)
    return paged(await presentTeams(ctx, teams), page, total, { link: false })
  },
})

export const orgCreateTeam = operation({
  method: 'POST',
  path: '/orgs/{org}/teams',
  cost: 'usual',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgMember, orgOwner, validBody],
  body: CreateTeamOption,
  reply: { 201: Team },
  summary: 'Create a team',
  async run({ ctx, body }) {
    const team = await createTeam(ctx, ctx.org, { name: body.name, ...teamOf(body) })
    return created(await presentTeam(ctx, team, ctx.org))
  },
})

export const teamSearch = operation({
  method: 'GET',
  path: '/orgs/{org}/teams/search',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgMember],
  query: { q: Type.Optional(Type.String()), include_desc: Type.Optional(Type.Boolean()), ...pageQuery },
  reply: { 200: TeamSearchResults },
  summary: 'Search the teams of an organization',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const wanted = { text: (query.q ?? '').trim(), alsoDescription: query.include_desc ?? true }
    const { teams, total } = await searchTeams(ctx, ctx.org, wanted, page)
    return paged({ ok: true, data: await presentTeams(ctx, teams) }, page, total)
  },
})

export const userListTeams = operation({
  method: 'GET',
  path: '/user/teams',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(Team) },
  summary: 'List the teams of the caller',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { teams, total } = await pageOfOwnTeams(ctx, page)
    return paged(await presentOwnTeams(ctx, teams), page, total, { link: false })
  },
})

export const orgGetTeam = operation({
  method: 'GET',
  path: '/teams/{teamid}',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn],
  reply: { 200: Team },
  summary: 'Get a team',
  run: async ({ ctx }) => ok(await presentTeam(ctx, ctx.team, ctx.org)),
})

export const orgEditTeam = operation({
  method: 'PATCH',
  path: '/teams/{teamid}',
  cost: 'usual',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn, teamOrgOwner, validBody],
  body: EditTeamOption,
  reply: { 200: Team },
  summary: 'Edit a team',
  async run({ ctx, body }) {
    const team = await editTeam(ctx, ctx.team, { name: body.name, ...teamOf(body) })
    return ok(await presentTeam(ctx, team))
  },
})

export const orgDeleteTeam = operation({
  method: 'DELETE',
  path: '/teams/{teamid}',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn, teamOrgOwner],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Delete a team',
  run: ({ ctx }) => removeTeam(ctx, ctx.team),
})

export const orgListTeamMembers = operation({
  method: 'GET',
  path: '/teams/{teamid}/members',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the members of a team',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { members, total } = await pageOfTeamMembers(ctx, ctx.team, page)
    return paged(
      members.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false },
    )
  },
})

export const orgListTeamMember = operation({
  method: 'GET',
  path: '/teams/{teamid}/members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn, accountOfPath(notOnTeam)],
  reply: { 200: User },
  summary: 'Get a member of a team',
  async run({ ctx }) {
    await checkTeamMember(ctx, ctx.team, ctx.subject)
    return ok(presentUser(ctx, ctx.subject))
  },
})

export const orgAddTeamMember = operation({
  method: 'PUT',
  path: '/teams/{teamid}/members/{username}',
  cost: 'usual',
  scope: 'organization',
  outlivesCredential: true,
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn, teamOrgOwner, targetUser],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Add a member to a team',
  run: ({ ctx }) => addTeamMember(ctx, ctx.team, ctx.subject),
})

export const orgRemoveTeamMember = operation({
  method: 'DELETE',
  path: '/teams/{teamid}/members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly, signedIn, teamOrgOwner, targetUser],
  reply: { 204: 'empty' },
  summary: 'Remove a member from a team',
  run: ({ ctx }) => removeTeamMember(ctx, ctx.team, ctx.subject),
})
