import { Type } from 'typebox'
import type { SubjectCtx } from '../../access/context.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import type { PackageVersionRow } from '../../db/tables/packages.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { NotFound } from '../../lib/errors.ts'
import {
  getVersionWithMetadata,
  getFilesOfVersions,
  getPackageWithVersions,
  findPackages,
  wholeCatalog,
} from '../catalog/catalog.service.ts'
import type { VersionWithMetadata } from '../catalog/catalog.store.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { getFile, getNamedFile, getVersion, removeVersion } from '../package.service.ts'
import { changing, json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import {
  entryDocument,
  feedDocument,
  metadataDocument,
  presentFound,
  presentLeaf,
  presentRegistration,
  presentServices,
  serviceDocument,
} from './nuget.present.ts'
import { compareNuget, nupkgName, searchedFor } from './nuget.rules.ts'
import { publishPackage, publishSymbols } from './nuget.service.ts'

const type = 'nuget'
const nuget = registry(
  type,
  jsonErrors((refusal) => ({ Message: refusal.message })),
)

/** Largest and default number of search results. */
const maxFound = 1000
const usualFound = 20

const atomType = 'application/atom+xml;charset=utf-8'
const atomReply = { 200: bytesOf('application/atom+xml') } as const
const atom = (text: string) => bytes(atomType, text)

export const nugetServices = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/index.json',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get the service index of a NuGet registry',
  run: async ({ ctx }) => json(presentServices(ctx)),
})

export const nugetUpload = operation({
  ...nuget,
  method: 'PUT',
  path: '/api/packages/{username}/nuget',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a NuGet package',
  run: ({ ctx, call }) => publishPackage(ctx, incomingFileOf(call)),
})

export const nugetUploadSymbols = operation({
  ...nuget,
  method: 'PUT',
  path: '/api/packages/{username}/nuget/symbolpackage',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Add symbols to a NuGet package',
  run: ({ ctx, call }) => publishSymbols(ctx, incomingFileOf(call)),
})

export const nugetDelete = operation({
  ...nuget,
  method: 'DELETE',
  path: '/api/packages/{username}/nuget/{id}/{version}',
  cost: 'usual',
  requires: changing,
  reply: { 204: 'empty' },
  summary: 'Delete a version of a NuGet package',
  run: async ({ ctx, params: { id, version } }) =>
    removeVersion(ctx, await getVersion(ctx, { type, name: id, version })),
})

export const nugetSearch = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/query',
  cost: 'usual',
  requires: reading,
  query: {
    q: Type.Optional(Type.String()),
    skip: Type.Optional(Type.Integer()),
    take: Type.Optional(Type.Integer()),
  },
  reply: jsonReply,
  summary: 'Search the NuGet packages of an owner',
  async run({ ctx, query: { q, skip = 0, take = usualFound } }) {
    const page = { offset: Math.max(0, skip), limit: Math.min(maxFound, Math.max(1, take)) }
    const { packages, total } = await findPackages(ctx, type, q, page, newest)
    return json(presentFound(ctx, packages, total))
  },
})

export const nugetRegistration = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/registration/{id}/index.json',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get all versions of a NuGet package',
  async run({ ctx, params: { id } }) {
    const { text } = await cachedByRevision(ctx, type, `registration ${id.toLowerCase()}`, async () => {
      const { versions } = await getPackageWithVersions(ctx, type, id)
      return { text: Buffer.from(JSON.stringify(presentRegistration(ctx, versions))) }
    })
    return { ...json(null), content: text }
  },
})

export const nugetRegistrationLeaf = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/registration/{id}/{file}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get a version of a NuGet package',
  run: async ({ ctx, params: { id, file } }) =>
    json(presentLeaf(ctx, await getVersionWithMetadata(ctx, type, id, file.replace(/\.json$/, '')))),
})

export const nugetListVersions = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/package/{id}/index.json',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'List the versions of a NuGet package',
  async run({ ctx, params: { id } }) {
    const { versions } = await getPackageWithVersions(ctx, type, id)
    return json({ versions: versions.map(({ version }) => version).toSorted(compareNuget) })
  },
})

export const nugetDownload = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/package/{id}/{version}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a NuGet package or its description',
  async run({ ctx, params: { id, version, filename }, call }) {
    const file = await getNamedFile(ctx, { type, name: id, version, fileName: filename })
    return servePackageFile(ctx, file, call)
  },
})

