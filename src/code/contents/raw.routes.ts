import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { operation, type Call } from '../../http/operation.ts'
import { ok, redirect } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { escapePath } from '../../lib/escape-url.ts'
import {
  renamedBranchPath,
  repoRefInPath,
  revisionInPath,
  typedRevisionInPath,
  type RevisionAndPath,
} from '../git-access.requirements.ts'
import { revisionOrDefault, type NamedCommit } from '../commits/named-commit.service.ts'
import { presentContentAt } from './content.present.ts'
import { ContentsResponse } from './content.schemas.ts'
import { getContent } from './content.service.ts'
import { getRawFile, objectTypeHeaders, openBlob } from './raw.service.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { cleanPath } from '../tree-path.rules.ts'

async function serveRaw(ctx: RepoCtx, call: Call, revision: NamedCommit, path: string, form: 'raw' | 'media') {
  const file = await getRawFile(ctx, revision, path, call.signal, form)
  return serveFile(call, {
    name: file.entry.name,
    content: file.content,
    etag: file.id,
    modifiedUnix: file.modifiedUnix,
    headers: objectTypeHeaders(file.entry),
  })
}

export const repoGetRawFile = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/raw/{filepath+}',
  scope: 'repository',
  requires: [inRepo, gitRepo, repoRefInPath, canRead('code')],
  query: { ref: Type.Optional(Type.String()) },
  reply: fileReplies,
  run: ({ ctx, call }) => serveRaw(ctx, call, ctx.revision, ctx.treePath, 'raw'),
})

export const repoGetRawFileOrLFS = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/media/{filepath+}',
  scope: 'repository',
  requires: [inRepo, gitRepo, repoRefInPath, canRead('code')],
  query: { ref: Type.Optional(Type.String()) },
  reply: fileReplies,
  run: ({ ctx, call }) => serveRaw(ctx, call, ctx.revision, ctx.treePath, 'media'),
})

/**
 * Resolves a page address: `branch/…`, `tag/…`, `commit/…`. An address without a kind, or with a renamed branch, is
 * `movedTo` another.
 */
async function atWebAddress(
  ctx: RepoCtx,
  kind: 'raw' | 'media' | 'src',
  rest: string,
): Promise<RevisionAndPath | { readonly movedTo: string }> {
  const path = cleanPath(rest)
  const typed = await typedRevisionInPath(ctx, path)
  if (typed) return typed
  const { pathname } = new URL(repoWebUrl(ctx))
  const renamed = await renamedBranchPath(ctx, path)
  if (renamed !== undefined) return { movedTo: `${pathname}/${kind}/${escapePath(renamed)}` }
  if (/^(?:branch|tag|commit)\//.test(path)) {
    throw new NotFound('there is no such branch, tag or commit', 'ref_not_found')
  }
  const found = (await revisionInPath(ctx, path)) ?? {
    revision: await revisionOrDefault(ctx, undefined),
    treePath: path,
  }
  const { revision, treePath } = found
  return { movedTo: `${pathname}/${kind}/${revision.kind}/${escapePath(revision.name)}/${escapePath(treePath)}` }
}

async function serveByWebAddress(ctx: RepoCtx, call: Call, kind: 'raw' | 'media', rest: string) {
  const at = await atWebAddress(ctx, kind, rest)
  return 'movedTo' in at ? redirect(303, at.movedTo) : serveRaw(ctx, call, at.revision, at.treePath, kind)
}

export const webRawFile = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/raw/{filepath+}',
  params: { filepath: pathText },
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  reply: { ...fileReplies, 303: 'empty' },
  run: ({ ctx, params, call }) => serveByWebAddress(ctx, call, 'raw', params.filepath),
})

export const webMediaFile = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/media/{filepath+}',
  params: { filepath: pathText },
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  reply: { ...fileReplies, 303: 'empty' },
  run: ({ ctx, params, call }) => serveByWebAddress(ctx, call, 'media', params.filepath),
})

/**
 * The page address of a file or folder. There are no pages: a file redirects to its bytes, and a folder answers its
 * list.
 */
export const webSource = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/src/{filepath+}',
  params: { filepath: pathText },
  scope: 'repository',
  load: 'expensive',
  requires: [inRepo, canRead('code')],
  reply: { 200: Type.Union([Type.Array(ContentsResponse), ContentsResponse]), 303: 'empty' },
  async run({ ctx, params }) {
    const at = await atWebAddress(ctx, 'src', params.filepath)
    if ('movedTo' in at) return redirect(303, at.movedTo)
    const { revision, treePath } = at
    const entry = treePath === '' ? undefined : await ctx.git.findPath(ctx.repo.git_key, revision.commit, treePath)
    if (treePath !== '' && !entry) throw new NotFound(`there is no ${treePath} in ${revision.name}`, 'path_not_found')
    if (entry?.type !== 'blob') {
      return ok(await presentContentAt(ctx, await getContent(ctx, revision.name, treePath)))
    }
    const { pathname } = new URL(repoWebUrl(ctx))
    return redirect(303, `${pathname}/raw/${revision.kind}/${escapePath(revision.name)}/${escapePath(treePath)}`)
  },
})

export const webRawBlob = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/raw/blob/{sha}',
  params: { sha: pathText },
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  reply: fileReplies,
  async run({ ctx, params, call }) {
    const found = /^[0-9a-f]{4,64}$/.test(params.sha) ? await ctx.git.resolve(ctx.repo.git_key, params.sha) : undefined
    if (found?.type !== 'blob') throw new NotFound(`there is no blob ${params.sha}`, 'blob_not_found')
    const { content } = await openBlob(ctx, found.oid, call.signal)
    return serveFile(call, { name: found.oid, content, etag: found.oid })
  },
})
