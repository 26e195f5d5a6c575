import { Type } from 'typebox'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { formatUnix } from '../../lib/time.ts'
import { getFilesOfPackage, getPackageWithVersions, listPackageNames } from '../catalog/catalog.service.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getNamedFile } from '../package.service.ts'
import { json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { registryUrl, urlBelow } from '../registry/registry-url.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { isDevelopment, type ComposerMetadata } from './composer.rules.ts'
import { publishArchive, search } from './composer.service.ts'

const type = 'composer'
const composer = registry(
  type,
  jsonErrors(({ status, message }) => ({ errors: [{ status, message }] })),
)

/** Largest and default number of search results. */
const maxFound = 100
const usualFound = 15

export const composerUpload = operation({
  ...composer,
  method: 'PUT',
  path: '/api/packages/{username}/composer',
  cost: 'usual',
  requires: publishing,
  query: { version: Type.Optional(Type.String()) },
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a Composer package',
  run: ({ ctx, query: { version }, call }) => publishArchive(ctx, incomingFileOf(call), version),
})

export const composerServices = operation({
  ...composer,
  method: 'GET',
  path: '/api/packages/{username}/composer/packages.json',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get the service document of a Composer registry',
  async run({ ctx }) {
    const base = registryUrl(ctx, type)
    return json({
      search: `${base}/search.json?q=%query%&type=%type%`,
      'metadata-url': `${base}/p2/%package%.json`,
      list: `${base}/list.json`,
    })
  },
})

export const composerList = operation({
  ...composer,
  method: 'GET',
  path: '/api/packages/{username}/composer/list.json',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'List the names of the Composer packages of an owner',
  async run({ ctx }) {
    return json({ packageNames: await listPackageNames(ctx, type) })
  },
})

export const composerSearch = operation({
  ...composer,
  method: 'GET',
  path: '/api/packages/{username}/composer/search.json',
  cost: 'expensive',
  requires: reading,
  query: {
    q: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    page: Type.Optional(Type.Integer()),
    per_page: Type.Optional(Type.Integer()),
  },
  reply: jsonReply,
  summary: 'Search the Composer packages of an owner',
  async run({ ctx, query }) {
    const { q = '', type: kind = '' } = query
    const page = Math.max(1, query.page ?? 1)
    const limit = Math.min(maxFound, Math.max(1, query.per_page ?? usualFound))
    const { packages, total } = await search(ctx, q, kind, { limit, offset: (page - 1) * limit })
    const results = packages.map(({ row, versions, newest }) => {
      const { description } = metadataOf<ComposerMetadata>(newest)
      const downloads = versions.reduce((sum, version) => sum + version.download_count, 0)
      return { name: row.name, description: description ?? '', downloads }
    })
    const nextQuery = new URLSearchParams({ page: String(page + 1), per_page: String(limit), q, type: kind })
    const next = `${registryUrl(ctx, type)}/search.json?${nextQuery.toString()}`
    return json({ total, results, ...(page * limit < total ? { next } : {}) })
  },
})

export const composerMetadata = operation({
  ...composer,
  method: 'GET',
  path: '/api/packages/{username}/composer/p2/{vendor}/{file}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get the versions of a Composer package, or those in development',
  async run({ ctx, params: { vendor, file } }) {
    const plain = file.replace(/\.json$/, '')
    const wantsDevelopment = plain.endsWith('~dev')
    const name = `${vendor}/${plain.replace(/~dev$/, '')}`
    const { row, versions } = await getPackageWithVersions(ctx, type, name)
    const files = new Map((await getFilesOfPackage(ctx, row)).map((each) => [each.version_id, each]))
    const shown = versions
      .filter(({ version }) => isDevelopment(version) === wantsDevelopment)
      .toReversed()
      .map((version) => {
        const archive = files.get(version.id)
        return {
          ...metadataOf<ComposerMetadata>(version),
          name: row.name,
          version: version.version,
          time: formatUnix(version.created_unix),
          dist: {
            type: 'zip',
            url: urlBelow(ctx, type, 'files', row.lower_name, version.lower_version, archive?.name ?? ''),
            shasum: archive?.sha1 ?? '',
          },
          source: { url: '', type: '', reference: '' },
        }
      })
    return json({ minified: 'composer/2.0', packages: { [row.name]: shown } })
  },
})

export const composerDownload = operation({
  ...composer,
  method: 'GET',
  path: '/api/packages/{username}/composer/files/{name}/{version}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a Composer package',
  async run({ ctx, params: { name, version, filename }, call }) {
    const file = await getNamedFile(ctx, { type, name, version, fileName: filename })
    return servePackageFile(ctx, file, call)
  },
})
