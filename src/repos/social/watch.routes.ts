import { Type } from 'typebox'
import { inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf, pageOrWhole } from '../../lib/paging.ts'
import { namedUser } from '../../users/subject.requirements.ts'
import { presentUser } from '../../users/user.present.ts'
import { User } from '../../users/user.schemas.ts'
import { listWatchedRepos } from '../lists/repo-list.service.ts'
import { presentRepos } from '../repo.present.ts'
import { Repository } from '../repo.schemas.ts'
import { presentWatch } from './watch.present.ts'
import { WatchInfo, WatchLevelInfo, WatchLevelOption } from './watch.schemas.ts'
import { getWatch, getWatchLevel, setWatchLevel, unwatch, watch, watchersOf } from './watch.service.ts'

export const userCurrentListSubscriptions = operation({
  method: 'GET',
  path: '/user/subscriptions',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories that the caller watches',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { repos, total, bound } = await listWatchedRepos(ctx, ctx.viewer.user, page)
    return paged(await presentRepos(ctx, repos), page, total, { link: false, bound })
  },
})

export const userListSubscriptions = operation({
  method: 'GET',
  path: '/users/{username}/subscriptions',
  cost: 'usual',
  scope: 'user',
  requires: [signedIn, namedUser],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories that an account watches',
  async run({ ctx, query }) {
    const page = pageOrWhole(query, ctx.config.api)
    const { repos, total, bound } = await listWatchedRepos(ctx, ctx.subject, page)
    return paged(await presentRepos(ctx, repos), page, total, { link: false, bound })
  },
})

export const userCurrentCheckSubscription = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/subscription',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn],
  reply: { 200: WatchInfo },
  summary: 'Check whether the caller watches a repository',
  run: async ({ ctx }) => ok(presentWatch(ctx, await getWatch(ctx))),
})

export const userCurrentPutSubscription = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/subscription',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn],
  reply: { 200: WatchInfo },
  summary: 'Watch a repository',
  run: async ({ ctx }) => ok(presentWatch(ctx, await watch(ctx))),
})

export const userCurrentDeleteSubscription = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/subscription',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn],
  reply: { 204: 'empty' },
  summary: 'Unwatch a repository',
  run: ({ ctx }) => unwatch(ctx),
})

export const userCurrentGetWatchLevel = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/subscription/level',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn],
  reply: { 200: WatchLevelInfo },
  summary: 'Get what the caller hears of a repository',
  run: async ({ ctx }) => ok({ level: await getWatchLevel(ctx) }),
})

export const userCurrentSetWatchLevel = operation({
  method: 'PUT',
  path: '/repos/{username}/{reponame}/subscription/level',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, signedIn, validBody],
  body: WatchLevelOption,
  reply: { 200: WatchLevelInfo },
  summary: 'Choose what the caller hears of a repository',
  run: async ({ ctx, body }) => ok({ level: await setWatchLevel(ctx, body.level) }),
})

export const repoListSubscribers = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/subscribers',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo],
  query: pageQuery,
  reply: { 200: Type.Array(User) },
  summary: 'List the watchers of a repository',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { users, total, bound } = await watchersOf(ctx, page)
    return paged(
      users.map((user) => presentUser(ctx, user)),
      page,
      total,
      { link: false, bound },
    )
  },
})
