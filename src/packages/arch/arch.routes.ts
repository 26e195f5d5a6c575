import { storedReplies } from '../../access/serve-stored.ts'
import type { SubjectCtx } from '../../access/context.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import type { PublishCtx } from '../publish.service.ts'
import { changing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getSigningKey } from '../indexes/signing.service.ts'
import { getArchFile, getIndex, publishArch, removeArch } from './arch.service.ts'

const arch = registry('arch', registryErrors)
const base = '/api/packages/{username}/arch'

/** The group of packages whose paths name none. */
const noGroup = ''

async function upload(ctx: PublishCtx, group: string, call: Call) {
  await publishArch(ctx, group, incomingFileOf(call))
}

/** Serves an index, whose file name begins with any repository name, or a file. */
async function download(
  ctx: SubjectCtx,
  group: string,
  { architecture, filename }: { readonly architecture: string; readonly filename: string },
  call: Call,
) {
  const match = /\.db(?:\.tar\.gz)?(\.sig)?$/.exec(filename)
  if (match) {
    const { index, signature } = await getIndex(ctx, group, architecture)
    return match[1] ? bytes('application/pgp-signature', signature) : bytes('application/gzip', index)
  }
  return servePackageFile(ctx, await getArchFile(ctx, group, filename), call)
}

const downloadReplies = { ...storedReplies, 200: bytesOf('*/*') } as const

export const archKey = operation({
  ...arch,
  method: 'GET',
  path: `${base}/repository.key`,
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('application/pgp-keys') },
  summary: 'Get the key that signs the Arch packages of an owner',
  run: async ({ ctx }) => bytes('application/pgp-keys', (await getSigningKey(ctx, 'arch')).public_key),
})

export const archUpload = operation({
  ...arch,
  method: 'PUT',
  path: `${base}/{group+}`,
  cost: 'usual',
  requires: changing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish an Arch package into a group',
  run: ({ ctx, params: { group }, call }) => upload(ctx, group, call),
})

export const archUploadToNone = operation({
  ...arch,
  method: 'PUT',
  path: base,
  cost: 'usual',
  requires: changing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish an Arch package',
  run: ({ ctx, call }) => upload(ctx, noGroup, call),
})

export const archDownload = operation({
  ...arch,
  method: 'GET',
  path: `${base}/{group+}/{architecture}/{filename}`,
  cost: 'usual',
  requires: reading,
  reply: downloadReplies,
  summary: 'Get an index or an Arch package of a group',
  run: ({ ctx, params, call }) => download(ctx, params.group, params, call),
})

export const archDownloadFromNone = operation({
  ...arch,
  method: 'GET',
  path: `${base}/{architecture}/{filename}`,
  cost: 'usual',
  requires: reading,
  reply: downloadReplies,
  summary: 'Get an index or an Arch package',
  run: ({ ctx, params, call }) => download(ctx, noGroup, params, call),
})

export const archDelete = operation({
  ...arch,
  method: 'DELETE',
  path: `${base}/{group+}/{name}/{version}/{architecture}`,
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete an Arch package from a group',
  run: ({ ctx, params }) => removeArch(ctx, params.group, params),
})

export const archDeleteFromNone = operation({
  ...arch,
  method: 'DELETE',
  path: `${base}/{name}/{version}/{architecture}`,
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete an Arch package',
  run: ({ ctx, params }) => removeArch(ctx, noGroup, params),
})
