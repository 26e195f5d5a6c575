import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { noContent, ok } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { BadRequest, Conflict } from '../../lib/errors.ts'
import type { CacheId } from '../../lib/ids.ts'
import { formatUnix } from '../../lib/time.ts'
import type { ActionCacheRow } from '../../db/tables/action-storage.ts'
import { byJob } from '../runners/job.requirements.ts'
import { storePart } from '../uploads/part-upload.service.ts'
import { declaredBytes } from '../uploads/upload-request.ts'
import { CacheCommit, CacheEntry, CacheReserve, CacheReserved } from './cache.schemas.ts'
import { beginCache, cacheAddress, cacheUpload, finishCache, getUnfinishedCache, lookUpCache } from './cache.service.ts'

const base = '/_apis/artifactcache'
const ofJob = { base: 'site', family: 'runner', scope: null, accepts: ['job'] } as const

const entryOf = (row: ActionCacheRow) => ({
  cacheKey: row.cache_key,
  cacheVersion: row.version,
  scope: row.scope,
  creationTime: formatUnix(row.created_unix),
})

export const lookUpCacheV1 = operation({
  ...ofJob,
  method: 'GET',
  path: `${base}/cache`,
  cost: 'usual',
  requires: [byJob],
  query: { keys: Type.Optional(Type.String()), version: Type.Optional(Type.String()) },
  reply: { 200: CacheEntry, 204: 'empty' },
  async run({ ctx, query: { keys = '', version = '' } }) {
    const found = await lookUpCache(ctx, ctx.task, keys.split(','), version)
    if (!found) return noContent()
    return ok({ ...entryOf(found), archiveLocation: cacheAddress(ctx, ctx.task, found, 'DownloadCache') })
  },
})

export const reserveCacheV1 = operation({
  ...ofJob,
  method: 'POST',
  path: `${base}/caches`,
  cost: 'usual',
  requires: [byJob, validBody],
  body: CacheReserve,
  reply: { 200: CacheReserved },
  async run({ ctx, body: { key = '', version = '' } }) {
    const cache = await beginCache(ctx, ctx.task, key, version)
    if (!cache) throw new Conflict(`a cache entry with the key "${key}" exists or is being uploaded`, 'cache_exists')
    return ok({ cacheId: cache.id })
  },
})

export const uploadCacheV1 = operation({
  ...ofJob,
  method: 'PATCH',
  path: `${base}/caches/{id}`,
  cost: 'usual',
  params: { id: pathNumber },
  requires: [byJob],
  obeys: ['content-range'],
  body: bytesOf('*/*'),
  reply: { 204: 'empty' },
  async run({ ctx, params, call }) {
    const { 'content-range': range } = call.headers
    const start = /^bytes (\d{1,15})-\d{1,15}\/(?:\*|\d{1,15})$/.exec(typeof range === 'string' ? range : '')?.[1]
    if (start === undefined) {
      throw new BadRequest('the Content-Range header is missing or malformed', 'cache_range_invalid')
    }
    const cache = await getUnfinishedCache(ctx, ctx.task, params.id as CacheId)
    await storePart(ctx, cacheUpload(ctx, cache), { key: `at ${start}`, position: Number(start) }, call.body(), {
      sizeBytes: declaredBytes(call),
      signal: call.signal,
    })
  },
})

export const commitCacheV1 = operation({
  ...ofJob,
  method: 'POST',
  path: `${base}/caches/{id}`,
  cost: 'usual',
  params: { id: pathNumber },
  requires: [byJob, validBody],
  body: CacheCommit,
  reply: { 204: 'empty' },
  async run({ ctx, params, body }) {
    const cache = await getUnfinishedCache(ctx, ctx.task, params.id as CacheId)
    await finishCache(ctx, cache, body.size ?? 0)
  },
})
