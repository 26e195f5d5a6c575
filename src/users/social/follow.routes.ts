import { Type } from 'typebox'
import { resolveVisibleAccount } from '../../access/named-account.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { checkFollowing, follow, notFollowed, pageOfFollowPeople, unfollow } from './follow.service.ts'
import { namedUser, targetUser } from '../subject.requirements.ts'
import { presentUser } from '../user.present.ts'
import { User } from '../user.schemas.ts'

export const userCurrentListFollowers = operation({
  method: 'GET',
  path: '/user/followers',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { users, total, bound } = await pageOfFollowPeople(ctx, 'followers', ctx.viewer.user, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const userCurrentListFollowing = operation({
  method: 'GET',
  path: '/user/following',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { users, total, bound } = await pageOfFollowPeople(ctx, 'following', ctx.viewer.user, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const userListFollowers = operation({
  method: 'GET',
  path: '/users/{username}/followers',
  scope: 'user',
  requires: [signedIn, namedUser],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { users, total, bound } = await pageOfFollowPeople(ctx, 'followers', ctx.subject, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const userListFollowing = operation({
  method: 'GET',
  path: '/users/{username}/following',
  scope: 'user',
  requires: [signedIn, namedUser],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { users, total, bound } = await pageOfFollowPeople(ctx, 'following', ctx.subject, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})

export const userCheckFollowing = operation({
  method: 'GET',
  path: '/users/{username}/following/{target}',
  scope: 'user',
  requires: [signedIn, namedUser],
  reply: { 204: 'empty' },
  async run({ ctx, params, call }) {
    const asked = { parameter: 'target', name: params.target, missing: notFollowed }
    await checkFollowing(ctx, ctx.subject, await resolveVisibleAccount(ctx, call, asked))
  },
})

export const userCurrentCheckFollowing = operation({
  method: 'GET',
  path: '/user/following/{username}',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => checkFollowing(ctx, ctx.viewer.user, ctx.subject),
})

export const userCurrentPutFollow = operation({
  method: 'PUT',
  path: '/user/following/{username}',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => follow(ctx, ctx.subject),
})

export const userCurrentDeleteFollow = operation({
  method: 'DELETE',
  path: '/user/following/{username}',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  run: ({ ctx }) => unfollow(ctx, ctx.subject),
})
