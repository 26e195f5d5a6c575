import { Type } from 'typebox'
import { signedIn } from '../../access/requirements.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes, empty, redirect } from '../../http/reply.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import { formatUnix } from '../../lib/time.ts'
import { getVersionWithMetadata, getPackageWithVersions } from '../catalog/catalog.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { packagesOn } from '../package.requirements.ts'
import { getFiles } from '../package.service.ts'
import { json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { urlBelow, type RegistryOwner } from '../registry/registry-url.rules.ts'
import { compareSemver, newestOf } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { checkAccept, identifierOf, manifestName, type SwiftMetadata, type SwiftName } from './swift.rules.ts'
import { getIdentifiers, publishRelease } from './swift.service.ts'

const type = 'swift'
const swift = registry(
  type,
  jsonErrors(({ status, message }) => ({ status, detail: message }), 'application/problem+json'),
)
const contentVersion = { 'content-version': '1' } as const

const releaseUrl = (owner: RegistryOwner, { scope, name }: SwiftName, version: string): string =>
  urlBelow(owner, type, scope, name, version)

export const swiftLogin = operation({
  ...swift,
  method: 'POST',
  path: '/api/packages/{username}/swift/login',
  cost: 'usual',
  requires: [packagesOn, signedIn],
  reply: { 200: 'empty' },
  summary: 'Check credentials for Swift packages',
  run: async () => {},
})

export const swiftPublish = operation({
  ...swift,
  method: 'PUT',
  path: '/api/packages/{username}/swift/{scope}/{name}/{version}',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('multipart/form-data'),
  reply: { 201: 'empty' },
  summary: 'Publish a version of a Swift package',
  async run({ ctx, params, call }) {
    checkAccept(call.headers['accept'], 'json')
    await publishRelease(ctx, params, params.version, incomingFileOf(call, 'source-archive'))
    return empty(201, contentVersion)
  },
})

export const swiftListReleases = operation({
  ...swift,
  method: 'GET',
  path: '/api/packages/{username}/swift/{scope}/{name}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'List the versions of a Swift package',
  async run({ ctx, params, call }) {
    checkAccept(call.headers['accept'], 'json')
    const { versions } = await getPackageWithVersions(ctx, type, identifierOf(params))
    const newest = newestOf(versions, (version) => version.version)
    const sorted = versions.toSorted((one, other) => compareSemver(one.version, other.version))
    const releases = sorted.map(({ version }) => [version, { url: releaseUrl(ctx, params, version) }])
    const link = `<${releaseUrl(ctx, params, newest?.version ?? '')}>; rel="latest-version"`
    return json({ releases: Object.fromEntries(releases) as object }, { headers: { ...contentVersion, link } })
  },
})

export const swiftGetRelease = operation({
  ...swift,
  method: 'GET',
  path: '/api/packages/{username}/swift/{scope}/{name}/{version}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Get a version of a Swift package, or its archive (with .zip)',
  async run({ ctx, params, call }) {
    const isArchive = params.version.endsWith('.zip')
    checkAccept(call.headers['accept'], isArchive ? 'zip' : 'json')
    const version = await getVersionWithMetadata(
      ctx,
      type,
      identifierOf(params),
      params.version.replace(/\.(?:zip|json)$/, ''),
    )
    const [file] = await getFiles(ctx, version)
    if (!file) throw new NotFound('the archive does not exist', 'package_file_not_found')
    if (isArchive) {
      const headers = { ...contentVersion, digest: `sha256=${file.sha256}` }
      return servePackageFile(ctx, file, call, { contentType: 'application/zip', headers })
    }
    const { manifests: _manifests, repositoryUrls: _urls, author, ...metadata } = metadataOf<SwiftMetadata>(version)
    const body = {
      id: version.name,
      version: version.version,
      resources: [{ name: 'source-archive', type: 'application/zip', checksum: file.sha256 }],
      metadata: {
        '@context': ['http://schema.org/'],
        '@type': 'SoftwareSourceCode',
        name: params.name,
        version: version.version,
        ...metadata,
        ...(author ? { author: { '@type': 'Person', ...author } } : {}),
        programmingLanguage: { '@type': 'ComputerLanguage', name: 'Swift', url: 'https://swift.org' },
      },
      publishedAt: formatUnix(version.created_unix),
    }
    return json(body, { headers: contentVersion })
  },
})

export const swiftManifest = operation({
  ...swift,
  method: 'GET',
  path: '/api/packages/{username}/swift/{scope}/{name}/{version}/Package.swift',
  cost: 'usual',
  requires: reading,
  query: { 'swift-version': Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/x-swift'), 303: 'empty' },
  summary: 'Get the manifest of a Swift package version, optionally for a compiler version',
  async run({ ctx, params, query, call }) {
    checkAccept(call.headers['accept'], 'swift')
    const version = await getVersionWithMetadata(ctx, type, identifierOf(params), params.version)
    const { manifests } = metadataOf<SwiftMetadata>(version)
    const { 'swift-version': wanted = '' } = query
    const manifest = Object.hasOwn(manifests, wanted) ? manifests[wanted] : undefined
    const usual = `${releaseUrl(ctx, params, version.version)}/Package.swift`
    if (manifest === undefined) return redirect(303, usual)
    const name = manifestName(wanted)
    const others = Object.keys(manifests).filter((each) => each !== '' && wanted === '')
    const link = others
      .map(
        (each) =>
          `<${usual}?swift-version=${each}>; rel="alternate"; filename="${manifestName(each)}"; swift-tools-version="${each}"`,
      )
      .join(', ')
    const headers = {
      ...contentVersion,
      // Not encoded, unlike in other downloads (observed). Names of manifests are ASCII.
      'content-disposition': `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      ...(link === '' ? {} : { link }),
    }
    return bytes('text/x-swift', manifest, { headers })
  },
})

export const swiftIdentifiers = operation({
  ...swift,
  method: 'GET',
  path: '/api/packages/{username}/swift/identifiers',
  cost: 'expensive',
  requires: reading,
  query: { url: Type.Optional(Type.String()) },
  reply: jsonReply,
  summary: 'Find Swift packages by the URL of their source repository',
  async run({ ctx, query: { url }, call }) {
    checkAccept(call.headers['accept'], 'json')
    if (!url) throw new BadRequest('the parameter `url` is missing')
    return json({ identifiers: await getIdentifiers(ctx, url) }, { headers: contentVersion })
  },
})
