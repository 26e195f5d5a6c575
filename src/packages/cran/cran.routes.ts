import { Type } from 'typebox'
import type { SubjectCtx } from '../../access/context.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { cranKey } from './cran.rules.ts'
import { getCranFile, getIndex, publishPackage } from './cran.service.ts'

const cran = registry('cran', registryErrors)

/** Serves an index or a package. */
async function serve(ctx: SubjectCtx, fileKey: string, fileName: string, call: Call) {
  if (fileName === 'PACKAGES') return bytes('text/plain;charset=utf-8', (await getIndex(ctx, fileKey)).text)
  if (fileName === 'PACKAGES.gz') return bytes('application/gzip', (await getIndex(ctx, fileKey)).packed)
  return servePackageFile(ctx, await getCranFile(ctx, fileKey, fileName), call)
}

export const cranUploadSource = operation({
  ...cran,
  method: 'PUT',
  path: '/api/packages/{username}/cran/src',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish an R source package',
  run: ({ ctx, call }) => publishPackage(ctx, cranKey(undefined), incomingFileOf(call)),
})

export const cranUploadBinary = operation({
  ...cran,
  method: 'PUT',
  path: '/api/packages/{username}/cran/bin',
  cost: 'usual',
  requires: publishing,
  query: { platform: Type.Optional(Type.String()), rversion: Type.Optional(Type.String()) },
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish an R binary package',
  run: ({ ctx, query: { platform = '', rversion = '' }, call }) =>
    publishPackage(ctx, cranKey({ platform, rversion }), incomingFileOf(call)),
})

export const cranSource = operation({
  ...cran,
  method: 'GET',
  path: '/api/packages/{username}/cran/src/contrib/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Get an R source package or their index',
  run: ({ ctx, params: { filename }, call }) => serve(ctx, 'src', filename, call),
})

export const cranArchivedSource = operation({
  ...cran,
  method: 'GET',
  path: '/api/packages/{username}/cran/src/contrib/Archive/{name}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Get an archived R source package',
  run: async ({ ctx, params: { filename }, call }) =>
    servePackageFile(ctx, await getCranFile(ctx, 'src', filename), call),
})

export const cranBinary = operation({
  ...cran,
  method: 'GET',
  path: '/api/packages/{username}/cran/bin/{platform+}/contrib/{rversion}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Get an R binary package or their index',
  run: ({ ctx, params: { platform, rversion, filename }, call }) =>
    serve(ctx, cranKey({ platform, rversion }), filename, call),
})
