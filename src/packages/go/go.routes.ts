import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import { formatUnix } from '../../lib/time.ts'
import { getVersionWithMetadata, getPackageWithVersions } from '../catalog/catalog.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getFile } from '../package.service.ts'
import { json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { compareSemver, newestOf } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { orUpstream } from '../upstream/upstream.service.ts'
import { goArchiveFrom, goDocumentFrom, goVersionFrom } from './go-upstream.service.ts'
import { unescapeModule, type GoMetadata } from './go.rules.ts'
import { publishModule } from './go.service.ts'

const type = 'go'
const go = registry(type, registryErrors)
const textType = 'text/plain;charset=utf-8'

const presentInfo = (version: { readonly version: string; readonly created_unix: number }) =>
  json({ Version: version.version, Time: formatUnix(version.created_unix) })

export const goUpload = operation({
  ...go,
  method: 'PUT',
  path: '/api/packages/{username}/go/upload',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Upload a version of a Go module',
  run: ({ ctx, call }) => publishModule(ctx, incomingFileOf(call)),
})

export const goListVersions = operation({
  ...go,
  method: 'GET',
  path: '/api/packages/{username}/go/{module+}/@v/list',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('text/plain') },
  summary: 'List the versions of a Go module',
  async run({ ctx, params }) {
    const name = unescapeModule(params.module)
    const own = async () => {
      const { versions } = await getPackageWithVersions(ctx, type, name)
      const names = versions.map((version) => version.version).toSorted(compareSemver)
      return names.map((each) => `${each}\n`).join('')
    }
    const list = await orUpstream<string | Buffer>(
      ctx,
      { type, name },
      own,
      async (source) => (await goDocumentFrom(source, params.module, '@v/list')).content,
    )
    return bytes(textType, list)
  },
})

export const goLatest = operation({
  ...go,
  method: 'GET',
  path: '/api/packages/{username}/go/{module+}/@latest',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get the newest version of a Go module',
  async run({ ctx, params }) {
    const name = unescapeModule(params.module)
    const own = async () => {
      const { versions } = await getPackageWithVersions(ctx, type, name)
      const newest = newestOf(versions, (version) => version.version)
      if (!newest) throw new NotFound('the module does not exist', 'package_not_found')
      return presentInfo(newest)
    }
    return orUpstream(ctx, { type, name }, own, async (source) => ({
      ...json(null),
      content: (await goDocumentFrom(source, params.module, '@latest')).content,
    }))
  },
})

export const goFile = operation({
  ...go,
  method: 'GET',
  path: '/api/packages/{username}/go/{module+}/@v/{file}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Get the time, the go.mod or the archive of a version of a Go module',
  async run({ ctx, params, call }) {
    const [, escaped = '', ending] = /^(.+)\.(info|mod|zip)$/.exec(params.file) ?? []
    const name = unescapeModule(params.module)
    const own = async () => {
      const version = await getVersionWithMetadata(ctx, type, name, unescapeModule(escaped))
      if (ending === 'info') return presentInfo(version)
      if (ending === 'mod') return bytes(textType, metadataOf<GoMetadata>(version).goMod)
      return servePackageFile(ctx, await getFile(ctx, version, { fileName: `${version.version}.zip` }), call)
    }
    return orUpstream<Awaited<ReturnType<typeof own>>>(ctx, { type, name }, own, async (source) => {
      if (ending === 'zip') {
        return servePackageFile(ctx, await goArchiveFrom(ctx, source, params.module, escaped), call)
      }
      const { content } = await goVersionFrom(source, params.module, params.file)
      return ending === 'info' ? { ...json(null), content } : bytes(textType, content)
    })
  },
})
