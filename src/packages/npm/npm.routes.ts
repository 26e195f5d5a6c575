import { Type } from 'typebox'
import { storedReplies } from '../../access/serve-stored.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { noFile } from '../package.rules.ts'
import {
  getPublishers,
  getFilesOfPackage,
  getPackageRow,
  getPackageWithVersions,
  findPackages,
} from '../catalog/catalog.service.ts'
import type { FileRecord } from '../content/file.store.ts'
import { getNamedFile, getVersion, removeVersion } from '../package.service.ts'
import { changing, json, jsonReply, publishing, reading, registry } from '../registry/registry.ts'
import { jsonErrors } from '../registry/registry-errors.ts'
import { cachedByRevision } from '../indexes/registry-cache.ts'
import { newestOf } from '../registry/semver.rules.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getTags, removeTag } from '../catalog/tag.service.ts'
import { orUpstream } from '../upstream/upstream.service.ts'
import { npmArchiveFrom, npmDocumentFrom } from './npm-upstream.service.ts'
import { presentDocument, presentFound, presentTags } from './npm.present.ts'
import { publishDocument, removePackage, tagVersion } from './npm.service.ts'

const type = 'npm'
const npm = registry(
  type,
  jsonErrors((refusal) => ({ error: refusal.message })),
)

/** Largest and default number of search results. */
const maxFound = 250
const usualFound = 20

/** Largest body that holds a version, in bytes. */
const maxVersionBytes = 1024

export const npmPublish = operation({
  ...npm,
  method: 'PUT',
  path: '/api/packages/{username}/npm/{name+}',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a version of an npm package, or deprecate versions',
  run: ({ ctx, call }) => publishDocument(ctx, call.body(), call.signal),
})

export const npmMetadata = operation({
  ...npm,
  method: 'GET',
  path: '/api/packages/{username}/npm/{name+}',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'Get an npm package with all of its versions',
  async run({ ctx, params: { name } }) {
    const own = async () => {
      const { text } = await cachedByRevision(ctx, type, `document ${name.toLowerCase()}`, async () => {
        const { row, versions } = await getPackageWithVersions(ctx, type, name)
        const [files, tags] = await Promise.all([getFilesOfPackage(ctx, row), getTags(ctx, row)])
        return { text: Buffer.from(JSON.stringify(presentDocument(ctx, versions, files, tags))) }
      })
      return text
    }
    const text = await orUpstream(ctx, { type, name }, own, (source) => npmDocumentFrom(ctx, source, name))
    return { ...json(null), content: text }
  },
})

export const npmDownload = operation({
  ...npm,
  method: 'GET',
  path: '/api/packages/{username}/npm/{name+}/-/{version}/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download the archive of a version of an npm package',
  async run({ ctx, params: { name, version, filename }, call }) {
    const own = () => getNamedFile(ctx, { type, name, version, fileName: filename })
    const file = await orUpstream<FileRecord>(ctx, { type, name }, own, (source) =>
      npmArchiveFrom(ctx, source, name, filename),
    )
    return servePackageFile(ctx, file, call)
  },
})

export const npmDownloadByName = operation({
  ...npm,
  method: 'GET',
  path: '/api/packages/{username}/npm/{name+}/-/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download an archive of an npm package by file name',
  async run({ ctx, params: { name, filename }, call }) {
    const own = async () => {
      const row = await getPackageRow(ctx, type, name)
      const files = await getFilesOfPackage(ctx, row)
      const file = files.find((each) => each.lower_name === filename.toLowerCase())
      if (!file) throw noFile()
      return file
    }
    const file = await orUpstream(ctx, { type, name }, own, (source) => npmArchiveFrom(ctx, source, name, filename))
    return servePackageFile(ctx, file, call)
  },
})

