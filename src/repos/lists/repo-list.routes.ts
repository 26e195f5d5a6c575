import { Type } from 'typebox'
import { anyone, exploreSignIn, signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { inOrg } from '../../orgs/org.requirements.ts'
import { namedUser, userVisible } from '../../users/subject.requirements.ts'
import { findRepos, listOwnRepos, listReposOf } from './repo-list.service.ts'
import { presentRepos } from '../repo.present.ts'
import { Repository, SearchResults } from '../repo.schemas.ts'

export const userListRepos = operation({
  method: 'GET',
  path: '/users/{username}/repos',
  cost: 'usual',
  scope: 'repository',
  requires: [namedUser, userVisible, exploreSignIn],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories of an account',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { repos, total, bound } = await listReposOf(ctx, ctx.subject, page)
    return paged(await presentRepos(ctx, repos), page, total, { bound })
  },
})

export const userCurrentListRepos = operation({
  method: 'GET',
  path: '/user/repos',
  cost: 'usual',
  scope: 'repository',
  requires: [signedIn],
  query: { order_by: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories of the caller',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { repos, total, bound } = await listOwnRepos(ctx, query.order_by, page)
    return paged(await presentRepos(ctx, repos), page, total, { bound })
  },
})

export const orgListRepos = operation({
  method: 'GET',
  path: '/orgs/{org}/repos',
  cost: 'usual',
  scope: 'organization',
  requires: [inOrg],
  query: pageQuery,
  reply: { 200: Type.Array(Repository) },
  summary: 'List the repositories of an organization',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { repos, total, bound } = await listReposOf(ctx, ctx.org, page)
    return paged(await presentRepos(ctx, repos), page, total, { bound })
  },
})

export const repoSearch = operation({
  method: 'GET',
  path: '/repos/search',
  scope: 'repository',
  cost: 'expensive',
  requires: [anyone],
  query: {
    q: Type.Optional(Type.String()),
    topic: Type.Optional(Type.Boolean()),
    includeDesc: Type.Optional(Type.Boolean()),
    uid: Type.Optional(Type.Integer()),
    priority_owner_id: Type.Optional(Type.Integer()),
    team_id: Type.Optional(Type.Integer()),
    starredBy: Type.Optional(Type.Integer()),
    private: Type.Optional(Type.Boolean()),
    is_private: Type.Optional(Type.Boolean()),
    template: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
    mode: Type.Optional(Type.String()),
    exclusive: Type.Optional(Type.Boolean()),
    sort: Type.Optional(Type.String()),
    order: Type.Optional(Type.String()),
    ...pageQuery,
  },
  reply: { 200: SearchResults },
  summary: 'Search repositories',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { priority_owner_id: priorityOwnerId, team_id: teamId, is_private: isPrivate, ...rest } = query
    const { repos, total, bound } = await findRepos(ctx, { ...rest, priorityOwnerId, teamId, isPrivate }, page)
    const data = await presentRepos(ctx, repos)
    return paged({ ok: true, data }, page, total, { bound, shown: data.length })
  },
})
