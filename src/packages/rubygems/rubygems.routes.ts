import { createHash } from 'node:crypto'
import { storedReplies } from '../../access/serve-stored.ts'
import { readForm } from '../../http/form.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { enumeration } from '../../http/schema.ts'
import { BadRequest, Unsupported } from '../../lib/errors.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { changing, publishing, reading, registry } from '../registry/registry.ts'
import { registryErrors } from '../registry/registry-errors.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { getGem, getInfo, getSpecification, getSpecs, getVersions, publishGem, yankGem } from './rubygems.service.ts'

const rubygems = registry('rubygems', registryErrors)
const text = 'text/plain;charset=utf-8'

/** Largest form of a yank request, in bytes. */
const maxFormBytes = 16_384

/** Serves a list of the compact index. Bundler uses the ETag as its MD5. */
const listReply = (list: string) =>
  bytes(text, list, { headers: { etag: `"${createHash('md5').update(list).digest('hex')}"` } })

export const rubygemsUpload = operation({
  ...rubygems,
  method: 'POST',
  path: '/api/packages/{username}/rubygems/api/v1/gems',
  cost: 'usual',
  requires: publishing,
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Publish a gem',
  run: ({ ctx, call }) => publishGem(ctx, incomingFileOf(call)),
})

export const rubygemsYank = operation({
  ...rubygems,
  method: 'DELETE',
  path: '/api/packages/{username}/rubygems/api/v1/gems/yank',
  cost: 'usual',
  requires: changing,
  body: bytesOf('*/*'),
  reply: { 200: 'empty' },
  summary: 'Delete a version of a gem',
  async run({ ctx, call }) {
    const contentType = contentTypeOf(call)
    const fields = await readForm(call.body(), contentType, maxFormBytes, () => undefined)
    const { gem_name: name = '', version = '', platform = '' } = fields
    if (name === '' || version === '') throw new BadRequest('the gem or its version is missing', 'gem_missing')
    await yankGem(ctx, { name, version, platform })
  },
})

export const rubygemsVersions = operation({
  ...rubygems,
  method: 'GET',
  path: '/api/packages/{username}/rubygems/versions',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('text/plain') },
  summary: 'List the gems of an owner with their versions (compact index)',
  run: async ({ ctx }) => listReply(await getVersions(ctx)),
})

export const rubygemsInfo = operation({
  ...rubygems,
  method: 'GET',
  path: '/api/packages/{username}/rubygems/info/{name}',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('text/plain') },
  summary: 'Get the versions of a gem (compact index)',
  run: async ({ ctx, params }) => listReply(await getInfo(ctx, params.name)),
})

export const rubygemsSpecs = operation({
  ...rubygems,
  method: 'GET',
  path: '/api/packages/{username}/rubygems/{list}.4.8.gz',
  cost: 'usual',
  params: { list: enumeration('specs', 'latest_specs', 'prerelease_specs') },
  requires: reading,
  reply: { 200: bytesOf('application/gzip') },
  summary: 'List gems for older clients',
  run: async ({ ctx, params }) => bytes('application/gzip', await getSpecs(ctx, params.list)),
})

const describedForm = /^(.+)\.gemspec\.rz$/

export const rubygemsSpecification = operation({
  ...rubygems,
  method: 'GET',
  path: '/api/packages/{username}/rubygems/quick/Marshal.4.8/{filename}',
  cost: 'usual',
  requires: reading,
  reply: { 200: bytesOf('application/octet-stream') },
  summary: 'Get the description of a gem for older clients',
  async run({ ctx, params }) {
    const [, name] = describedForm.exec(params.filename) ?? []
    if (name === undefined) throw new Unsupported('only the format 4.8 of descriptions is supported')
    return bytes('application/octet-stream', await getSpecification(ctx, `${name}.gem`))
  },
})

export const rubygemsDownload = operation({
  ...rubygems,
  method: 'GET',
  path: '/api/packages/{username}/rubygems/gems/{filename}',
  cost: 'usual',
  requires: reading,
  reply: storedReplies,
  summary: 'Download a gem',
  run: async ({ ctx, params, call }) => servePackageFile(ctx, await getGem(ctx, params.filename), call),
})
