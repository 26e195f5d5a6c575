import { Type } from 'typebox'
import { storedReplies } from '../../access/serve-stored.ts'
import type { SubjectCtx } from '../../access/context.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { formatUnix } from '../../lib/time.ts'
import {
  getVersionWithMetadata,
  getPackageWithVersions,
  findPackages,
  searchPackages,
  wholeCatalog,
} from '../catalog/catalog.service.ts'
import type { VersionWithMetadata } from '../catalog/catalog.store.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { getFile, removeVersion } from '../package.service.ts'
import { changing, json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { registryUrl, urlBelow } from '../registry/registry-url.rules.ts'
import { compareSemver, newestOf } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { publishCookbook, type ChefMetadata } from './chef.service.ts'

const type = 'chef'
const chef = registry(
  type,
  jsonErrors((refusal) => ({ error_messages: [refusal.message] })),
)

/** Largest and default number of cookbooks on a page. */
const maxItems = 1000
const usualItems = 10

const pageQuery = { start: Type.Optional(Type.Integer()), items: Type.Optional(Type.Integer()) }

const cookbookUrl = (ctx: SubjectCtx, name: string, ...more: readonly string[]): string =>
  urlBelow(ctx, type, 'api', 'v1', 'cookbooks', name, ...more)

const versionUrl = (ctx: SubjectCtx, { name, version }: VersionWithMetadata): string =>
  cookbookUrl(ctx, name, 'versions', version)

/** Paths may write versions with underscores. */
const getCookbookVersion = (ctx: SubjectCtx, { name, version }: { name: string; version: string }) =>
  getVersionWithMetadata(ctx, type, name, version.replaceAll('_', '.'))

async function listCookbooks(ctx: SubjectCtx, text: string | undefined, start = 0, items = usualItems) {
  const page = { offset: Math.max(0, start), limit: Math.min(maxItems, Math.max(1, items)) }
  const { packages, total } = await findPackages(ctx, type, text, page, (versions) =>
    newestOf(versions, ({ version }) => version),
  )
  const shown = packages.map(({ row, newest }) => {
    const { maintainer, description } = metadataOf<ChefMetadata>(newest)
    return {
      cookbook_name: row.name,
      cookbook_maintainer: maintainer,
      cookbook_description: description,
      cookbook: cookbookUrl(ctx, row.name),
    }
  })
  return json({ start: page.offset, total, items: shown })
}

export const chefUpload = operation({
  ...chef,
  method: 'POST',
  path: '/api/packages/{username}/chef/api/v1/cookbooks',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('multipart/form-data'),
  reply: { 201: bytesOf('application/json') },
  summary: 'Share a Chef cookbook',
  async run({ ctx, call }) {
    await publishCookbook(ctx, incomingFileOf(call, 'tarball'))
    return json({}, { status: 201 })
  },
})

export const chefUniverse = operation({
  ...chef,
  method: 'GET',
  path: '/api/packages/{username}/chef/api/v1/universe',
  cost: 'expensive',
  requires: reading,
  reply: jsonReply,
  summary: 'List all versions of Chef cookbooks with their dependencies',
  async run({ ctx }) {
    const { packages } = await searchPackages(ctx, type, undefined, wholeCatalog)
    const universe = packages.map(({ row, versions }) => [
      row.name,
      Object.fromEntries(
        versions.map((version) => [
          version.version,
          {
            location_type: 'opscode',
            location_path: `${registryUrl(ctx, type)}/api/v1`,
            download_url: `${versionUrl(ctx, version)}/download`,
            dependencies: metadataOf<ChefMetadata>(version).dependencies,
          },
        ]),
      ),
    ])
    return json(Object.fromEntries(universe))
  },
})

export const chefListCookbooks = operation({
  ...chef,
  method: 'GET',
  path: '/api/packages/{username}/chef/api/v1/cookbooks',
  cost: 'usual',
  requires: reading,
  query: pageQuery,
  reply: jsonReply,
  summary: 'List the Chef cookbooks of an owner',
  run: ({ ctx, query: { start, items } }) => listCookbooks(ctx, undefined, start, items),
})

export const chefSearch = operation({
  ...chef,
  method: 'GET',
  path: '/api/packages/{username}/chef/api/v1/search',
  cost: 'usual',
  requires: reading,
  query: { ...pageQuery, q: Type.Optional(Type.String()) },
  reply: jsonReply,
  summary: 'Search the Chef cookbooks of an owner',
  run: ({ ctx, query: { q, start, items } }) => listCookbooks(ctx, q, start, items),
})

export const chefGetCookbook = operation({
  ...chef,
  method: 'GET',
  path: '/api/packages/{username}/chef/api/v1/cookbooks/{name}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get a Chef cookbook',
  async run({ ctx, params }) {
    const { row, versions } = await getPackageWithVersions(ctx, type, params.name)
    const sorted = versions.toSorted((one, other) => compareSemver(one.version, other.version))
    const newest = newestOf(versions, (version) => version.version) ?? (sorted[0] as VersionWithMetadata)
    const { maintainer, description, sourceUrl } = metadataOf<ChefMetadata>(newest)
    return json({
      name: row.name,
      maintainer,
      description,
      category: '',
      latest_version: versionUrl(ctx, newest),
      source_url: sourceUrl,
      created_at: formatUnix(row.created_unix),
      updated_at: formatUnix(newest.created_unix),
      deprecated: false,
      versions: sorted.map((version) => versionUrl(ctx, version)),
    })
  },
})

export const chefGetVersion = operation({
  ...chef,
  method: 'GET',
  path: '/api/packages/{username}/chef/api/v1/cookbooks/{name}/versions/{version}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get a version of a Chef cookbook',
  async run({ ctx, params }) {
    const version = await getCookbookVersion(ctx, params)
    const file = await getFile(ctx, version, { fileName: `${version.version}.tar.gz` })
    const { license, dependencies } = metadataOf<ChefMetadata>(version)
    return json({
      version: version.version,
      tarball_file_size: file.size_bytes,
      published_at: formatUnix(version.created_unix),
      cookbook: cookbookUrl(ctx, version.name),
      file: `${versionUrl(ctx, version)}/download`,
      license,
      dependencies,
    })
  },
})

export const chefDownload = operation({
  ...chef,
  method: 'GET',
  path: '/api/packages/{username}/chef/api/v1/cookbooks/{name}/versions/{version}/download',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a Chef cookbook',
  async run({ ctx, params, call }) {
    const version = await getCookbookVersion(ctx, params)
    return servePackageFile(ctx, await getFile(ctx, version, { fileName: `${version.version}.tar.gz` }), call)
  },
})

export const chefDeleteVersion = operation({
  ...chef,
  method: 'DELETE',
  path: '/api/packages/{username}/chef/api/v1/cookbooks/{name}/versions/{version}',
  cost: 'usual',
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete a version of a Chef cookbook',
  run: async ({ ctx, params }) => removeVersion(ctx, await getCookbookVersion(ctx, params)),
})

export const chefDeleteCookbook = operation({
  ...chef,
  method: 'DELETE',
  path: '/api/packages/{username}/chef/api/v1/cookbooks/{name}',
  cost: 'usual',
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Delete a Chef cookbook with all of its versions',
  async run({ ctx, params }) {
    const { versions } = await getPackageWithVersions(ctx, type, params.name)
    for (const version of versions) await removeVersion(ctx, version)
  },
})
