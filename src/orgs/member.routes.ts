import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { noContent, paged, redirect } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { presentUser } from '../users/user.present.ts'
import { User } from '../users/user.schemas.ts'
import { accountOfPath, targetUser } from '../users/subject.requirements.ts'
import {
  checkMember,
  checkPublicMember,
  noMember,
  pageOfMembers,
  removeMember,
  showMembership,
} from './member.service.ts'
import { inOrg, orgMember, orgOwner } from './org.requirements.ts'

/** An unknown name gets the answer of an account that is not a member, so that the answer reveals no hidden account. */
const memberInPath = accountOfPath(noMember)

export const orgListMembers = operation({
  method: 'GET',
  path: '/orgs/{org}/members',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the members of an organization',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { users, total, bound } = await pageOfMembers(ctx, ctx.org, page, false)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const orgIsMember = operation({
  method: 'GET',
  path: '/orgs/{org}/members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, memberInPath],
  reply: { 204: 'empty', 303: 'empty' },
  summary: 'Check whether an account is a member',
  async run({ ctx }) {
    const found = await checkMember(ctx, ctx.org, ctx.subject)
    if (found === 'member') return noContent()
    const [org, user] = [ctx.org.name, ctx.subject.name].map(encodeURIComponent)
    return redirect(303, `${ctx.config.server.subPath}/api/v1/orgs/${org}/public_members/${user}`)
  },
})

export const orgDeleteMember = operation({
  method: 'DELETE',
  path: '/orgs/{org}/members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner, targetUser],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Remove a member from an organization',
  run: ({ ctx }) => removeMember(ctx, ctx.org, ctx.subject),
})

export const orgListPublicMembers = operation({
  method: 'GET',
  path: '/orgs/{org}/public_members',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the public members of an organization',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { users, total, bound } = await pageOfMembers(ctx, ctx.org, page, true)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const orgIsPublicMember = operation({
  method: 'GET',
  path: '/orgs/{org}/public_members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, memberInPath],
  reply: { 204: 'empty' },
  summary: 'Check whether an account is a public member',
  run: ({ ctx }) => checkPublicMember(ctx, ctx.org, ctx.subject),
})

export const orgPublicizeMember = operation({
  method: 'PUT',
  path: '/orgs/{org}/public_members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgMember, targetUser],
  reply: { 204: 'empty' },
  summary: 'Show the membership of a member',
  run: ({ ctx }) => showMembership(ctx, ctx.org, ctx.subject, true),
})

export const orgConcealMember = operation({
  method: 'DELETE',
  path: '/orgs/{org}/public_members/{username}',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg, signedIn, orgMember, targetUser],
  reply: { 204: 'empty' },
  summary: 'Hide the membership of a member',
  run: ({ ctx }) => showMembership(ctx, ctx.org, ctx.subject, false),
})