export const npmDeleteVersion = operation({
  ...npm,
  method: 'DELETE',
  path: '/api/packages/{username}/npm/{name+}/-/{version}/{filename}/-rev/{revision}',
  cost: 'usual',
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Unpublish a version of an npm package',
  run: async ({ ctx, params: { name, version } }) => removeVersion(ctx, await getVersion(ctx, { type, name, version })),
})

export const npmDeletePackage = operation({
  ...npm,
  method: 'DELETE',
  path: '/api/packages/{username}/npm/{name+}/-rev/{revision}',
  cost: 'usual',
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Unpublish an npm package with all of its versions',
  async run({ ctx, params: { name } }) {
    const { versions } = await getPackageWithVersions(ctx, type, name)
    await removePackage(ctx, versions)
  },
})

export const npmUpdateDocument = operation({
  ...npm,
  method: 'PUT',
  path: '/api/packages/{username}/npm/{name+}/-rev/{revision}',
  cost: 'usual',
  requires: changing,
  body: bytesOf('*/*'),
  reply: { 200: 'empty' },
  summary: 'Accept the document that npm sends before it unpublishes a version; changes nothing',
  async run({ call }) {
    call.body().resume()
  },
})

export const npmListTags = operation({
  ...npm,
  method: 'GET',
  path: '/api/packages/{username}/npm/-/package/{name+}/dist-tags',
  cost: 'usual',
  requires: reading,
  reply: jsonReply,
  summary: 'List the tags of an npm package',
  async run({ ctx, params: { name } }) {
    const row = await getPackageRow(ctx, type, name)
    return json(presentTags(await getTags(ctx, row)))
  },
})

export const npmSetTag = operation({
  ...npm,
  method: 'PUT',
  path: '/api/packages/{username}/npm/-/package/{name+}/dist-tags/{tag}',
  cost: 'usual',
  requires: changing,
  body: bytesOf('*/*'),
  maxBodyBytes: maxVersionBytes,
  reply: { 200: 'empty' },
  summary: 'Point a tag of an npm package to a version',
  async run({ ctx, params: { name, tag }, call }) {
    const text = (await call.wholeBody()).toString('utf8').trim()
    await tagVersion(ctx, name, tag, /^"(.*)"$/s.exec(text)?.[1])
  },
})

export const npmDeleteTag = operation({
  ...npm,
  method: 'DELETE',
  path: '/api/packages/{username}/npm/-/package/{name+}/dist-tags/{tag}',
  cost: 'usual',
  requires: changing,
  reply: { 200: 'empty' },
  summary: 'Remove a tag of an npm package',
  async run({ ctx, params: { name, tag } }) {
    const row = await getPackageRow(ctx, type, name)
    await removeTag(ctx, row, tag)
  },
})

export const npmSearch = operation({
  ...npm,
  method: 'GET',
  path: '/api/packages/{username}/npm/-/v1/search',
  cost: 'usual',
  requires: reading,
  query: {
    text: Type.Optional(Type.String()),
    from: Type.Optional(Type.Integer()),
    size: Type.Optional(Type.Integer()),
  },
  reply: jsonReply,
  summary: 'Search the npm packages of an owner by their names',
  async run({ ctx, query: { text, from = 0, size = usualFound } }) {
    const page = { offset: Math.max(0, from), limit: Math.min(maxFound, Math.max(1, size)) }
    const { packages, total } = await findPackages(ctx, type, text, page, (versions) =>
      newestOf(versions, ({ version }) => version),
    )
    const publishers = await getPublishers(
      ctx,
      packages.map(({ newest }) => newest),
    )
    return json(presentFound(ctx, packages, total, publishers))
  },
})

export const npmWhoami = operation({
  ...npm,
  method: 'GET',
  path: '/api/packages/{username}/npm/-/whoami',
  cost: 'usual',
  requires: changing,
  reply: jsonReply,
  summary: 'Get the name of the signed-in npm user',
  run: async ({ ctx }) => json({ username: ctx.viewer.user.name }),
})
