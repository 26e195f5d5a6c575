import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { noContent } from '../../http/reply.ts'
import { formatUnix } from '../../lib/time.ts'
import { getVersionWithMetadata, getFilesOfVersions, getPackageWithVersions } from '../catalog/catalog.service.ts'
import type { VersionWithMetadata } from '../catalog/catalog.store.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getFile } from '../package.service.ts'
import { changing, json, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { urlBelow, type RegistryOwner } from '../registry/registry-url.rules.ts'
import { compareSemver, newestOf } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { publishArchive, type PubMetadata } from './pub.service.ts'

const type = 'pub'
const contentType = 'application/vnd.pub.v2+json'
const pub = registry(
  type,
  jsonErrors(({ code, message }) => ({ error: { code, message } }), contentType),
)
const reply = { 200: bytesOf(contentType) } as const
const pubJson = (body: unknown) => json(body, { contentType })

const presentVersion = (owner: RegistryOwner, version: VersionWithMetadata, sha256?: string) => ({
  version: version.version,
  archive_url: `${urlBelow(owner, type, 'api', 'packages', version.name, 'files')}/${encodeURIComponent(version.version)}.tar.gz`,
  ...(sha256 === undefined ? {} : { archive_sha256: sha256 }),
  published: formatUnix(version.created_unix),
  pubspec: metadataOf<PubMetadata>(version).pubspec,
})

export const pubNewVersion = operation({
  ...pub,
  method: 'GET',
  path: '/api/packages/{username}/pub/api/packages/versions/new',
  cost: 'usual',
  requires: changing,
  reply,
  summary: 'Get the upload URL for a Dart package',
  async run({ ctx }) {
    return pubJson({ url: urlBelow(ctx, type, 'api', 'packages', 'versions', 'new', 'upload'), fields: {} })
  },
})

export const pubUpload = operation({
  ...pub,
  method: 'POST',
  path: '/api/packages/{username}/pub/api/packages/versions/new/upload',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('multipart/form-data'),
  reply: { 204: 'empty' },
  summary: 'Upload a Dart package',
  async run({ ctx, call }) {
    const { name, version } = await publishArchive(ctx, incomingFileOf(call, 'file'))
    return noContent({ location: urlBelow(ctx, type, 'api', 'packages', 'versions', 'new', 'finalize', name, version) })
  },
})

export const pubFinalize = operation({
  ...pub,
  method: 'GET',
  path: '/api/packages/{username}/pub/api/packages/versions/new/finalize/{name}/{version}',
  cost: 'usual',
  requires: changing,
  reply,
  summary: 'Finish the upload of a Dart package',
  async run({ ctx, params: { name, version } }) {
    await getVersionWithMetadata(ctx, type, name, version)
    return pubJson({ success: { message: '' } })
  },
})

export const pubListVersions = operation({
  ...pub,
  method: 'GET',
  path: '/api/packages/{username}/pub/api/packages/{name}',
  cost: 'usual',
  requires: reading,
  reply,
  summary: 'List the versions of a Dart package',
  async run({ ctx, params }) {
    const { row, versions } = await getPackageWithVersions(ctx, type, params.name)
    const digests = new Map((await getFilesOfVersions(ctx, versions)).map((file) => [file.version_id, file.sha256]))
    const sorted = versions.toSorted((one, other) => compareSemver(one.version, other.version))
    const present = (version: VersionWithMetadata) => presentVersion(ctx, version, digests.get(version.id))
    const newest = newestOf(versions, (version) => version.version)
    return pubJson({ name: row.name, latest: newest && present(newest), versions: sorted.map(present) })
  },
})

export const pubGetVersion = operation({
  ...pub,
  method: 'GET',
  path: '/api/packages/{username}/pub/api/packages/{name}/{version}',
  cost: 'usual',
  requires: reading,
  reply,
  summary: 'Get a version of a Dart package',
  run: async ({ ctx, params: { name, version } }) =>
    pubJson(presentVersion(ctx, await getVersionWithMetadata(ctx, type, name, version))),
})

export const pubDownload = operation({
  ...pub,
  method: 'GET',
  path: '/api/packages/{username}/pub/api/packages/{name}/files/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a Dart package',
  async run({ ctx, params: { name, filename }, call }) {
    const version = await getVersionWithMetadata(ctx, type, name, filename.replace(/\.tar\.gz$/, ''))
    return servePackageFile(ctx, await getFile(ctx, version, { fileName: filename }), call)
  },
})
