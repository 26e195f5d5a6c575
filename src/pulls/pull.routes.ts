import { Type } from 'typebox'
import { canRead, gitRepo, inRepo, notArchived, pullsEnabled } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import { textErrors } from '../http/error-forms.ts'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { bytes, created, ok, paged } from '../http/reply.ts'
import { commaList, enumeration, cursorQuery, pageQuery, pathNumber } from '../http/schema.ts'
import { NotFound } from '../lib/errors.ts'
import { pageOf, type Page } from '../lib/paging.ts'
import { presentCommitList } from '../code/commits/commit.present.ts'
import { Commit } from '../code/commits/commit.schemas.ts'
import { presentChangedFiles } from './changed-file.present.ts'
import { listPullCommits, listPullFiles, pullText } from './diff.service.ts'
import { editPull } from './pull-edit.service.ts'
import { createPull } from './pull-open.service.ts'
import { presentPull, presentPulls } from './pull.present.ts'
import { ChangedFile, CreatePullRequestOption, EditPullRequestOption, PullRequest } from './pull.schemas.ts'
import {
  getPull,
  getPullByBranches,
  getPullOfCommit,
  getStoredPull,
  homeOfHead,
  listPinnedPulls,
  listPulls,
} from './pull.service.ts'

const readable = [inRepo, pullsEnabled, canRead('code'), gitRepo] as const

export const repoListPullRequests = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls',
  cost: 'usual',
  scope: 'repository',
  requires: readable,
  query: {
    state: Type.Optional(Type.String()),
    sort: Type.Optional(Type.String()),
    milestone: Type.Optional(Type.Integer()),
    labels: Type.Optional(commaList()),
    poster: Type.Optional(Type.String()),
    ...pageQuery,
    ...cursorQuery,
  },
  reply: { 200: Type.Array(PullRequest) },
  summary: 'List the pull requests',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { pairs, total, bound, cursor } = await listPulls(ctx, query, page)
    return paged(await presentPulls(ctx, pairs), page, total, { bound, cursor })
  },
})

export const repoCreatePullRequest = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/pulls',
  cost: 'expensive',
  scope: 'repository',
  refuses: [409],
  requires: [...readable, signedIn, notArchived, validBody],
  body: CreatePullRequestOption,
  reply: { 201: PullRequest },
  summary: 'Create a pull request',
  async run({ ctx, body }) {
    const made = await createPull(ctx, { ...body, dueDate: body.due_date })
    return created(await presentPull(ctx, made, { milestone: made.milestone }))
  },
})

export const repoListPinnedPullRequests = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/pinned',
  cost: 'usual',
  scope: 'repository',
  requires: readable,
  reply: { 200: Type.Array(PullRequest) },
  summary: 'List the pinned pull requests',
  async run({ ctx }) {
    return ok(await presentPulls(ctx, await listPinnedPulls(ctx)))
  },
})

export const repoGetPullRequest = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}',
  cost: 'expensive',
  params: { index: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 200: PullRequest },
  summary: 'Get a pull request',
  run: async ({ ctx, params }) => ok(await presentPull(ctx, await getPull(ctx, params.index))),
})

export const repoEditPullRequest = operation({
  method: 'PATCH',
  path: '/repos/{username}/{reponame}/pulls/{index}',
  cost: 'expensive',
  params: { index: pathNumber },
  scope: 'repository',
  refuses: [409, 412],
  requires: [...readable, signedIn, validBody],
  body: EditPullRequestOption,
  reply: { 201: PullRequest },
  summary: 'Edit a pull request',
  async run({ ctx, params, body }) {
    const edited = await editPull(ctx, await getStoredPull(ctx, params.index), {
      ...body,
      dueDate: body.due_date,
      unsetDueDate: body.unset_due_date,
      allowsMaintainerEdit: body.allow_maintainer_edit,
    })
    return created(await presentPull(ctx, edited))
  },
})

export const repoGetPullRequestByBaseHead = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{base}/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: readable,
  reply: { 200: PullRequest },
  summary: 'Get a pull request by its base and head',
  run: async ({ ctx, params }) =>
    ok(await presentPull(ctx, await getPullByBranches(ctx, params.base, params.filepath))),
})

