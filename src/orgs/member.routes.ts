import { Type } from 'typebox'
import { signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { noContent, paged, redirect } from '../http/reply.ts'
import { pageQuery, pathText } from '../http/schema.ts'
import { pageOf } from '../lib/paging.ts'
import { presentUser } from '../users/user.present.ts'
import { User } from '../users/user.schemas.ts'
import {
  checkMember,
  checkPublicMember,
  getUser,
  pageOfMembers,
  removeMember,
  showMembership,
} from './member.service.ts'
import { inOrg, orgMember, orgOwner } from './org.requirements.ts'

export const orgListMembers = operation({
  method: 'GET',
  path: '/orgs/{org}/members',
  scope: 'organization',
  requires: [inOrg, signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { members, total } = await pageOfMembers(ctx, ctx.org, page, false)
    return paged(
      members.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false },
    )
  },
})

export const orgIsMember = operation({
  method: 'GET',
  path: '/orgs/{org}/members/{username}',
  params: { username: pathText },
  scope: 'organization',
  requires: [inOrg, signedIn],
  reply: { 204: 'empty', 303: 'empty' },
  async run({ ctx, params }) {
    const found = await checkMember(ctx, ctx.org, params.username)
    if (found === 'member') return noContent()
    const [org, user] = [ctx.org.name, params.username].map(encodeURIComponent)
    return redirect(303, `${ctx.config.server.subPath}/api/v1/orgs/${org}/public_members/${user}`)
  },
})

export const orgDeleteMember = operation({
  method: 'DELETE',
  path: '/orgs/{org}/members/{username}',
  params: { username: pathText },
  scope: 'organization',
  requires: [inOrg, signedIn, orgOwner],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await removeMember(ctx, ctx.org, await getUser(ctx, params.username))
    return noContent()
  },
})

export const orgListPublicMembers = operation({
  method: 'GET',
  path: '/orgs/{org}/public_members',
  scope: 'organization',
  requires: [inOrg],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { members, total } = await pageOfMembers(ctx, ctx.org, page, true)
    return paged(
      members.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false },
    )
  },
})

export const orgIsPublicMember = operation({
  method: 'GET',
  path: '/orgs/{org}/public_members/{username}',
  params: { username: pathText },
  scope: 'organization',
  requires: [inOrg],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await checkPublicMember(ctx, ctx.org, params.username)
    return noContent()
  },
})

export const orgPublicizeMember = operation({
  method: 'PUT',
  path: '/orgs/{org}/public_members/{username}',
  params: { username: pathText },
  scope: 'organization',
  requires: [inOrg, signedIn, orgMember],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await showMembership(ctx, ctx.org, params.username, true)
    return noContent()
  },
})

export const orgConcealMember = operation({
  method: 'DELETE',
  path: '/orgs/{org}/public_members/{username}',
  params: { username: pathText },
  scope: 'organization',
  requires: [inOrg, signedIn, orgMember],
  reply: { 204: 'empty' },
  async run({ ctx, params }) {
    await showMembership(ctx, ctx.org, params.username, false)
    return noContent()
  },
})
