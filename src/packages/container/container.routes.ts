import { ownerUnderQuota } from '../../access/quota/quota.requirements.ts'
import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { storedReplies } from '../../access/serve-stored.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { empty, noContent } from '../../http/reply.ts'
import { untied } from '../../http/untied-body.ts'
import { BadRequest } from '../../lib/errors.ts'
import { incomingFileOf } from '../registry/incoming.ts'
import { mayPublish, mayPull, packagesOn } from '../package.requirements.ts'
import type { FileRecord } from '../content/file.store.ts'
import { json } from '../registry/registry.ts'
import { registryTokenSeconds, writeRegistryToken } from '../registry/registry-token.ts'
import { servePackageFile } from '../registry/serve-file.ts'
import { orUpstream } from '../upstream/upstream.service.ts'
import { blobFrom, manifestFrom, tagsFrom } from './container-upstream.service.ts'
import { containerErrors } from './container-errors.ts'
import { registryToken } from './container.requirements.ts'
import { checkImageName, indexType } from './container.rules.ts'
import {
  getBlob,
  getImages,
  getManifest,
  getReferrers,
  getTags,
  keepBlob,
  mountBlob,
  pushBlob,
  pushManifest,
  removeBlob,
  removeManifest,
  type FoundManifest,
} from './container.service.ts'
import { abortUpload, addPart, beginUpload, completeUpload, getUpload, type IncomingPart } from './upload.service.ts'

const container = {
  base: 'site',
  family: 'container-registry',
  scope: null,
  accepts: ['token', 'basic', 'oauth2', 'job', 'registry'],
  wrongCredentials: 'refused',
  errors: containerErrors,
} as const

const pulling = [packagesOn, registryToken, mayPull] as const
const pushing = [packagesOn, registryToken, mayPublish] as const
const adding = [...pushing, ownerUnderQuota('size:assets:packages:all')] as const

const pageParams = { n: Type.Optional(Type.Integer()), last: Type.Optional(Type.String()) }

/** Largest manifest in bytes. */
const maxManifestBytes = 10 << 20

/** Largest number of tags and images on a page. */
const maxPage = 10_000
const usualImages = 100

/** Largest number of referrers on a page. */
const maxReferrers = 1000

/** Returns the URL path of a resource of an image. */
const below = (owner: string, image: string, path: string): string => `/v2/${owner}/${image}/${path}`

const rangeOf = (sizeBytes: number): string => `0-${Math.max(0, sizeBytes - 1)}`

export const containerVersion = operation({
  ...container,
  method: 'GET',
  path: '/v2',
  cost: 'usual',
  requires: [packagesOn, registryToken],
  reply: { 200: 'empty' },
  summary: 'Check for a container registry and credentials',
  run: async () => {},
})

export const containerToken = operation({
  ...container,
  method: 'GET',
  path: '/v2/token',
  cost: 'usual',
  accepts: ['token', 'basic', 'oauth2', 'job'],
  requires: [packagesOn, anyone],
  reply: { 200: bytesOf('application/json') },
  summary: 'Get a token for the container registry',
  async run({ ctx }) {
    const token = writeRegistryToken(ctx, ctx.viewer, ctx.principal)
    return json({ token, access_token: token, expires_in: registryTokenSeconds })
  },
})

export const containerCatalog = operation({
  ...container,
  method: 'GET',
  path: '/v2/_catalog',
  cost: 'usual',
  requires: [packagesOn, registryToken],
  query: pageParams,
  reply: { 200: bytesOf('application/json') },
  summary: 'List the images of all owners that the caller may see',
  async run({ ctx, query: { n = usualImages, last = '' } }) {
    const limit = Math.min(maxPage, Math.max(1, n))
    const images = await getImages(ctx, last, limit + 1)
    const repositories = images.slice(0, limit)
    const next = `</v2/_catalog?last=${encodeURIComponent(repositories.at(-1) ?? '')}&n=${limit}>; rel="next"`
    return json({ repositories }, images.length > limit ? { headers: { link: next } } : {})
  },
})

