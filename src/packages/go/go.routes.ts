import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, empty } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { formatUnix } from '../../lib/time.ts'
import { getDescribed, getPackageWithVersions } from '../catalog.service.ts'
import { incomingOf } from '../incoming.ts'
import { metadataOf } from '../metadata.rules.ts'
import { getFile } from '../package.service.ts'
import { json, jsonReply, publishing, reading, registry } from '../registry.ts'
import { registryErrors } from '../registry-errors.ts'
import { compareSemver, newestOf } from '../semver.rules.ts'
import { servePackageFile } from '../serve-file.ts'
import { unescapeModule, type GoMetadata } from './go.rules.ts'
import { publishModule } from './go.service.ts'

const type = 'go'
const go = registry(type, registryErrors)
const moduleParams = { module: pathText }

const presentInfo = (version: { readonly version: string; readonly created_unix: number }) =>
  json({ Version: version.version, Time: formatUnix(version.created_unix) })

export const goUpload = operation({
  ...go,
  method: 'PUT',
  path: '/api/packages/{username}/go/upload',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Upload a version of a Go module',
  async run({ ctx, call }) {
    await publishModule(ctx, incomingOf(call))
    return empty(201)
  },
})

export const goListVersions = operation({
  ...go,
  method: 'GET',
  path: '/api/packages/{username}/go/{module+}/@v/list',
  params: moduleParams,
  requires: reading,
  reply: { 200: bytesOf('text/plain') },
  summary: 'List the versions of a Go module',
  async run({ ctx, params }) {
    const { versions } = await getPackageWithVersions(ctx, type, unescapeModule(params.module))
    const names = versions.map((version) => version.version).toSorted(compareSemver)
    return bytes('text/plain;charset=utf-8', names.map((name) => `${name}\n`).join(''))
  },
})

export const goLatest = operation({
  ...go,
  method: 'GET',
  path: '/api/packages/{username}/go/{module+}/@latest',
  params: moduleParams,
  requires: reading,
  reply: jsonReply,
  summary: 'Get the newest version of a Go module',
  async run({ ctx, params }) {
    const { versions } = await getPackageWithVersions(ctx, type, unescapeModule(params.module))
    const newest = newestOf(versions, (version) => version.version)
    if (!newest) throw new NotFound('the module does not exist', 'package_not_found')
    return presentInfo(newest)
  },
})

export const goFile = operation({
  ...go,
  method: 'GET',
  path: '/api/packages/{username}/go/{module+}/@v/{file}',
  params: { ...moduleParams, file: pathText },
  requires: reading,
  reply: storedReplies,
  summary: 'Get the time, the go.mod or the archive of a version of a Go module',
  async run({ ctx, params, call }) {
    const [, name = '', ending] = /^(.+)\.(info|mod|zip)$/.exec(params.file) ?? []
    const version = await getDescribed(ctx, type, unescapeModule(params.module), unescapeModule(name))
    if (ending === 'info') return presentInfo(version)
    if (ending === 'mod') return bytes('text/plain;charset=utf-8', metadataOf<GoMetadata>(version).goMod)
    return servePackageFile(ctx, await getFile(ctx, version, { fileName: `${version.version}.zip` }), call)
  },
})
