import type { Ctx, RepoCtx, Services } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionCacheRow } from '../../db/tables/action-storage.ts'
import { BadRequest, NotFound } from '../../lib/errors.ts'
import type { CacheId, TaskId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { findUserById } from '../../users/user.store.ts'
import { cacheScopesOf } from '../runs/trust.rules.ts'
import { findRunningTask, type RunningTask } from '../runners/job-token.store.ts'
import { joinParts, newBlobKey, type PartUpload } from '../uploads/part-upload.service.ts'
import {
  deleteCacheBlocks,
  deleteCacheRow,
  findCache,
  findCacheForUpdate,
  findCacheByPrefix,
  findCacheNamed,
  findCacheScopeSource,
  insertCache,
  listByUse,
  listCacheBlocks,
  listUnused,
  pageOfCaches,
  updateCache,
  updateCacheBlockPosition,
  upsertCacheBlock,
} from './cache.store.ts'

/** Lengths are in characters. */
const maxKeyLength = 512
const maxVersionLength = 512

/** Most keys of a lookup, and most parts of an entry. */
const maxKeys = 10
const maxBlocks = 20_000

/** Most entries of a repository. Small entries do not reach the limit of bytes. */
const maxEntries = 2000

/** The time after which an unfinished entry is deleted, in seconds. */
const unfinishedSeconds = 6 * 3600
/** The lifetime of a signed address, in seconds. */
const addressSeconds = 3600

const noCache = () => new NotFound('the cache entry does not exist', 'cache_not_found')

function checkName(key: string, version: string): void {
  const isValid =
    key !== '' &&
    key.length <= maxKeyLength &&
    !/[,\0]/.test(key) &&
    version.length <= maxVersionLength &&
    !version.includes('\0')
  if (!isValid) {
    throw new BadRequest(
      `a cache key has 1 to ${maxKeyLength} characters and no comma, a version at most ${maxVersionLength} characters`,
      'cache_key_invalid',
    )
  }
}

/** Returns the scopes whose entries a run reads: its own, the base branch of a pull request, and the default branch. */
async function scopesOf({ db }: Services, task: RunningTask): Promise<readonly [string, ...string[]]> {
  const source = await findCacheScopeSource(db, task.runId)
  if (!source) throw noCache()
  return cacheScopesOf(source)
}

/**
 * Finds an entry: in each scope by the first key exactly, then by the keys as prefixes, in order. Throws `BadRequest` for bad
 * keys and too many keys.
 */
export async function lookUpCache(
  services: Services,
  task: RunningTask,
  keys: readonly string[],
  version: string,
): Promise<ActionCacheRow | undefined> {
  if (keys.length === 0 || keys.length > maxKeys) {
    throw new BadRequest(`a lookup has 1 to ${maxKeys} cache keys`, 'cache_keys_wrong')
  }
  for (const key of keys) checkName(key, version)
  const [first] = keys as readonly [string, ...string[]]
  for (const scope of await scopesOf(services, task)) {
    const at = { repoId: task.repoId, scope, version }
    const exact = await findCacheNamed(services.db, { ...at, key: first })
    let found = exact?.is_whole ? exact : undefined
    for (const key of keys) found ??= await findCacheByPrefix(services.db, { ...at, key })
    if (!found) continue
    const { id } = found
    await transaction(services.db, (tx) => updateCache(tx, id, { used_unix: nowUnix(services.clock) }))
    return found
  }
  return undefined
}

/**
 * Creates an unfinished entry in the run's own scope. Returns undefined when the key exists, finished or not: entries do not
 * change. Throws `OverQuota`.
 */
export async function beginCache(
  services: Services,
  task: RunningTask,
  key: string,
  version: string,
): Promise<ActionCacheRow | undefined> {
  checkName(key, version)
  const owner = await findUserById(services.db, task.ownerId)
  if (owner) await refuseOverQuota(services, owner, 'size:assets:artifacts')
  const [scope] = await scopesOf(services, task)
  const name = { repoId: task.repoId, scope, version, key }
  const now = nowUnix(services.clock)
  const abandoned = await findCacheNamed(services.db, name)
  if (abandoned && !abandoned.is_whole && abandoned.used_unix < now - unfinishedSeconds) {
    await deleteCaches(services, [abandoned])
  }
  return transaction(services.db, (tx) => insertCache(tx, name, now))
}

/** Returns an unfinished entry of the run's own scope. Throws `NotFound`. */
export async function getUnfinishedCache(services: Services, task: RunningTask, id: CacheId): Promise<ActionCacheRow> {
  const [[scope], row] = await Promise.all([scopesOf(services, task), findCache(services.db, id)])
  if (!row || row.repo_id !== task.repoId || row.scope !== scope || row.is_whole) throw noCache()
  return row
}

export async function getUnfinishedCacheByKey(
  services: Services,
  task: RunningTask,
  key: string,
  version: string,
): Promise<ActionCacheRow> {
  const [scope] = await scopesOf(services, task)
  const row = await findCacheNamed(services.db, { repoId: task.repoId, scope, version, key })
  if (!row || row.is_whole) throw noCache()
  return row
}

/** Returns the access to the parts of an unfinished entry. */
export const cacheUpload = (services: Services, { id, repo_id }: ActionCacheRow): PartUpload => ({
  repoId: repo_id,
  maxParts: maxBlocks,
  maxBytes: services.config.ingot.maxCache,
  async lock(tx) {
    const row = await findCacheForUpdate(tx, id)
    return !row || row.is_whole ? undefined : row
  },
  setReserved: (tx, reservedBytes) => updateCache(tx, id, { reserved_bytes: reservedBytes }),
  listParts: (db) => listCacheBlocks(db, id),
  upsertPart: (tx, part) => upsertCacheBlock(tx, { cache_id: id, ...part }),
  movePart: (tx, key, position) => updateCacheBlockPosition(tx, id, key, position),
  missing: noCache,
})

/**
 * Completes an entry from its parts, and evicts the least recently used entries when the repository exceeds its limits.
 * Throws `Invalid` for a wrong size; then the parts stay.
 */
export async function finishCache(services: Services, cache: ActionCacheRow, sizeBytes: number): Promise<void> {
  const store = services.blobs.actionsArtifacts
  const blocks = await listCacheBlocks(services.db, cache.id)
  const upload = cacheUpload(services, cache)
  const key = newBlobKey(cache.repo_id)
  const { maxCaches } = services.config.ingot
  await store.put(key, joinParts(services, upload, blocks), { maxBytes: upload.maxBytes, expected: { sizeBytes } })
  const gone = await transaction(services.db, async (tx) => {
    const row = await upload.lock(tx)
    if (!row) return undefined
    await updateCache(tx, cache.id, { is_whole: true, size_bytes: sizeBytes, reserved_bytes: 0, blob_key: key })
    await deleteCacheBlocks(tx, cache.id)
    await addToUsage(tx, { repoId: cache.repo_id }, 'artifacts', sizeBytes - row.reserved_bytes)
    return [...blocks.map((block) => block.blob_key), ...(await evict(tx, cache, maxCaches))]
  })
  for (const each of gone ?? [key]) await store.delete(each)
  if (!gone) throw noCache()
}

/** Deletes the least recently used entries, but not the newest, until the rest fits. Returns their blob keys. */
async function evict(tx: Tx, newest: ActionCacheRow, maxBytes: number): Promise<string[]> {
  const kept = await listByUse(tx, newest.repo_id)
  let bytes = kept.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  let count = kept.length
  const keys: string[] = []
  for (const { id, size_bytes } of kept) {
    if (bytes <= maxBytes && count <= maxEntries) break
    if (id === newest.id) continue
    keys.push(...(await deleteRow(tx, id)))
    bytes -= size_bytes
    count--
  }
  return keys
}

/** Deletes the row of an entry. Returns its blob keys, which the caller deletes after the commit. */
async function deleteRow(tx: Tx, id: CacheId): Promise<string[]> {
  const row = await findCacheForUpdate(tx, id)
  if (!row) return []
  const blocks = await listCacheBlocks(tx, id)
  await deleteCacheRow(tx, id)
  const charged = row.is_whole ? row.size_bytes : row.reserved_bytes
  await addToUsage(tx, { repoId: row.repo_id }, 'artifacts', -charged)
  return [row.blob_key, ...blocks.map(({ blob_key }) => blob_key)].filter((key) => key !== '')
}

async function deleteCaches(services: Services, rows: readonly ActionCacheRow[]): Promise<void> {
  for (const { id } of rows) {
    const keys = await transaction(services.db, (tx) => deleteRow(tx, id))
    for (const key of keys) await services.blobs.actionsArtifacts.delete(key)
  }
}

const batchSize = 200

/** Deletes entries that were not used for `[ingot].CACHE_RETENTION`, and unfinished ones. */
export async function expireCaches(services: Services, signal: AbortSignal): Promise<void> {
  const now = nowUnix(services.clock)
  const before = now - Math.round(services.config.ingot.cacheRetention / 1000)
  while (!signal.aborted) {
    const unused = await listUnused(services.db, before, now - unfinishedSeconds, batchSize)
    await deleteCaches(services, unused)
    if (unused.length < batchSize) return
  }
}

const purpose = 'action-cache'
type Verb = 'UploadCache' | 'DownloadCache'

/** Returns an address that uploads or downloads one entry without other credentials, while the job runs. */
export function cacheAddress(services: Services, task: RunningTask, cache: ActionCacheRow, verb: Verb): string {
  const expires = nowUnix(services.clock) + addressSeconds
  const sig = services.secrets.sign(purpose, { verb, cache: cache.id, task: task.taskId }, expires)
  const { rootUrl } = services.config.server
  return `${rootUrl}twirp/github.actions.results.api.v1.CacheService/${verb}?${new URLSearchParams({ sig })}`
}

/** Returns the entry of a signed address; undefined when the signature is wrong or expired, or the job has ended. */
export async function cacheOfAddress(services: Services, sig: string, verb: Verb): Promise<ActionCacheRow | undefined> {
  const signed = services.secrets.verify(purpose, sig, nowUnix(services.clock))
  if (signed?.['verb'] !== verb || !(await findRunningTask(services.db, signed['task'] as TaskId))) return undefined
  return findCache(services.db, signed['cache'] as CacheId)
}

/** Returns one page of the entries of a repository, the newest first. */
export const pageOfRepoCaches = (
  { db, repo }: RepoCtx,
  key: string | undefined,
  page: Page,
): Promise<{ rows: ActionCacheRow[]; total: number }> => pageOfCaches(db, repo.id, key, page)

/** Deletes an entry of the repository. Throws `NotFound` for any other. */
export async function removeCache(ctx: RepoCtx & Pick<Ctx, 'blobs'>, id: number): Promise<void> {
  const row = await findCache(ctx.db, id as CacheId)
  if (row?.repo_id !== ctx.repo.id) throw noCache()
  await deleteCaches(ctx, [row])
}