export const containerBeginUpload = operation({
  ...container,
  method: 'POST',
  path: '/v2/{username}/{image+}/blobs/uploads',
  cost: 'usual',
  requires: adding,
  query: {
    digest: Type.Optional(Type.String()),
    mount: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
  },
  body: bytesOf('*/*'),
  reply: { 201: 'empty', 202: 'empty' },
  summary: 'Upload a blob, mount it from another image, or begin a chunked upload',
  async run({ ctx, params: { image }, query: { digest, mount, from }, call }) {
    checkImageName(image)
    const { name: owner } = ctx.subject
    const done = (of: string) => {
      const headers = { location: below(owner, image, `blobs/${of}`), 'docker-content-digest': of }
      return empty(201, headers)
    }
    if (mount !== undefined && from !== undefined && (await mountBlob(ctx, image, mount, from))) return done(mount)
    if (digest !== undefined) {
      const { sizeBytes } = incomingFileOf(call)
      await pushBlob(ctx, image, digest, untied(call.body()), sizeBytes, call.signal)
      return done(digest)
    }
    const { uuid } = await beginUpload(ctx, image)
    const location = below(owner, image, `blobs/uploads/${uuid}`)
    return empty(202, { location, 'docker-upload-uuid': uuid, range: '0-0' })
  },
})

export const containerUploadState = operation({
  ...container,
  method: 'GET',
  path: '/v2/{username}/{image+}/blobs/uploads/{uuid}',
  cost: 'usual',
  requires: pushing,
  reply: { 204: 'empty' },
  summary: 'Get the state of an upload',
  async run({ ctx, params: { image, uuid } }) {
    const upload = await getUpload(ctx, image, uuid)
    return noContent({ range: rangeOf(upload.size_bytes), 'docker-upload-uuid': uuid })
  },
})

export const containerAddPart = operation({
  ...container,
  method: 'PATCH',
  path: '/v2/{username}/{image+}/blobs/uploads/{uuid}',
  cost: 'usual',
  requires: pushing,
  obeys: ['content-range'],
  body: bytesOf('*/*'),
  reply: { 202: 'empty' },
  summary: 'Add a chunk to an upload',
  async run({ ctx, params: { image, uuid }, call }) {
    const upload = await getUpload(ctx, image, uuid)
    const sizeBytes = await addPart(ctx, upload, partOf(call))
    const location = below(ctx.subject.name, image, `blobs/uploads/${uuid}`)
    return empty(202, { location, range: rangeOf(sizeBytes), 'docker-upload-uuid': uuid })
  },
})

/** Reads the chunk of an upload in a request. Docker sends chunks without a length. */
function partOf(call: Call): IncomingPart {
  const length = Number(call.headers['content-length'] ?? 0)
  return {
    contentRange: call.headers['content-range'],
    sizeBytes: Number.isSafeInteger(length) ? length : 0,
    content: () => untied(call.body()),
    signal: call.signal,
  }
}

export const containerCompleteUpload = operation({
  ...container,
  method: 'PUT',
  path: '/v2/{username}/{image+}/blobs/uploads/{uuid}',
  cost: 'usual',
  requires: pushing,
  query: { digest: Type.Optional(Type.String()) },
  obeys: ['content-range'],
  body: bytesOf('*/*'),
  reply: { 201: 'empty' },
  summary: 'Finish an upload, with its last chunk',
  async run({ ctx, params: { image, uuid }, query: { digest = '' }, call }) {
    const upload = await getUpload(ctx, image, uuid)
    await completeUpload(ctx, upload, digest, partOf(call), (arrived) => keepBlob(ctx, image, arrived, true))
    const location = below(ctx.subject.name, image, `blobs/${digest}`)
    return empty(201, { location, 'docker-content-digest': digest })
  },
})

export const containerAbortUpload = operation({
  ...container,
  method: 'DELETE',
  path: '/v2/{username}/{image+}/blobs/uploads/{uuid}',
  cost: 'usual',
  requires: pushing,
  reply: { 204: 'empty' },
  summary: 'Cancel an upload',
  run: async ({ ctx, params: { image, uuid } }) => abortUpload(ctx, await getUpload(ctx, image, uuid)),
})

export const containerGetBlob = operation({
  ...container,
  method: 'GET',
  path: '/v2/{username}/{image+}/blobs/{digest}',
  cost: 'usual',
  requires: pulling,
  reply: storedReplies,
  summary: 'Get a blob of an image',
  async run({ ctx, params: { image, digest }, call }) {
    const file = await orUpstream<FileRecord>(
      ctx,
      { type: 'container', name: image },
      () => getBlob(ctx, image, digest),
      (source) => blobFrom(ctx, source, image, digest),
    )
    return servePackageFile(ctx, file, call, { headers: { 'docker-content-digest': digest } })
  },
})

