import { Type } from 'typebox'
import { inRepo, repoAdmin } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, paged } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import type { InvitationId } from '../../lib/ids.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { presentInvitations, presentNewInvitation } from './invitation.present.ts'
import { CreateOrgInvitationOption, CreateRepoInvitationOption, Invitation } from './invitation.schemas.ts'
import { getTeamToInviteTo, invite, linkToHandOver, pageOfInvitations, revokeInvitation } from './invitation.service.ts'

const ofRepo = { path: '/repos/{username}/{reponame}/invitations', cost: 'usual', scope: 'repository' } as const
const ofOrg = { path: '/orgs/{org}/invitations', cost: 'usual', scope: 'organization' } as const

export const repoListInvitations = operation({
  ...ofRepo,
  method: 'GET',
  requires: [inRepo, signedIn, repoAdmin],
  query: pageQuery,
  reply: { 200: Type.Array(Invitation) },
  summary: 'List the open invitations to a repository',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfInvitations(ctx, { repoId: ctx.repo.id }, page)
    return paged(presentInvitations(ctx, rows), page, total)
  },
})

export const repoCreateInvitation = operation({
  ...ofRepo,
  method: 'POST',
  outlivesCredential: true,
  requires: [inRepo, signedIn, repoAdmin, validBody],
  refuses: [409, 429],
  body: CreateRepoInvitationOption,
  reply: { 201: Invitation },
  summary: 'Invite to a repository, by mail or with a link',
  async run({ ctx, body }) {
    const target = { kind: 'repository', repo: ctx.repo, owner: ctx.owner } as const
    const invitation = await invite(ctx, target, body)
    return created(presentNewInvitation(ctx, invitation, linkToHandOver(ctx, invitation)))
  },
})

export const repoRevokeInvitation = operation({
  ...ofRepo,
  method: 'DELETE',
  path: `${ofRepo.path}/{id}`,
  params: { id: pathNumber },
  requires: [inRepo, signedIn, repoAdmin],
  refuses: [409],
  reply: { 204: 'empty' },
  summary: 'Revoke an invitation to a repository',
  run: ({ ctx, params }) => revokeInvitation(ctx, params.id as InvitationId, { repoId: ctx.repo.id }),
})

export const orgListInvitations = operation({
  ...ofOrg,
  method: 'GET',
  requires: [inOrg, signedIn, orgOwner],
  query: pageQuery,
  reply: { 200: Type.Array(Invitation) },
  summary: 'List the open invitations to the teams of an organization',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { rows, total } = await pageOfInvitations(ctx, { orgId: ctx.org.id }, page)
    return paged(presentInvitations(ctx, rows), page, total)
  },
})

export const orgCreateInvitation = operation({
  ...ofOrg,
  method: 'POST',
  outlivesCredential: true,
  requires: [inOrg, signedIn, orgOwner, validBody],
  refuses: [409, 429],
  body: CreateOrgInvitationOption,
  reply: { 201: Invitation },
  summary: 'Invite to a team of an organization, by mail or with a link',
  async run({ ctx, body }) {
    const team = await getTeamToInviteTo(ctx, ctx.org, body.team_id)
    const target = { kind: 'team', team, org: ctx.org } as const
    const invitation = await invite(ctx, target, { email: body.email })
    return created(presentNewInvitation(ctx, invitation, linkToHandOver(ctx, invitation)))
  },
})

export const orgRevokeInvitation = operation({
  ...ofOrg,
  method: 'DELETE',
  path: `${ofOrg.path}/{id}`,
  params: { id: pathNumber },
  requires: [inOrg, signedIn, orgOwner],
  refuses: [409],
  reply: { 204: 'empty' },
  summary: 'Revoke an invitation to a team of an organization',
  run: ({ ctx, params }) => revokeInvitation(ctx, params.id as InvitationId, { orgId: ctx.org.id }),
})
