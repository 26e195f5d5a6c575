import { storedReplies } from '../../access/serve-stored.ts'
import type { SubjectCtx } from '../../access/context.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import type { PublishCtx } from '../publish.service.ts'
import { publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { endingOf } from './conda.rules.ts'
import { getCondaFile, getIndex, publishConda, type Packing } from './conda.service.ts'

const conda = registry(
  'conda',
  jsonErrors(({ message }) => ({ reason: message, message })),
)
const base = '/api/packages/{username}/conda'

/** The channel of packages whose paths name none. */
const noChannel = ''

const indexTypes = { bz2: 'application/x-bzip2', zst: 'application/zstd' } as const

async function upload(ctx: PublishCtx, channel: string, fileName: string, call: Call) {
  const ending = endingOf(fileName)
  if (!ending) throw new NotFound('a package is a .tar.bz2 or .conda file', 'conda_ending_unknown')
  await publishConda(ctx, channel, ending, incomingFileOf(call))
}

async function download(
  ctx: SubjectCtx,
  channel: string,
  { architecture, filename }: { readonly architecture: string; readonly filename: string },
  call: Call,
) {
  const match = /^(?:current_)?repodata\.json(?:\.(bz2|zst))?$/.exec(filename)
  if (!match) return servePackageFile(ctx, await getCondaFile(ctx, channel, architecture, filename), call)
  const packing = match[1] as Packing
  const contentType = packing ? indexTypes[packing] : 'application/json'
  return bytes(contentType, await getIndex(ctx, channel, architecture, packing))
}

const downloadReplies = { ...storedReplies, 200: bytesOf('*/*') } as const

export const condaUpload = operation({
  ...conda,
  method: 'PUT',
  path: `${base}/{channel+}/{filename}`,
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a Conda package into a channel',
  run: ({ ctx, params, call }) => upload(ctx, params.channel, params.filename, call),
})

export const condaUploadToNone = operation({
  ...conda,
  method: 'PUT',
  path: `${base}/{filename}`,
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a Conda package',
  run: ({ ctx, params, call }) => upload(ctx, noChannel, params.filename, call),
})

export const condaDownload = operation({
  ...conda,
  method: 'GET',
  path: `${base}/{channel+}/{architecture}/{filename}`,
  cost: 'usual',
  requires: reading,
  reply: downloadReplies,
  summary: 'Get an index or a Conda package of a channel',
  run: ({ ctx, params, call }) => download(ctx, params.channel, params, call),
})

export const condaDownloadFromNone = operation({
  ...conda,
  method: 'GET',
  path: `${base}/{architecture}/{filename}`,
  cost: 'usual',
  requires: reading,
  reply: downloadReplies,
  summary: 'Get an index or a Conda package',
  run: ({ ctx, params, call }) => download(ctx, noChannel, params, call),
})
