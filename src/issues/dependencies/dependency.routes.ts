import { Type } from 'typebox'
import { inRepo, issuesOrPullsEnabled, notArchived } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok } from '../../http/reply.ts'
import { pageQuery, pathNumber } from '../../http/schema.ts'
import { pageOf, type PageLimits, type PageQuery } from '../../lib/paging.ts'
import { addDependency, getBlocked, getDependencies, removeDependency } from './dependency.service.ts'
import { presentIssue, presentIssues, presentSeenIssues } from '../issue.present.ts'
import { Issue, IssueMeta } from '../issue.schemas.ts'

function pageIn<Row>(rows: readonly Row[], query: PageQuery, limits: PageLimits): readonly Row[] {
  const { offset, limit } = pageOf(query, limits)
  return rows.slice(offset, offset + limit)
}

export const issueListIssueDependencies = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/dependencies',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: pageQuery,
  reply: { 200: Type.Array(Issue) },
  summary: 'List what an issue depends on',
  async run({ ctx, params, query }) {
    const all = await getDependencies(ctx, params.index)
    return ok(await presentSeenIssues(ctx, pageIn(all, query, ctx.config.api), [ctx]))
  },
})

export const issueCreateIssueDependencies = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/dependencies',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, notArchived, validBody],
  refuses: [409],
  body: IssueMeta,
  reply: { 201: Issue },
  summary: 'Make an issue depend on another one',
  run: async ({ ctx, params, body }) =>
    created(await presentIssue(ctx, await addDependency(ctx, params.index, body, 'dependencies'), ctx)),
})

export const issueRemoveIssueDependencies = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/dependencies',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, notArchived, validBody],
  body: IssueMeta,
  reply: { 201: Issue },
  summary: 'Make an issue no longer depend on another one',
  run: async ({ ctx, params, body }) =>
    created(await presentIssue(ctx, await removeDependency(ctx, params.index, body, 'dependencies'), ctx)),
})

export const issueListBlocks = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/issues/{index}/blocks',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled],
  query: pageQuery,
  reply: { 200: Type.Array(Issue) },
  summary: 'List what depends on an issue',
  async run({ ctx, params, query }) {
    // A limit of one counts as none here (observed).
    const limit = query.limit !== undefined && query.limit >= 2 ? query.limit : undefined
    const rows = pageIn(await getBlocked(ctx, params.index), { ...query, limit }, ctx.config.api)
    return ok(await presentIssues(ctx, rows, [ctx]))
  },
})

export const issueCreateIssueBlocking = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/issues/{index}/blocks',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  refuses: [409],
  body: IssueMeta,
  reply: { 201: Issue },
  summary: 'Make another issue depend on this one',
  run: async ({ ctx, params, body }) =>
    created(await presentIssue(ctx, await addDependency(ctx, params.index, body, 'blocks'), ctx)),
})

export const issueRemoveIssueBlocking = operation({
  method: 'DELETE',
  path: '/repos/{username}/{reponame}/issues/{index}/blocks',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'issue',
  requires: [inRepo, issuesOrPullsEnabled, signedIn, validBody],
  body: IssueMeta,
  reply: { 201: Issue },
  summary: 'Make another issue no longer depend on this one',
  run: async ({ ctx, params, body }) =>
    created(await presentIssue(ctx, await removeDependency(ctx, params.index, body, 'blocks'), ctx)),
})
