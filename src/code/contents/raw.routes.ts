import { Type } from 'typebox'
import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { operation, type Call } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { atWebAddress, repoRefInPath } from '../git-access.requirements.ts'
import type { NamedCommit } from '../commits/named-commit.service.ts'
import { getRawFile, objectTypeHeaders, openBlob } from './raw.service.ts'

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
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, repoRefInPath, canRead('code')],
  query: { ref: Type.Optional(Type.String()) },
  reply: fileReplies,
  summary: 'Get a file',
  run: ({ ctx, call }) => serveRaw(ctx, call, ctx.revision, ctx.treePath, 'raw'),
})

export const repoGetRawFileOrLFS = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/media/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, gitRepo, repoRefInPath, canRead('code')],
  query: { ref: Type.Optional(Type.String()) },
  reply: fileReplies,
  summary: 'Get a file, or its LFS object',
  run: ({ ctx, call }) => serveRaw(ctx, call, ctx.revision, ctx.treePath, 'media'),
})

async function serveByWebAddress(ctx: RepoCtx, call: Call, kind: 'raw' | 'media', rest: string) {
  const at = await atWebAddress(ctx, kind, rest)
  return 'movedTo' in at ? redirect(303, at.movedTo) : serveRaw(ctx, call, at.revision, at.treePath, kind)
}

export const webRawFile = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/raw/{filepath+}',
  cost: 'usual',
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
  cost: 'usual',
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
  cost: 'usual',
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
