import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, canWrite, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { signedIn } from '../../access/requirements.ts'
import { operation, validBody } from '../../http/operation.ts'
import { created, ok, paged } from '../../http/reply.ts'
import { pageQuery } from '../../http/schema.ts'
import { pageOf, type PageQuery } from '../../lib/paging.ts'
import { presentCombinedStatus, presentStatus, presentStatuses } from './commit-status.present.ts'
import { CombinedStatus, CommitStatus, CreateStatusOption } from './commit-status.schemas.ts'
import { createStatus, getLatestStatuses, getStatusPage } from './commit-status.service.ts'

const listQuery = { sort: Type.Optional(Type.String()), state: Type.Optional(Type.String()), ...pageQuery } as const

/** A page of the statuses of a revision. A page size of 1 is ignored except in links (observed). */
async function pageOfStatuses(
  ctx: RepoCtx,
  revision: string,
  query: PageQuery & { sort?: string | undefined; state?: string | undefined },
) {
  const page = pageOf(query, ctx.config.api)
  const shown = page.limit === 1 ? pageOf({ page: query.page }, ctx.config.api) : page
  const { rows, total } = await getStatusPage(ctx, revision, query, shown)
  return paged(await presentStatuses(ctx, rows), page, total)
}

export const repoListStatuses = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/statuses/{sha}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  query: listQuery,
  reply: { 200: Type.Array(CommitStatus) },
  summary: 'List the statuses of a commit',
  run: ({ ctx, params, query }) => pageOfStatuses(ctx, params.sha, query),
})

export const repoListStatusesByRef = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/commits/{ref}/statuses',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code'), gitRepo],
  query: listQuery,
  reply: { 200: Type.Array(CommitStatus) },
  summary: 'List the statuses of a reference',
  run: ({ ctx, params, query }) => pageOfStatuses(ctx, params.ref, query),
})

export const repoCreateStatus = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/statuses/{sha}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code'), signedIn, canWrite('code'), validBody],
  body: CreateStatusOption,
  reply: { 201: CommitStatus },
  summary: 'Create a commit status',
  async run({ ctx, params, body }) {
    const status = await createStatus(ctx, params.sha, {
      state: body.state ?? '',
      targetUrl: body.target_url ?? '',
      description: body.description ?? '',
      context: body.context ?? '',
    })
    return created(await presentStatus(ctx, status))
  },
})

export const repoGetCombinedStatusByRef = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/commits/{ref}/status',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code'), gitRepo],
  query: pageQuery,
  reply: { 200: CombinedStatus },
  summary: 'Get the combined status of a commit',
  async run({ ctx, params, query }) {
    const page = pageOf(query, ctx.config.api)
    const all = await getLatestStatuses(ctx, params.ref)
    // The first page has the newest statuses; within a page the oldest is first (observed).
    const shown = all
      .toReversed()
      .slice(page.offset, page.offset + page.limit)
      .toReversed()
    const combined = await presentCombinedStatus(ctx, all, shown)
    return all.length === 0 ? ok(combined) : paged(combined, page, all.length, { link: false })
  },
})
