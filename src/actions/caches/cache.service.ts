import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Ctx, RepoCtx, Services } from '../../access/context.ts'
import { refuseOverQuota } from '../../access/quota/quota.service.ts'
import { adjustReserved, reservePart, type UnfinishedUpload } from '../../access/quota/reservation.service.ts'
import { addToUsage } from '../../access/quota/usage.store.ts'
import { transaction, type Tx } from '../../db/database.ts'
import type { ActionCacheBlockRow, ActionCacheRow } from '../../db/tables/actions.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { CacheId, TaskId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { findUserById } from '../../users/user.store.ts'
import { cacheScopesOf } from '../runs/trust.rules.ts'
import { findRunningTask, type RunningTask } from '../runners/job-token.store.ts'
import {
  deleteCacheBlocks,
  deleteCacheRow,
  findCache,
  findCacheForUpdate,
  findCacheLike,
  findCacheNamed,
  findScopeSource,
  insertCache,
  listByUse,
  listCacheBlocks,
  listUnused,
  pageOfCaches,
  updateCache,
  updateCacheBlockPosition,
  upsertCacheBlock,
} from './cache.store.ts'

/** Longest key and version, in characters, most keys of a look, and most parts of an entry. */
const maxKeyLength = 512
const maxVersionLength = 512
const maxKeys = 10
const maxBlocks = 20_000

/** Most entries of a repository: small ones would never reach the limit of bytes. */
const maxEntries = 2000

/** How long an entry that was begun may take until it is whole, in seconds; how long an address is good. */
const begunSeconds = 6 * 3600
const addressSeconds = 3600

const noCache = () => new NotFound('there is no such entry of a cache', 'cache_not_found')

function checkName(key: string, version: string): void {
  const isFit =
    key !== '' &&
    key.length <= maxKeyLength &&
    !/[,\0]/.test(key) &&
    version.length <= maxVersionLength &&
    !version.includes('\0')
  if (!isFit) throw new BadRequest('a key has up to 512 characters and no comma', 'cache_key_invalid')
}

/**
 * The scopes whose entries a run reads, in this order: its own, that of the branch that a pull request is for, and that of
 * the default branch. It saves entries only in its own.
 */
async function scopesOf({ db }: Services, task: RunningTask): Promise<readonly [string, ...string[]]> {
  const source = await findScopeSource(db, task.runId)
  if (!source) throw noCache()
  return cacheScopesOf(source)
}

/**
 * The entry for the first of the keys that there is one for: in each scope first by the whole key, then by how keys
 * begin. Too many keys and wrong ones are `BadRequest`.
 */
export async function lookUpCache(
  services: Services,
  task: RunningTask,
  keys: readonly string[],
  version: string,
): Promise<ActionCacheRow | undefined> {
  if (keys.length === 0 || keys.length > maxKeys) {
    throw new BadRequest(`a cache is looked for by one to ${maxKeys} keys`, 'cache_keys_wrong')
  }
  for (const key of keys) checkName(key, version)
  const [first] = keys as readonly [string, ...string[]]
  for (const scope of await scopesOf(services, task)) {
    const at = { repoId: task.repoId, scope, version }
    const exact = await findCacheNamed(services.db, { ...at, key: first })
    let found = exact?.is_whole ? exact : undefined
    for (const key of keys) found ??= await findCacheLike(services.db, { ...at, key })
    if (!found) continue
    const { id } = found
    await transaction(services.db, (tx) => updateCache(tx, id, { used_unix: nowUnix(services.clock) }))
    return found
  }
  return undefined
}

/**
 * Begins an entry of the run's own reference. Undefined when there is one already, or one is being made: entries do not
 * change. An owner over quota is `OverQuota`.
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
  const late = await findCacheNamed(services.db, name)
  if (late && !late.is_whole && late.used_unix < now - begunSeconds) await dropCaches(services, [late])
  return transaction(services.db, (tx) => insertCache(tx, name, now))
}

/** An entry that a job may go on with: one of its own reference that is not whole yet. */
export async function getBegunCache(services: Services, task: RunningTask, id: CacheId): Promise<ActionCacheRow> {
  const [[scope], row] = await Promise.all([scopesOf(services, task), findCache(services.db, id)])
  if (!row || row.repo_id !== task.repoId || row.scope !== scope || row.is_whole) throw noCache()
  return row
}