export const containerDeleteBlob = operation({
  ...container,
  method: 'DELETE',
  path: '/v2/{username}/{image+}/blobs/{digest}',
  cost: 'usual',
  requires: pushing,
  reply: { 202: 'empty' },
  summary: 'Delete a blob that no manifest names',
  run: ({ ctx, params: { image, digest } }) => removeBlob(ctx, image, digest),
})

export const containerPutManifest = operation({
  ...container,
  method: 'PUT',
  path: '/v2/{username}/{image+}/manifests/{reference}',
  cost: 'usual',
  requires: pushing,
  body: bytesOf('*/*'),
  maxBodyBytes: maxManifestBytes,
  reply: { 201: 'empty' },
  summary: 'Publish a manifest under a tag or its digest',
  async run({ ctx, params: { image, reference }, call }) {
    const contentType = contentTypeOf(call)
    const bytes = await call.wholeBody()
    const { digest, manifest } = await pushManifest(ctx, image, reference, bytes, contentType, call.signal)
    return empty(201, {
      location: below(ctx.subject.name, image, `manifests/${reference}`),
      'docker-content-digest': digest,
      ...(manifest.subject === undefined ? {} : { 'oci-subject': manifest.subject }),
    })
  },
})

export const containerGetManifest = operation({
  ...container,
  method: 'GET',
  path: '/v2/{username}/{image+}/manifests/{reference}',
  cost: 'usual',
  requires: pulling,
  reply: storedReplies,
  summary: 'Get a manifest by a tag or its digest',
  async run({ ctx, params: { image, reference }, call }) {
    const { file, metadata } = await orUpstream<FoundManifest>(
      ctx,
      { type: 'container', name: image },
      () => getManifest(ctx, image, reference),
      (source) => manifestFrom(source, image, reference),
    )
    const headers = { 'docker-content-digest': metadata.digest }
    return servePackageFile(ctx, file, call, { contentType: metadata.mediaType, headers })
  },
})

export const containerDeleteManifest = operation({
  ...container,
  method: 'DELETE',
  path: '/v2/{username}/{image+}/manifests/{reference}',
  cost: 'usual',
  requires: pushing,
  reply: { 202: 'empty' },
  summary: 'Delete a tag, or a manifest with all of its tags',
  run: ({ ctx, params: { image, reference } }) => removeManifest(ctx, image, reference),
})

export const containerListTags = operation({
  ...container,
  method: 'GET',
  path: '/v2/{username}/{image+}/tags/list',
  cost: 'usual',
  requires: pulling,
  query: pageParams,
  reply: { 200: bytesOf('application/json') },
  summary: 'List the tags of an image',
  async run({ ctx, params: { image }, query: { n, last = '' } }) {
    if (n !== undefined && n < 0) throw new BadRequest('n is a number of tags')
    const limit = Math.min(maxPage, n ?? maxPage)
    const { tags, hasMore } = await orUpstream(
      ctx,
      { type: 'container', name: image },
      () => getTags(ctx, image, last, limit),
      (source) => tagsFrom(source, image, last, limit),
    )
    const { name } = ctx.subject
    const lastShown = encodeURIComponent(tags.at(-1) ?? last)
    const next = `<${below(name, image, `tags/list?last=${lastShown}&n=${limit}`)}>; rel="next"`
    return json({ name: `${name}/${image}`, tags }, hasMore ? { headers: { link: next } } : {})
  },
})

export const containerListReferrers = operation({
  ...container,
  method: 'GET',
  path: '/v2/{username}/{image+}/referrers/{digest}',
  cost: 'usual',
  requires: pulling,
  query: {
    artifactType: Type.Optional(Type.String()),
    n: Type.Optional(Type.Integer()),
    last: Type.Optional(Type.Integer()),
  },
  reply: { 200: bytesOf(indexType) },
  summary: 'List the manifests that refer to a manifest',
  async run({ ctx, params: { image, digest }, query: { artifactType, n = maxReferrers, last: after = 0 } }) {
    const limit = Math.min(maxReferrers, Math.max(1, n))
    const { index, next } = await getReferrers(ctx, image, digest, { artifactType, after, limit })
    const query = new URLSearchParams({
      n: String(limit),
      last: String(next),
      ...(artifactType === undefined ? {} : { artifactType }),
    })
    const address = `${below(ctx.subject.name, image, `referrers/${digest}`)}?${query.toString()}`
    const headers: Record<string, string> = {
      ...(artifactType === undefined ? {} : { 'oci-filters-applied': 'artifactType' }),
      ...(next === undefined ? {} : { link: `<${address}>; rel="next"` }),
    }
    return json(index, { contentType: indexType, headers })
  },
})
