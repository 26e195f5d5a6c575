import { Type } from 'typebox'
import type { SignedInCtx } from '../../access/context.ts'
import { anyHolder, type Holder } from '../../access/holder.ts'
import { resolveVisibleAccount } from '../../access/named-account.ts'
import { signedIn } from '../../access/requirements.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { operation, type AnyRequirement } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOrWhole } from '../../lib/paging.ts'
import { checkFollowing, follow, notFollowed, pageOfFollowPeople, unfollow } from './follow.service.ts'
import { namedUser, targetUser } from '../subject.requirements.ts'
import { presentUser } from '../user.present.ts'
import { User } from '../user.schemas.ts'

interface Followed extends Pick<SignedInCtx, 'viewer'> {
  readonly account: UserRow
}

/** Declares the lists of who follows an account, and of whom it follows. */
function followLists<const Rs extends readonly AnyRequirement[]>(holder: Holder<Rs, Followed>) {
  const { path, scope, requires, ownerOf } = anyHolder(holder)
  const listOf = (side: 'followers' | 'following') =>
    operation({
      method: 'GET',
      path: `${path}/${side}`,
      cost: 'usual',
      scope,
      requires,
      query: pageQuery,
      reply: { 200: Type.Array(User) },
      summary: side === 'followers' ? 'List the followers' : 'List the followed accounts',
      async run({ ctx, query }) {
        const page = pageOrWhole(query, ctx.config.api)
        const { viewer, account } = ownerOf(ctx)
        const { users, total, bound } = await pageOfFollowPeople({ ...ctx, viewer }, side, account, page)
        return paged(
          users.map((user) => presentUser(ctx, user)),
          page,
          total,
          { link: false, bound },
        )
      },
    })
  return { followers: listOf('followers'), following: listOf('following') }
}

export const { followers: userCurrentListFollowers, following: userCurrentListFollowing } = followLists({
  path: '/user',
  scope: 'user',
  requires: [signedIn],
  ownerOf: ({ viewer }) => ({ viewer, account: viewer.user }),
})

export const { followers: userListFollowers, following: userListFollowing } = followLists({
  path: '/users/{username}',
  scope: 'user',
  requires: [signedIn, namedUser],
  ownerOf: ({ viewer, subject }) => ({ viewer, account: subject }),
})

export const userCheckFollowing = operation({
  method: 'GET',
  path: '/users/{username}/following/{target}',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, namedUser],
  reply: { 204: 'empty' },
  summary: 'Check whether an account follows another',
  async run({ ctx, params, call }) {
    const parameter = { parameter: 'target', name: params.target, missing: notFollowed }
    await checkFollowing(ctx, ctx.subject, await resolveVisibleAccount(ctx, call, parameter))
  },
})

export const userCurrentCheckFollowing = operation({
  method: 'GET',
  path: '/user/following/{username}',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  summary: 'Check whether the caller follows an account',
  run: ({ ctx }) => checkFollowing(ctx, ctx.viewer.user, ctx.subject),
})

export const userCurrentPutFollow = operation({
  method: 'PUT',
  path: '/user/following/{username}',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  summary: 'Follow an account',
  run: ({ ctx }) => follow(ctx, ctx.subject),
})

export const userCurrentDeleteFollow = operation({
  method: 'DELETE',
  path: '/user/following/{username}',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, targetUser],
  reply: { 204: 'empty' },
  summary: 'Unfollow an account',
  run: ({ ctx }) => unfollow(ctx, ctx.subject),
})
