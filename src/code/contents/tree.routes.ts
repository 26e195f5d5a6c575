import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { operation } from '../../http/operation.ts'
import { ok } from '../../http/reply.ts'
import { BadRequest } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { type Page, pageOf } from '../../lib/paging.ts'
import { GitBlobResponse } from './blob.schemas.ts'
import { findRevision } from '../commits/named-commit.service.ts'
import { keptPage } from '../kept-answers.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'
import { presentTreeEntry } from './tree.present.ts'
import { GitTreeResponse } from './tree.schemas.ts'

export const getTree = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/trees/{sha}',
  scope: 'repository',
  cost: 'expensive',
  requires: [inRepo, gitRepo, canRead('code')],
  query: {
    recursive: Type.Optional(Type.Boolean()),
    page: Type.Optional(Type.Integer()),
    per_page: Type.Optional(Type.Integer()),
  },
  reply: { 200: GitTreeResponse },
  summary: 'Get a tree',
  async run({ ctx, params, query }) {
    const { git, repo, config } = ctx
    const found = await findRevision(git, repo.git_key, params.sha)
    const treeish = found?.type === 'tree' ? found.oid : found?.commit
    if (!found || !treeish) throw new BadRequest(`${params.sha} is no tree`, 'tree_not_found')
    const most = config.api.defaultGitTreesPerPage
    const page = pageOf({ page: query.page, limit: query.per_page }, { defaultPagingNum: most, maxResponseItems: most })
    const api = repoApiUrl(ctx)
    const recursive = query.recursive === true
    const madeOf = ['tree', repo.git_key, api, found.oid, treeish, recursive, page.offset, page.limit]
    const { body, total } = await keptPage<GitTreeResponse>(ctx, madeOf, async () => {
      const { entries, total } = await pageOfTree(ctx, treeish, recursive, page)
      return {
        total,
        body: {
          sha: found.oid,
          url: `${api}/git/trees/${found.oid}`,
          tree: entries.length === 0 && page.number > 1 ? null : entries.map((entry) => presentTreeEntry(api, entry)),
          truncated: entries.length > 0 && entries.length < total,
          page: page.number,
          total_count: total,
        },
      }
    })
    return ok(body, { 'x-total-count': String(total), 'access-control-expose-headers': 'X-Total-Count' })
  },
})

/** A page of a tree or of everything below it, with file sizes. */
async function pageOfTree(ctx: RepoCtx, treeish: Oid, recursive: boolean, { offset: skip, limit }: Page) {
  const { git, repo } = ctx
  if (recursive) {
    return git.listTreeRecursive(repo.git_key, treeish, { skip, limit, sizes: true, foldersToo: true })
  }
  const all = await git.readTree(repo.git_key, treeish)
  const shown = all.slice(skip, skip + limit)
  const sizes = await git.blobSizes(
    repo.git_key,
    shown.filter((entry) => entry.type === 'blob').map((entry) => entry.oid),
  )
  return {
    total: all.length,
    entries: shown.map((entry) => ({ ...entry, path: entry.name, sizeBytes: sizes.get(entry.oid) ?? 0 })),
  }
}

/** The bytes of an object of any type; undefined content above the limit. */
async function readBytes(
  { git, repo }: RepoCtx,
  oid: Oid,
  maxBytes: number,
): Promise<{ readonly sizeBytes: number; readonly content?: Buffer | undefined }> {
  const info = await git.objectInfo(repo.git_key, oid)
  if (info?.type === 'blob') return git.readBlob(repo.git_key, oid, { maxBytes })
  const sizeBytes = info?.sizeBytes ?? 0
  if (sizeBytes > maxBytes) return { sizeBytes }
  return { sizeBytes, content: (await git.readContents(repo.git_key, [oid])).get(oid) }
}

export const getBlob = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/git/blobs/{sha}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, canRead('code')],
  reply: { 200: GitBlobResponse },
  summary: 'Get a blob',
  async run({ ctx, params }) {
    const { git, repo, config } = ctx
    const isId = /^[0-9a-f]{4,64}$/.test(params.sha)
    const found = isId ? await git.resolve(repo.git_key, params.sha) : undefined
    // A branch name may look like an id.
    if (!found?.oid.startsWith(params.sha)) throw new BadRequest(`${params.sha} names no object`, 'blob_not_found')
    const blob = await readBytes(ctx, found.oid, config.api.defaultMaxBlobSize)
    return ok({
      content: blob.content?.toString('base64') ?? '',
      encoding: 'base64',
      url: `${repoApiUrl(ctx)}/git/blobs/${found.oid}`,
      sha: found.oid,
      size: blob.sizeBytes,
    })
  },
})
