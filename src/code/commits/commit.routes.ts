import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { inRepo, canRead, gitRepo } from '../../access/repo.requirements.ts'
import type { RepoCtx } from '../../access/context.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, ok, paged } from '../../http/reply.ts'
import { enumeration, pageQuery } from '../../http/schema.ts'
import { Conflict } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import { Commit, Compare } from './commit.schemas.ts'
import { presentCommit, presentCommitList, presentComparison } from './commit.present.ts'
import { listCommits } from './commit.service.ts'
import { compareRevisions } from './compare.service.ts'
import { getCommit } from './named-commit.service.ts'

const partsQuery = {
  stat: Type.Optional(Type.Boolean()),
  verification: Type.Optional(Type.Boolean()),
  files: Type.Optional(Type.Boolean()),
} as const

/**
 * Expensive parts are shown unless the query disables them. Lines are counted only with `stat=true`; otherwise the
 * numbers are 0, as on the reference (`docs/differences.md`).
 */
const partsOf = (query: {
  stat?: boolean | undefined
  verification?: boolean | undefined
  files?: boolean | undefined
}) => ({
  stats: query.stat ?? ('zero' as const),
  verification: query.verification ?? true,
  files: query.files ?? true,
})

/** The change of a commit as a diff or as a mail of `git format-patch`. */
async function textOfCommit(
  ctx: RepoCtx,
  { sha, diffType }: { readonly sha: string; readonly diffType: 'diff' | 'patch' },
  signal: AbortSignal,
): Promise<Readable> {
  const { oid: head, parents } = await getCommit(ctx, sha)
  const { git, repo } = ctx
  return diffType === 'patch'
    ? git.patchSeries(repo.git_key, { base: undefined, head, binary: true, signature: false, signal })
    : git.diffText(repo.git_key, { base: parents[0], head, signal })
}

export const repoGetAllCommits = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/commits',
  scope: 'repository',
  cost: 'expensive',
  refuses: [409],
  requires: [inRepo, canRead('code'), gitRepo],
  query: {
    sha: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    not: Type.Optional(Type.String()),
    ...partsQuery,
    ...pageQuery,
  },
  reply: { 200: Type.Array(Commit) },
  summary: 'List the commits of a revision',
  async run({ ctx, query }) {
    if (ctx.repo.is_empty) throw new Conflict('the repository is empty', 'repo_empty')
    const page = pageOf(query, { ...ctx.config.api, maxResponseItems: ctx.config.git.commitsRangeSize })
    const { commits, total } = await listCommits(ctx, { revision: query.sha, path: query.path, not: query.not }, page)
    const pages = Math.ceil(total / page.limit)
    return paged(await presentCommitList(ctx, commits, partsOf(query)), page, total, {
      headers: {
        'x-page': String(page.number),
        'x-perpage': String(page.limit),
        'x-total': String(total),
        'x-pagecount': String(pages),
        'x-hasmore': String(page.number < pages),
      },
    })
  },
})

export const repoGetSingleCommit = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/commits/{sha}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, gitRepo, canRead('code')],
  query: partsQuery,
  reply: { 200: Commit },
  summary: 'Get a commit',
  async run({ ctx, params, query }) {
    return ok(await presentCommit(ctx, await getCommit(ctx, params.sha), partsOf(query)))
  },
})

export const repoDownloadCommitDiffOrPatch = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/commits/{sha}.{diffType}',
  params: { diffType: enumeration('diff', 'patch') },
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get a commit as a diff or patch',
  run: async ({ ctx, params, call }) =>
    bytes('text/plain; charset=utf-8', await textOfCommit(ctx, params, call.signal)),
})

/** Like the API's operation, at the address of the commit's page. */
export const webCommitDiffOrPatch = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/commit/{sha}.{diffType}',
  params: { diffType: enumeration('diff', 'patch') },
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  reply: { 200: bytesOf('text/plain') },
  run: async ({ ctx, params, call }) =>
    bytes('text/plain; charset=utf-8', await textOfCommit(ctx, params, call.signal)),
})

export const repoCompareDiff = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/compare/{filepath+}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, canRead('code')],
  query: { verification: Type.Optional(Type.Boolean()), files: Type.Optional(Type.Boolean()) },
  reply: { 200: Compare },
  summary: 'Compare two revisions',
  async run({ ctx, params, query }) {
    return ok(await presentComparison(ctx, await compareRevisions(ctx, params.filepath), partsOf(query)))
  },
})
