import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { changing, publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { checkedGroup } from '../rpm/rpm.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { altPathOf } from './alt.rules.ts'
import { getAltRpm, getIndexFile, publishAltRpm, removeAltRpm, settingsOf } from './alt.service.ts'

const alt = registry('alt', registryErrors)
const text = 'text/plain;charset=utf-8'

export const altUpload = operation({
  ...alt,
  method: 'PUT',
  path: '/api/packages/{username}/alt/{group+}/upload',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a package into a group of an ALT repository',
  run: ({ ctx, params, call }) => publishAltRpm(ctx, checkedGroup(params.group), incomingFileOf(call)),
})

export const altDownload = operation({
  ...alt,
  method: 'GET',
  path: '/api/packages/{username}/alt/{path+}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a package of an ALT repository, an index of a group, or its configuration',
  async run({ ctx, params, call }) {
    const path = altPathOf(params.path)
    if (path.kind === 'settings') return bytes(text, settingsOf(ctx, path.group))
    if (path.kind === 'package') return servePackageFile(ctx, await getAltRpm(ctx, path), call)
    const isText = path.file.startsWith('release')
    return bytes(isText ? text : 'application/octet-stream', await getIndexFile(ctx, path))
  },
})

export const altDelete = operation({
  ...alt,
  method: 'DELETE',
  path: '/api/packages/{username}/alt/{path+}',
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete a package from an ALT repository',
  async run({ ctx, params }) {
    const path = altPathOf(params.path)
    if (path.kind !== 'package') throw new NotFound('the package does not exist', 'package_not_found')
    await removeAltRpm(ctx, path)
  },
})
