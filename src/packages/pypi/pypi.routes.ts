import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { getFilesOfPackage, getPackageWithVersions } from '../catalog/catalog.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import type { FileRecord } from '../content/file.store.ts'
import { getNamedFile } from '../package.service.ts'
import { receiveUpload, publishVersion } from '../publish.service.ts'
import { publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { orUpstream } from '../upstream/upstream.service.ts'
import { pypiFileFrom, pypiPageFrom } from './pypi-upstream.service.ts'
import { presentSimple } from './pypi.present.ts'
import { pypiName, uploadOf } from './pypi.rules.ts'

const type = 'pypi'
const pypi = registry(type, registryErrors)

export const pypiUpload = operation({
  ...pypi,
  method: 'POST',
  path: '/api/packages/{username}/pypi',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('multipart/form-data'),
  reply: { 201: 'empty' },
  summary: 'Upload a file of a Python package',
  async run({ ctx, call }) {
    const incoming = incomingFileOf(call, 'content')
    await receiveUpload(ctx, incoming, ctx.config.packages.limitSizePypi, async ({ arrived, fields, fileName }) => {
      const upload = uploadOf(fields, fileName, arrived.sha256)
      await publishVersion(ctx, { type, ...upload, files: [{ fileName, isLead: true, content: arrived }] })
    })
  },
})

export const pypiSimple = operation({
  ...pypi,
  method: 'GET',
  path: '/api/packages/{username}/pypi/simple/{name}',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('text/html') },
  summary: 'List the files of a Python package',
  async run({ ctx, params }) {
    const name = pypiName(params.name)
    const own = async () => {
      const { text } = await cachedByRevision(ctx, type, name.toLowerCase(), async () => {
        const { row, versions } = await getPackageWithVersions(ctx, type, name)
        return { text: presentSimple(ctx, row.name, versions, await getFilesOfPackage(ctx, row)) }
      })
      return text
    }
    const page = await orUpstream(ctx, { type, name }, own, (source) => pypiPageFrom(ctx, source, name))
    return bytes('text/html;charset=utf-8', page)
  },
})

export const pypiDownload = operation({
  ...pypi,
  method: 'GET',
  path: '/api/packages/{username}/pypi/files/{name}/{version}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a file of a Python package',
  async run({ ctx, params: { version, filename, ...params }, call }) {
    const name = pypiName(params.name)
    const own = () => getNamedFile(ctx, { type, name, version, fileName: filename })
    const file = await orUpstream<FileRecord>(ctx, { type, name }, own, (source) =>
      pypiFileFrom(ctx, source, name, filename),
    )
    return servePackageFile(ctx, file, call)
  },
})
