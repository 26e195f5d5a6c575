import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { operation, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { renamedBranchPath, repoRefInPath, revisionInPath, typedRevisionInPath } from '../git-access.requirements.ts'
import { revisionOrDefault, type NamedCommit } from '../commits/named-commit.service.ts'
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

/** A file by the addresses that pages use: `branch/…`, `tag/…`, `commit/…`; without a kind they redirect to one with it. */
async function serveByWebAddress(ctx: RepoCtx, call: Call, kind: 'raw' | 'media', rest: string) {
  const path = cleanPath(rest)
  const typed = await typedRevisionInPath(ctx, path)
  if (typed) return serveRaw(ctx, call, typed.revision, typed.treePath, kind)
  const { pathname } = new URL(repoWebUrl(ctx))
  const renamed = await renamedBranchPath(ctx, path)
  if (renamed !== undefined) return redirect(303, `${pathname}/${kind}/${escapePath(renamed)}`)
  if (/^(?:branch|tag|commit)\//.test(path)) {
    throw new NotFound('there is no such branch, tag or commit', 'ref_not_found')
  }
  const found = (await revisionInPath(ctx, path)) ?? {
    revision: await revisionOrDefault(ctx, undefined),
    treePath: path,
  }
  const { revision, treePath } = found
  return redirect(303, `${pathname}/${kind}/${revision.kind}/${escapePath(revision.name)}/${escapePath(treePath)}`)
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
