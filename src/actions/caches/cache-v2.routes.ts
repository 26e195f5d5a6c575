import { Type } from 'typebox'
import type { Ctx } from '../../access/context.ts'
import { anyone } from '../../access/requirements.ts'
import { contentOf } from '../../access/contributions/stored-content.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { bytes, ok } from '../../http/reply.ts'
import { Unauthenticated } from '../../lib/errors.ts'
import { byJob } from '../runners/job.requirements.ts'
import { orderParts, storePart } from '../uploads/part-upload.service.ts'
import { declaredBytes, readBlockList } from '../uploads/upload-request.ts'
import { CacheCall, CacheFound, CacheMade, CacheUpload } from './cache.schemas.ts'
import {
  beginCache,
  cacheAddress,
  cacheOfAddress,
  cacheUpload,
  finishCache,
  getUnfinishedCacheByKey,
  lookUpCache,
} from './cache.service.ts'

const service = '/twirp/github.actions.results.api.v1.CacheService'
const ofJob = {
  base: 'site',
  family: 'runner',
  scope: null,
  accepts: ['job'],
  method: 'POST',
  requires: [byJob, validBody],
  body: CacheCall,
} as const

export const createCacheV2 = operation({
  ...ofJob,
  path: `${service}/CreateCacheEntry`,
  cost: 'usual',
  reply: { 200: CacheUpload },
  async run({ ctx, body: { key = '', version = '' } }) {
    const cache = await beginCache(ctx, ctx.task, key, version)
    const address = cache && cacheAddress(ctx, ctx.task, cache, 'UploadCache')
    return ok({ ok: cache !== undefined, signed_upload_url: address ?? '' })
  },
})

export const finalizeCacheV2 = operation({
  ...ofJob,
  path: `${service}/FinalizeCacheEntryUpload`,
  cost: 'usual',
  reply: { 200: CacheMade },
  async run({ ctx, body: { key = '', version = '', size_bytes: size, sizeBytes = size } }) {
    const cache = await getUnfinishedCacheByKey(ctx, ctx.task, key, version)
    await finishCache(ctx, cache, Number(sizeBytes ?? 0))
    return ok({ ok: true, entry_id: String(cache.id) })
  },
})

export const lookUpCacheV2 = operation({
  ...ofJob,
  path: `${service}/GetCacheEntryDownloadURL`,
  cost: 'usual',
  reply: { 200: CacheFound },
  async run({ ctx, body: { key = '', version = '', restore_keys: keys = [], restoreKeys = keys } }) {
    const found = await lookUpCache(ctx, ctx.task, [key, ...restoreKeys], version)
    const address = found && cacheAddress(ctx, ctx.task, found, 'DownloadCache')
    return ok({ ok: found !== undefined, signed_download_url: address ?? '', matched_key: found?.cache_key ?? '' })
  },
})

async function verifyAddress(ctx: Ctx, sig: string | undefined, verb: 'UploadCache' | 'DownloadCache') {
  const cache = await cacheOfAddress(ctx, sig ?? '', verb)
  if (!cache || cache.is_whole !== (verb === 'DownloadCache')) {
    throw new Unauthenticated('the signature of the address is wrong or expired', 'signature_wrong')
  }
  return cache
}

/** Receives an entry as a whole, or in named blocks that are followed by the list of their names. */
export const uploadCacheV2 = operation({
  base: 'site',
  family: 'runner',
  scope: null,
  accepts: [],
  method: 'PUT',
  path: `${service}/UploadCache`,
  cost: 'usual',
  requires: [anyone],
  query: {
    sig: Type.Optional(Type.String()),
    comp: Type.Optional(Type.String()),
    blockid: Type.Optional(Type.String()),
  },
  body: bytesOf('*/*'),
  reply: { 201: bytesOf('application/json') },
  async run({ ctx, query, call }) {
    const cache = await verifyAddress(ctx, query.sig, 'UploadCache')
    const upload = cacheUpload(ctx, cache)
    if (query.comp === 'blocklist') {
      await orderParts(ctx, upload, await readBlockList(call))
    } else {
      const part = query.comp === 'block' ? { key: query.blockid } : { key: 'whole', position: 0 }
      await storePart(ctx, upload, part, call.body(), { sizeBytes: declaredBytes(call), signal: call.signal })
    }
    return bytes('application/json', '"created"', { status: 201 })
  },
})

export const downloadCacheV2 = operation({
  base: 'site',
  family: 'runner',
  scope: null,
  accepts: [],
  method: 'GET',
  path: `${service}/DownloadCache`,
  cost: 'usual',
  requires: [anyone],
  query: { sig: Type.Optional(Type.String()) },
  reply: fileReplies,
  async run({ ctx, query, call }) {
    const cache = await verifyAddress(ctx, query.sig, 'DownloadCache')
    const content = contentOf(ctx.blobs.actionsArtifacts, { key: cache.blob_key, sizeBytes: cache.size_bytes })
    return serveFile(call, { name: 'cache', content })
  },
})