/** The same by its name. */
export async function getBegunCacheNamed(
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

/** Charges the bytes of a part before they arrive. @returns how many it may have; an owner over quota is `OverQuota` */
async function reserve(services: Services, cache: ActionCacheRow, sizeBytes: number): Promise<number> {
  const repo = await findRepoById(services.db, cache.repo_id)
  const owner = repo && (await findUserById(services.db, repo.owner_id))
  if (!owner) throw noCache()
  return transaction(services.db, async (tx) => {
    const row = await findCacheForUpdate(tx, cache.id)
    if (!row || row.is_whole) throw noCache()
    const maxBytes = services.config.ingot.maxCache
    return reservePart(services, tx, owner, uploadOf(row), { sizeBytes, maxBytes })
  })
}

const uploadOf = (row: ActionCacheRow): UnfinishedUpload => ({
  repoId: row.repo_id,
  kind: 'artifacts',
  subject: 'size:assets:artifacts',
  reservedBytes: row.reserved_bytes,
  setReserved: (tx, reservedBytes) => updateCache(tx, row.id, { reserved_bytes: reservedBytes }),
})

/** Changes what an unfinished entry is charged. One that is whole or gone has settled its reservations. */
async function adjust(tx: Tx, row: ActionCacheRow | undefined, differenceBytes: number): Promise<boolean> {
  if (!row || row.is_whole) return false
  await adjustReserved(tx, uploadOf(row), differenceBytes)
  return true
}

/**
 * Takes a part of an entry. Without a position it is behind all others. An owner over quota is `OverQuota`.
 * @param sizeBytes most bytes that it may have
 */
export async function addCacheBlock(
  services: Services,
  cache: ActionCacheRow,
  part: { readonly key?: string | undefined; readonly position?: number | undefined },
  content: Readable,
  { sizeBytes: mostBytes, signal }: { readonly sizeBytes: number; readonly signal: AbortSignal },
): Promise<void> {
  const store = services.blobs.actionsArtifacts
  const before = await listCacheBlocks(services.db, cache.id)
  if (before.length >= maxBlocks) throw new Invalid('the entry comes in too many parts', 'too_many_blocks')
  const key = newKey(cache)
  const reserved = await reserve(services, cache, mostBytes)
  const { sizeBytes } = await store.put(key, content, { maxBytes: reserved, signal }).catch(async (error: unknown) => {
    await transaction(services.db, async (tx) => adjust(tx, await findCacheForUpdate(tx, cache.id), -reserved))
    throw error
  })
  let replaced: ActionCacheBlockRow | undefined
  const isKept = await transaction(services.db, async (tx) => {
    const row = await findCacheForUpdate(tx, cache.id)
    if (!row || row.is_whole) return false
    const blocks = await listCacheBlocks(tx, cache.id)
    const position = part.position ?? (blocks.at(-1)?.position ?? -1) + 1
    const blockKey = part.key ?? `at ${position}`
    replaced = blocks.find(({ block_key }) => block_key === blockKey)
    await upsertCacheBlock(tx, {
      cache_id: cache.id,
      block_key: blockKey,
      position,
      size_bytes: sizeBytes,
      blob_key: key,
    })
    return adjust(tx, row, sizeBytes - reserved - (replaced?.size_bytes ?? 0))
  })
  if (!isKept) await store.delete(key)
  if (replaced) await store.delete(replaced.blob_key)
  if (!isKept) throw noCache()
}

/** Files of a repository lie together, so that they go with it. Names of ours are never given twice. */
const newKey = ({ repo_id }: Pick<ActionCacheRow, 'repo_id'>): string => `${repo_id}/${randomUUID()}`

/** Puts the parts of an entry into the order of their names. */
export async function orderCacheBlocks(
  services: Services,
  cache: ActionCacheRow,
  keys: readonly string[],
): Promise<void> {
  if (keys.length > maxBlocks) throw new Invalid('the entry comes in too many parts', 'too_many_blocks')
  await transaction(services.db, async (tx) => {
    await findCacheForUpdate(tx, cache.id)
    const known = new Set((await listCacheBlocks(tx, cache.id)).map(({ block_key }) => block_key))
    if (keys.some((key) => !known.has(key))) throw new BadRequest('a part of the list is missing', 'block_missing')
    for (const [position, key] of keys.entries()) await updateCacheBlockPosition(tx, cache.id, key, position)
  })
}

/**
 * Makes an entry of its parts, and has those go that nobody used for longest when the repository has too much. Another size
 * than announced is `Invalid`, and the parts stay.
 */
export async function finishCache(services: Services, cache: ActionCacheRow, sizeBytes: number): Promise<void> {
  const store = services.blobs.actionsArtifacts
  const blocks = await listCacheBlocks(services.db, cache.id)
  async function* content(): AsyncGenerator<Buffer> {
    for (const { blob_key: key } of blocks) {
      const blob = await store.get(key)
      if (!blob) throw noCache()
      for await (const chunk of blob.stream) yield chunk as Buffer
    }
  }
  const key = newKey(cache)
  const { maxCache, maxCaches } = services.config.ingot
  await store.put(key, Readable.from(content()), { maxBytes: maxCache, expected: { sizeBytes } })
  const gone = await transaction(services.db, async (tx) => {
    const row = await findCacheForUpdate(tx, cache.id)
    if (!row || row.is_whole) return undefined
    await updateCache(tx, cache.id, { is_whole: true, size_bytes: sizeBytes, reserved_bytes: 0, blob_key: key })
    await deleteCacheBlocks(tx, cache.id)
    await addToUsage(tx, { repoId: cache.repo_id }, 'artifacts', sizeBytes - row.reserved_bytes)
    return [...blocks.map((block) => block.blob_key), ...(await evict(tx, cache, maxCaches))]
  })
  for (const each of gone ?? [key]) await store.delete(each)
  if (!gone) throw noCache()
}

/** Has entries go until what is left fits, but not the newest. @returns the keys of their files */
async function evict(tx: Tx, newest: ActionCacheRow, maxBytes: number): Promise<string[]> {
  const kept = await listByUse(tx, newest.repo_id)
  let bytes = kept.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  let left = kept.length
  const late: CacheId[] = []
  for (const { id, size_bytes } of kept) {
    if (bytes <= maxBytes && left <= maxEntries) break
    if (id === newest.id) continue
    late.push(id)
    bytes -= size_bytes
    left--
  }
  const keys: string[] = []
  for (const id of late) keys.push(...(await dropRow(tx, id)))
  return keys
}

async function dropRow(tx: Tx, id: CacheId): Promise<string[]> {
  const row = await findCacheForUpdate(tx, id)
  if (!row) return []
  const blocks = await listCacheBlocks(tx, id)
  await deleteCacheRow(tx, id)
  const charged = row.is_whole ? row.size_bytes : row.reserved_bytes
  await addToUsage(tx, { repoId: row.repo_id }, 'artifacts', -charged)
  return [row.blob_key, ...blocks.map(({ blob_key }) => blob_key)].filter((key) => key !== '')
}

/** Removes entries with their files. */
async function dropCaches(services: Services, rows: readonly ActionCacheRow[]): Promise<void> {
  for (const { id } of rows) {
    const keys = await transaction(services.db, (tx) => dropRow(tx, id))
    for (const key of keys) await services.blobs.actionsArtifacts.delete(key)
  }
}

const expiredAtOnce = 200

/** Entries that nobody used for a while go (`[ingot].CACHE_RETENTION`), and what was begun and never became whole. */
export async function expireCaches(services: Services, signal: AbortSignal): Promise<void> {
  const now = nowUnix(services.clock)
  const before = now - Math.round(services.config.ingot.cacheRetention / 1000)
  while (!signal.aborted) {
    const late = await listUnused(services.db, before, now - begunSeconds, expiredAtOnce)
    await dropCaches(services, late)
    if (late.length < expiredAtOnce) return
  }
}

const purpose = 'action-cache'
type Verb = 'UploadCache' | 'DownloadCache'

/** An address at which whoever has it sends or gets the bytes of one entry, while the job runs. */
export function cacheAddress(services: Services, task: RunningTask, cache: ActionCacheRow, verb: Verb): string {
  const expires = nowUnix(services.clock) + addressSeconds
  const sig = services.secrets.sign(purpose, { verb, cache: cache.id, task: task.taskId }, expires)
  const { rootUrl } = services.config.server
  return `${rootUrl}twirp/github.actions.results.api.v1.CacheService/${verb}?${new URLSearchParams({ sig })}`
}

/** The entry of an address; undefined when it was not signed for this, its time is over, or its job has ended. */
export async function cacheOfAddress(services: Services, sig: string, verb: Verb): Promise<ActionCacheRow | undefined> {
  const signed = services.secrets.verify(purpose, sig, nowUnix(services.clock))
  if (signed?.['verb'] !== verb || !(await findRunningTask(services.db, signed['task'] as TaskId))) return undefined
  return findCache(services.db, signed['cache'] as CacheId)
}

/** One page of the entries of a repository, the newest first. */
export const pageOfRepoCaches = (
  { db, repo }: RepoCtx,
  key: string | undefined,
  page: Page,
): Promise<{ rows: ActionCacheRow[]; total: number }> => pageOfCaches(db, repo.id, key, page)

/** Removes an entry of the repository; any other is `NotFound`. */
export async function removeCache(ctx: RepoCtx & Pick<Ctx, 'blobs'>, id: number): Promise<void> {
  const row = await findCache(ctx.db, id as CacheId)
  if (row?.repo_id !== ctx.repo.id) throw noCache()
  await dropCaches(ctx, [row])
}
