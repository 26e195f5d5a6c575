import { Type } from 'typebox'
import type { Ctx } from '../access/context.ts'
import { inRepo } from '../access/repo.requirements.ts'
import { anyone, signedIn, switchedOn } from '../access/requirements.ts'
import { operation } from '../http/operation.ts'
import { ok, paged } from '../http/reply.ts'
import { pageQuery } from '../http/schema.ts'
import type { UserId } from '../lib/ids.ts'
import { pageOf, type PageQuery } from '../lib/paging.ts'
import { inOrg, inTeam, teamMember, teamPublicOnly } from '../orgs/org.requirements.ts'
import { namedUser, userVisible } from '../users/subject.requirements.ts'
import { presentActs } from './feed.present.ts'
import { Activity, UserHeatmapData } from './feed.schemas.ts'
import { getFeed, getHeatmap } from './feed.service.ts'

const feedQuery = { date: Type.Optional(Type.String()), ...pageQuery }

type FeedQuery = PageQuery & { readonly date?: string | undefined }
type Source = Parameters<typeof getFeed>[1]

async function feed(ctx: Ctx, source: Source, query: FeedQuery, receiverId?: UserId) {
  const page = pageOf(query, ctx.config.api)
  const { acts, total, bound } = await getFeed(ctx, source, query.date, page)
  return paged(await presentActs(ctx, acts, receiverId), page, total, { link: false, bound })
}

export const userListActivityFeeds = operation({
  method: 'GET',
  path: '/users/{username}/activities/feeds',
  cost: 'usual',
  scope: 'user',
  requires: [namedUser, userVisible],
  query: { 'only-performed-by': Type.Optional(Type.Boolean()), ...feedQuery },
  reply: { 200: Type.Array(Activity) },
  summary: 'List the activity of an account and its repositories',
  run: ({ ctx, query }) => {
    const ownActsOnly = query['only-performed-by'] ?? false
    return feed(ctx, { of: 'account', id: ctx.subject.id, ownActsOnly }, query, ctx.subject.id)
  },
})

export const repoListActivityFeeds = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/activities/feeds',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo],
  query: feedQuery,
  reply: { 200: Type.Array(Activity) },
  summary: 'List the activity of a repository',
  run: ({ ctx, query }) => feed(ctx, { of: 'repository', id: ctx.repo.id }, query),
})

export const orgListActivityFeeds = operation({
  method: 'GET',
  path: '/orgs/{org}/activities/feeds',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg],
  query: feedQuery,
  reply: { 200: Type.Array(Activity) },
  summary: 'List the activity in the repositories of an organization',
  run: ({ ctx, query }) => feed(ctx, { of: 'owner', id: ctx.org.id }, query, ctx.org.id),
})

export const orgListTeamActivityFeeds = operation({
  method: 'GET',
  path: '/teams/{teamid}/activities/feeds',
  cost: 'usual',
  scope: 'organization',
  requires: [inTeam, signedIn, teamMember, teamPublicOnly],
  query: feedQuery,
  reply: { 200: Type.Array(Activity) },
  summary: 'List the activity in the repositories of a team',
  run: ({ ctx, query }) => feed(ctx, { of: 'team', id: ctx.team.id, orgId: ctx.org.id }, query, ctx.org.id),
})

export const userGetHeatmapData = operation({
  method: 'GET',
  path: '/users/{username}/heatmap',
  scope: 'user',
  cost: 'expensive',
  requires: [
    anyone,
    switchedOn('userHeatmapEnabled', (config) => config.service.enableUserHeatmap),
    namedUser,
    userVisible,
  ],
  reply: { 200: Type.Array(UserHeatmapData) },
  summary: 'Count the acts of an account by quarter of an hour',
  run: async ({ ctx }) =>
    ok((await getHeatmap(ctx, ctx.subject.id)).map(({ cell, count }) => ({ timestamp: cell, contributions: count }))),
})
