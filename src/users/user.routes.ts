import { Type } from 'typebox'
import { anyone, exploreSignIn, signedIn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok, paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import type { UserId } from '../lib/ids.ts'
import { pageOf } from '../lib/paging.ts'
import { namedUser, usersExploreEnabled, userVisible } from './subject.requirements.ts'
import { actionsUser, ghostUser, presentUser } from './user.present.ts'
import { User, UserSearchResults } from './user.schemas.ts'
import { findPeople } from './user.service.ts'

export const userGetCurrent = operation({
  method: 'GET',
  path: '/user',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  reply: { 200: User },
  summary: 'Get the own account',
  run: async ({ ctx }) => ok(presentUser(ctx, ctx.viewer.user)),
})

export const userGet = operation({
  method: 'GET',
  path: '/users/{username}',
  cost: 'usual',
  scope: 'user',
  requires: [namedUser, userVisible, exploreSignIn],
  reply: { 200: User },
  summary: 'Get an account',
  run: async ({ ctx }) => ok(presentUser(ctx, ctx.subject)),
})

export const userSearch = operation({
  method: 'GET',
  path: '/users/search',
  cost: 'usual',
  scope: 'user',
  requires: [anyone, exploreSignIn, usersExploreEnabled],
  query: { q: Type.Optional(Type.String()), uid: Type.Optional(Type.Integer()), ...pageQuery },
  reply: { 200: UserSearchResults },
  summary: 'Search accounts',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    // Two accounts have negative ids and no rows: Ghost, and the account of workflow jobs.
    if (query.uid === -1) return paged({ ok: true, data: [ghostUser(ctx)] }, page, 1)
    if (query.uid === -2) return paged({ ok: true, data: [actionsUser(ctx)] }, page, 1)
    const { users, total, bound } = await findPeople(
      ctx,
      { text: (query.q ?? '').trim(), userId: query.uid ? (query.uid as UserId) : undefined },
      page,
    )
    return paged({ ok: true, data: users.map((user) => presentUser(ctx, user)) }, page, total, { bound })
  },
})
