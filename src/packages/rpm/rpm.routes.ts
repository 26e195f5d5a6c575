import { Type } from 'typebox'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { changing, publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getSigningKey } from '../indexes/signing.service.ts'
import { groupOfUpload, rpmPathOf } from './rpm.rules.ts'
import { getIndexFile, getRpm, publishRpm, removeRpm, settingsOf } from './rpm.service.ts'

const rpm = registry('rpm', registryErrors)
const text = 'text/plain;charset=utf-8'

const indexType = (file: string): string => {
  if (file.endsWith('.gz')) return 'application/gzip'
  return file.endsWith('.asc') ? text : 'text/xml;charset=utf-8'
}

export const rpmSettings = operation({
  ...rpm,
  method: 'GET',
  path: '/api/packages/{username}/rpm.repo',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get the dnf configuration of the RPM repository of an owner',
  run: async ({ ctx }) => bytes(text, settingsOf(ctx, '')),
})

export const rpmKey = operation({
  ...rpm,
  method: 'GET',
  path: '/api/packages/{username}/rpm/repository.key',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('application/pgp-keys') },
  summary: 'Get the key that signs the RPM repository of an owner',
  run: async ({ ctx }) => bytes('application/pgp-keys', (await getSigningKey(ctx, 'rpm')).public_key),
})

export const rpmUpload = operation({
  ...rpm,
  method: 'PUT',
  path: '/api/packages/{username}/rpm/{path+}',
  cost: 'usual',
  requires: publishing,
  query: { sign: Type.Optional(Type.Boolean()) },
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish an RPM package, in a group before `/upload` or in none',
  run: ({ ctx, params: { path }, query, call }) =>
    publishRpm(ctx, groupOfUpload(path), incomingFileOf(call), {
      isSigned: query.sign === true || ctx.config.packages.defaultRpmSignEnabled,
    }),
})

export const rpmDownload = operation({
  ...rpm,
  method: 'GET',
  path: '/api/packages/{username}/rpm/{path+}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download an RPM package, an index of a group, or its dnf configuration',
  async run({ ctx, params, call }) {
    const path = rpmPathOf(params.path)
    if (path.kind === 'settings') return bytes(text, settingsOf(ctx, path.group))
    if (path.kind === 'index') return bytes(indexType(path.file), await getIndexFile(ctx, path.group, path.file))
    return servePackageFile(ctx, await getRpm(ctx, path), call, { contentType: 'application/x-rpm' })
  },
})

export const rpmDelete = operation({
  ...rpm,
  method: 'DELETE',
  path: '/api/packages/{username}/rpm/{path+}',
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete a package from an RPM repository',
  async run({ ctx, params }) {
    const path = rpmPathOf(params.path)
    if (path.kind !== 'package') throw new NotFound('the package does not exist', 'package_not_found')
    await removeRpm(ctx, path)
  },
})
