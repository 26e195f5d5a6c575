import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { changing, publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getSigningKey } from '../indexes/signing.service.ts'
import { getDeb, getIndexFile, publishDeb, removeDeb } from './debian.service.ts'

const debian = registry('debian', registryErrors)

/** Returns the media type of an index by its file name extension. */
function indexType(path: string): string {
  if (path.endsWith('.gz')) return 'application/gzip'
  return path.endsWith('.xz') ? 'application/x-xz' : 'text/plain;charset=utf-8'
}

export const debianKey = operation({
  ...debian,
  method: 'GET',
  path: '/api/packages/{username}/debian/repository.key',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('application/pgp-keys') },
  summary: 'Get the key that signs the Debian repository of an owner',
  run: async ({ ctx }) => bytes('application/pgp-keys', (await getSigningKey(ctx, 'debian')).public_key),
})

export const debianUpload = operation({
  ...debian,
  method: 'PUT',
  path: '/api/packages/{username}/debian/pool/{distribution}/{component}/upload',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a Debian package',
  run: ({ ctx, params, call }) => publishDeb(ctx, params, incomingFileOf(call)),
})

export const debianIndex = operation({
  ...debian,
  method: 'GET',
  path: '/api/packages/{username}/debian/dists/{distribution}/{path+}',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('*/*') },
  summary: 'Get an index of a distribution of a Debian repository',
  run: async ({ ctx, params: { distribution, path } }) =>
    bytes(indexType(path), await getIndexFile(ctx, distribution, path)),
})

export const debianDownload = operation({
  ...debian,
  method: 'GET',
  path: '/api/packages/{username}/debian/pool/{distribution}/{component}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a Debian package',
  run: async ({ ctx, params, call }) =>
    servePackageFile(ctx, await getDeb(ctx, params, params.filename), call, {
      contentType: 'application/vnd.debian.binary-package',
    }),
})

export const debianDelete = operation({
  ...debian,
  method: 'DELETE',
  path: '/api/packages/{username}/debian/pool/{distribution}/{component}/{name}/{version}/{architecture}',
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete a package from a Debian repository',
  run: ({ ctx, params }) => removeDeb(ctx, params, params),
})
