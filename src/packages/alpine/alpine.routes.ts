import { storedReplies } from '../../access/serve-stored.ts'
import { contentDisposition } from '../../http/file-reply.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { changing, publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getApk, getIndex, getKey, publishApk, removeApk } from './alpine.service.ts'

const alpine = registry('alpine', registryErrors)

export const alpineKey = operation({
  ...alpine,
  method: 'GET',
  path: '/api/packages/{username}/alpine/key',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('application/x-pem-file') },
  summary: 'Get the key that signs the Alpine repositories of an owner',
  async run({ ctx }) {
    const { publicKey, fileName } = await getKey(ctx)
    const headers = { 'content-disposition': contentDisposition('attachment', fileName) }
    return bytes('application/x-pem-file', publicKey, { headers })
  },
})

export const alpineUpload = operation({
  ...alpine,
  method: 'PUT',
  path: '/api/packages/{username}/alpine/{branch}/{repository}',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish an Alpine package',
  run: ({ ctx, params, call }) => publishApk(ctx, params, incomingFileOf(call)),
})

export const alpineDownload = operation({
  ...alpine,
  method: 'GET',
  path: '/api/packages/{username}/alpine/{branch}/{repository}/{architecture}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download an Alpine package, or the index of a repository',
  async run({ ctx, params, call }) {
    const { architecture, filename } = params
    if (filename === 'APKINDEX.tar.gz') return bytes('application/gzip', await getIndex(ctx, params, architecture))
    return servePackageFile(ctx, await getApk(ctx, params, architecture, filename), call)
  },
})

export const alpineDelete = operation({
  ...alpine,
  method: 'DELETE',
  path: '/api/packages/{username}/alpine/{branch}/{repository}/{architecture}/{filename}',
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete a package from an Alpine repository',
  run: ({ ctx, params }) => removeApk(ctx, params, params.architecture, params.filename),
})
