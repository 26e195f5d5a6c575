import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, empty } from '../../http/reply.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { mavenPathOf, mavenType } from './maven.rules.ts'
import { checkChecksum, getArtifact, getChecksum, getVersionList, publishArtifact } from './maven.service.ts'

const maven = registry('maven', registryErrors)

/** Largest uploaded checksum in bytes. */
const maxChecksumBytes = 4096

export const mavenUpload = operation({
  ...maven,
  method: 'PUT',
  path: '/api/packages/{username}/maven/{path+}',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  maxBodyBytes: maxChecksumBytes,
  reply: { 200: 'empty', 201: 'empty' },
  summary: 'Deploy a file of a Maven artifact, or compare its checksum',
  async run({ ctx, params, call }) {
    const path = mavenPathOf(params.path)
    if (path.checksum) {
      await checkChecksum(ctx, path, path.checksum, (await call.wholeBody()).toString('utf8'))
      return empty(200)
    }
    if (path.isVersionList) {
      call.body().resume()
      return empty(200)
    }
    await publishArtifact(ctx, path, incomingFileOf(call))
    return empty(201)
  },
})

export const mavenDownload = operation({
  ...maven,
  method: 'GET',
  path: '/api/packages/{username}/maven/{path+}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a file of a Maven artifact, its checksum, or the list of its versions',
  async run({ ctx, params, call }) {
    const path = mavenPathOf(params.path)
    if (path.checksum) return bytes('text/plain;charset=utf-8', await getChecksum(ctx, path, path.checksum))
    if (path.isVersionList) return bytes('text/xml;charset=utf-8', await getVersionList(ctx, path))
    const file = await getArtifact(ctx, path)
    return servePackageFile(ctx, file, call, { contentType: mavenType(file.name) })
  },
})
