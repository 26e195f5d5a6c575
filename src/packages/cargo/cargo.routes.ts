import { Type } from 'typebox'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { untied } from '../../http/untied-body.ts'
import { getFilesOfPackage, getPackageWithVersions, findPackages } from '../catalog/catalog.service.ts'
import type { FileRecord } from '../content/file.store.ts'
import { getFile, getVersion } from '../package.service.ts'
import { changing, json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { newestOf } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { orUpstream } from '../upstream/upstream.service.ts'
import { crateFrom, crateLinesFrom } from './cargo-upstream.service.ts'
import { presentConfig, presentFound, presentIndex } from './cargo.present.ts'
import { crateFileName } from './cargo.rules.ts'
import { publishCrate, yank } from './cargo.service.ts'

const type = 'cargo'
const cargo = registry(
  type,
  jsonErrors((refusal) => ({ ok: false, errors: [{ detail: refusal.message }] })),
)

const done = () => json({ ok: true })

/** Largest and default number of search results. */
const maxFound = 100
const usualFound = 10

export const cargoConfig = operation({
  ...cargo,
  method: 'GET',
  path: '/api/packages/{username}/cargo/config.json',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get the configuration of a Cargo registry',
  run: async ({ ctx }) => json(presentConfig(ctx)),
})

export const cargoPublish = operation({
  ...cargo,
  method: 'PUT',
  path: '/api/packages/{username}/cargo/api/v1/crates/new',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: jsonReply,
  summary: 'Publish a crate',
  async run({ ctx, call }) {
    await publishCrate(ctx, untied(call.body()), call.signal)
    return done()
  },
})

const index = {
  ...cargo,
  method: 'GET',
  requires: reading,
  reply: { 200: bytesOf('text/plain') },
  summary: 'List the versions of a crate (sparse index)',
} as const

async function sparseIndex(ctx: Parameters<typeof getPackageWithVersions>[0], name: string) {
  const own = async () => {
    const { text } = await cachedByRevision(ctx, type, name.toLowerCase(), async () => {
      const { row, versions } = await getPackageWithVersions(ctx, type, name)
      return { text: Buffer.from(presentIndex(versions, await getFilesOfPackage(ctx, row))) }
    })
    return text
  }
  const text = await orUpstream(ctx, { type, name }, own, (source) => crateLinesFrom(source, name))
  return bytes('text/plain;charset=utf-8', text)
}

export const cargoIndexOfShort = operation({
  ...index,
  path: '/api/packages/{username}/cargo/{length}/{name}',
  cost: 'usual',
  run: ({ ctx, params }) => sparseIndex(ctx, params.name),
})

export const cargoIndex = operation({
  ...index,
  path: '/api/packages/{username}/cargo/{first}/{second}/{name}',
  cost: 'usual',
  run: ({ ctx, params }) => sparseIndex(ctx, params.name),
})

export const cargoDownload = operation({
  ...cargo,
  method: 'GET',
  path: '/api/packages/{username}/cargo/api/v1/crates/{name}/{version}/download',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a crate',
  async run({ ctx, params: { name, version }, call }) {
    const own = async () => {
      const found = await getVersion(ctx, { type, name, version })
      return getFile(ctx, found, { fileName: crateFileName(found.name, found.version) })
    }
    const file = await orUpstream<FileRecord>(ctx, { type, name }, own, (source) =>
      crateFrom(ctx, source, name, version),
    )
    return servePackageFile(ctx, file, call)
  },
})

export const cargoSearch = operation({
  ...cargo,
  method: 'GET',
  path: '/api/packages/{username}/cargo/api/v1/crates',
  cost: 'usual',
  requires: reading,
  query: {
    q: Type.Optional(Type.String()),
    page: Type.Optional(Type.Integer()),
    per_page: Type.Optional(Type.Integer()),
  },
  reply: jsonReply,
  summary: 'Search the crates of an owner by their names',
  async run({ ctx, query: { q, page = 1, per_page: perPage = usualFound } }) {
    const limit = Math.min(maxFound, Math.max(1, perPage))
    const found = await findPackages(ctx, type, q, { limit, offset: (Math.max(1, page) - 1) * limit }, (versions) =>
      newestOf(versions, ({ version }) => version),
    )
    return json(presentFound(found.packages, found.total))
  },
})

export const cargoListOwners = operation({
  ...cargo,
  method: 'GET',
  path: '/api/packages/{username}/cargo/api/v1/crates/{name}/owners',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'List the owners of a crate',
  async run({ ctx }) {
    const { id, name, full_name: fullName } = ctx.subject
    return json({ users: [{ id, login: name, name: fullName === '' ? name : fullName }] })
  },
})

export const cargoYank = operation({
  ...cargo,
  method: 'DELETE',
  path: '/api/packages/{username}/cargo/api/v1/crates/{name}/{version}/yank',
  cost: 'usual',
  requires: changing,
  reply: jsonReply,
  summary: 'Yank a version of a crate',
  async run({ ctx, params: { name, version } }) {
    await yank(ctx, name, version, true)
    return done()
  },
})

export const cargoUnyank = operation({
  ...cargo,
  method: 'PUT',
  path: '/api/packages/{username}/cargo/api/v1/crates/{name}/{version}/unyank',
  cost: 'usual',
  requires: changing,
  reply: jsonReply,
  summary: 'Restore a yanked version of a crate',
  async run({ ctx, params: { name, version } }) {
    await yank(ctx, name, version, false)
    return done()
  },
})