export const nugetServiceDocument = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget',
  cost: 'usual',
  requires: reading,
  reply: atomReply,
  summary: 'Get the service document of a NuGet registry (protocol version 2)',
  run: async ({ ctx }) => atom(serviceDocument(ctx)),
})

export const nugetDataDocument = operation({
  ...nuget,
  method: 'GET',
  path: '/api/packages/{username}/nuget/$metadata',
  cost: 'usual',
  requires: reading,
  reply: atomReply,
  summary: 'Get the metadata of NuGet protocol version 2',
  run: async () => atom(metadataDocument()),
})

const newest = (versions: readonly PackageVersionRow[]): PackageVersionRow | undefined =>
  versions.toSorted((one, other) => compareNuget(one.version, other.version)).at(-1)

/** Finds versions for a search of protocol version 2; by default the newest of each package. */
async function find(ctx: SubjectCtx, query: URLSearchParams): Promise<readonly VersionWithMetadata[]> {
  const { id, text } = searchedFor(query)
  if (id === undefined) {
    const { packages } = await findPackages(ctx, type, text, wholeCatalog, newest)
    return packages.map((found) => found.newest)
  }
  try {
    return (await getPackageWithVersions(ctx, type, id)).versions
  } catch (error) {
    if (error instanceof NotFound) return []
    throw error
  }
}

async function presentFeed(ctx: SubjectCtx, { rawQuery }: Call) {
  const all = await find(ctx, rawQuery)
  const number = (name: string, usual: number) => Math.max(0, Number.parseInt(rawQuery.get(name) ?? '', 10) || usual)
  const skip = number('$skip', 0)
  const shown = all.slice(skip, skip + Math.min(maxFound, number('$top', maxFound)))
  const files = await getFilesOfVersions(ctx, shown)
  const sizes = new Map(files.filter((file) => file.is_lead).map((file) => [file.version_id, file.size_bytes]))
  return atom(feedDocument(ctx, shown, sizes, all.length))
}

const countFound = async (ctx: SubjectCtx, { rawQuery }: Call) =>
  bytes('text/plain;charset=utf-8', String((await find(ctx, rawQuery)).length))

const feed = {
  ...nuget,
  method: 'GET',
  requires: reading,
  reply: atomReply,
  summary: 'Search NuGet packages (protocol version 2)',
} as const
const count = {
  ...feed,
  reply: { 200: bytesOf('text/plain') },
  summary: 'Count NuGet packages (protocol version 2)',
} as const

export const nugetPackages = operation({
  ...feed,
  path: '/api/packages/{username}/nuget/Packages()',
  cost: 'expensive',
  run: ({ ctx, call }) => presentFeed(ctx, call),
})

export const nugetCountPackages = operation({
  ...count,
  path: '/api/packages/{username}/nuget/Packages()/$count',
  cost: 'expensive',
  run: ({ ctx, call }) => countFound(ctx, call),
})

export const nugetOldSearch = operation({
  ...feed,
  path: '/api/packages/{username}/nuget/Search()',
  cost: 'expensive',
  run: ({ ctx, call }) => presentFeed(ctx, call),
})

export const nugetCountSearch = operation({
  ...count,
  path: '/api/packages/{username}/nuget/Search()/$count',
  cost: 'expensive',
  run: ({ ctx, call }) => countFound(ctx, call),
})

export const nugetFindById = operation({
  ...feed,
  path: '/api/packages/{username}/nuget/FindPackagesById()',
  cost: 'usual',
  run: ({ ctx, call }) => presentFeed(ctx, call),
})

export const nugetCountById = operation({
  ...count,
  path: '/api/packages/{username}/nuget/FindPackagesById()/$count',
  cost: 'usual',
  run: ({ ctx, call }) => countFound(ctx, call),
})

export const nugetEntry = operation({
  ...feed,
  path: "/api/packages/{username}/nuget/Packages(Id='{id}',Version='{version}')",
  cost: 'usual',
  summary: 'Get a version of a NuGet package (protocol version 2)',
  async run({ ctx, params: { id, version } }) {
    const found = await getVersionWithMetadata(ctx, type, id, version)
    const file = await getFile(ctx, found, { fileName: nupkgName(found.name, found.version) })
    return atom(entryDocument(ctx, found, file.size_bytes))
  },
})