export const repoDownloadPullDiffOrPatch = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}.{diffType}',
  params: { index: pathNumber, diffType: enumeration('diff', 'patch') },
  scope: 'repository',
  cost: 'expensive',
  requires: readable,
  query: { binary: Type.Optional(Type.Boolean()) },
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get a pull request as a diff or patch',
  async run({ ctx, params, query, call }) {
    const pair = await getPull(ctx, params.index)
    const options = { kind: params.diffType, binary: query.binary ?? false, signal: call.signal }
    return bytes('text/plain; charset=utf-8', await pullText(ctx, pair, options))
  },
})

/** The diff and the patch at the URL that a pull request shows. */
export const downloadPullDiffOrPatch = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/pulls/{index}.{diffType}',
  params: { index: pathNumber, diffType: enumeration('diff', 'patch') },
  scope: 'repository',
  cost: 'expensive',
  requires: readable,
  query: { binary: Type.Optional(Type.Boolean()) },
  reply: { 200: bytesOf('text/plain') },
  errors: textErrors,
  async run({ ctx, params, query, call }) {
    const pair = await getPull(ctx, params.index)
    const options = { kind: params.diffType, binary: query.binary ?? false, signal: call.signal }
    return bytes('text/plain; charset=utf-8', await pullText(ctx, pair, options))
  },
})

/** The additional pagination headers of the lists of commits and files. */
function pageHeaders(page: Page, total: number): Record<string, string> {
  const pages = Math.ceil(total / page.limit)
  return {
    'x-page': String(page.number),
    'x-perpage': String(page.limit),
    'x-pagecount': String(pages),
    'x-hasmore': String(page.number < pages),
  }
}

export const repoGetPullRequestCommits = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/commits',
  params: { index: pathNumber },
  scope: 'repository',
  cost: 'expensive',
  requires: readable,
  query: { ...pageQuery, verification: Type.Optional(Type.Boolean()), files: Type.Optional(Type.Boolean()) },
  reply: { 200: Type.Array(Commit) },
  summary: 'List the commits of a pull request',
  async run({ ctx, params, query }) {
    const pair = await getPull(ctx, params.index)
    const page = pageOf(query, ctx.config.api)
    const { commits, total } = await listPullCommits(ctx, pair, page)
    const parts = { stats: 'zero', verification: query.verification ?? true, files: query.files ?? true } as const
    return paged(await presentCommitList(ctx, commits, parts), page, total, {
      headers: pageHeaders(page, total),
    })
  },
})

export const repoGetPullRequestFiles = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/files',
  params: { index: pathNumber },
  scope: 'repository',
  cost: 'expensive',
  requires: readable,
  query: {
    ...pageQuery,
    'skip-to': Type.Optional(Type.String()),
    whitespace: Type.Optional(enumeration('ignore-all', 'ignore-change', 'ignore-eol', 'show-all')),
  },
  reply: { 200: Type.Array(ChangedFile) },
  summary: 'List the changed files of a pull request',
  async run({ ctx, params, query }) {
    const pair = await getPull(ctx, params.index)
    const page = pageOf(query, ctx.config.api)
    const files = await listPullFiles(ctx, pair, { whitespace: query.whitespace, skipTo: query['skip-to'] })
    const shown = files.slice(page.offset, page.offset + page.limit)
    const presented = presentChangedFiles(await homeOfHead(ctx, pair), pair.pull.synced_oid, shown)
    return paged(presented, page, files.length, { headers: pageHeaders(page, files.length) })
  },
})

export const repoPullRequestIsMerged = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/pulls/{index}/merge',
  cost: 'usual',
  params: { index: pathNumber },
  scope: 'repository',
  requires: readable,
  reply: { 204: 'empty' },
  summary: 'Check whether a pull request is merged',
  async run({ ctx, params }) {
    const { pull } = await getStoredPull(ctx, params.index)
    if (!pull.is_merged) throw new NotFound('the pull request is not merged', 'pull_not_merged')
  },
})

export const repoGetCommitPullRequest = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/commits/{ref}/pull',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code'), gitRepo],
  reply: { 200: PullRequest },
  summary: 'Get the pull request that merged a commit',
  run: async ({ ctx, params }) => ok(await presentPull(ctx, await getPullOfCommit(ctx, params.ref))),
})
