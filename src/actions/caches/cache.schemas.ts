import { Type } from 'typebox'
import { object, requestObject } from '../../http/schema.ts'

const text = Type.Optional(Type.String())
const number = Type.Optional(Type.Union([Type.String(), Type.Integer()]))

/** The request of the cache service. Clients write member names in snake case or camel case. */
export const CacheCall = requestObject('ActionsCacheCall', {
  key: text,
  version: text,
  restore_keys: Type.Optional(Type.Array(Type.String())),
  restoreKeys: Type.Optional(Type.Array(Type.String())),
  size_bytes: number,
  sizeBytes: number,
})
export const CacheUpload = object('ActionsCacheUpload', { ok: Type.Boolean(), signed_upload_url: Type.String() })
export const CacheMade = object('ActionsCacheMade', { ok: Type.Boolean(), entry_id: Type.String() })
export const CacheFound = object('ActionsCacheFound', {
  ok: Type.Boolean(),
  signed_download_url: Type.String(),
  matched_key: Type.String(),
})

export const CacheReserve = requestObject('ActionsCacheReserve', {
  key: text,
  version: text,
})
export const CacheReserved = object('ActionsCacheReserved', { cacheId: Type.Integer() })
export const CacheCommit = requestObject('ActionsCacheCommit', { size: Type.Optional(Type.Integer()) })
export const CacheEntry = object('ActionsCacheEntry', {
  cacheKey: Type.String(),
  cacheVersion: Type.String(),
  scope: Type.String(),
  creationTime: Type.String(),
  archiveLocation: Type.Optional(Type.String()),
})
export const ActionsCache = object('ActionsCache', {
  id: Type.Integer(),
  ref: Type.String(),
  key: Type.String(),
  version: Type.String(),
  size_in_bytes: Type.Integer(),
  created_at: Type.String(),
  last_accessed_at: Type.String(),
})
export const ActionsCaches = object('ActionsCaches', {
  total_count: Type.Integer(),
  actions_caches: Type.Array(ActionsCache),
})
