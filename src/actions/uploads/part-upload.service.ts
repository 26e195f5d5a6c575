import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Services } from '../../access/context.ts'
import { adjustReserved, reservePart, type UnfinishedUpload } from '../../access/quota/reservation.service.ts'
import { transaction, type Db, type Tx } from '../../db/database.ts'
import { BadRequest, Invalid, type NotFound } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { findRepoById } from '../../repos/repo.store.ts'
import { findUserById } from '../../users/user.store.ts'

/** A part as its row stores it. */
export interface PartRow {
  readonly block_key: string
  readonly position: number
  readonly size_bytes: number
  readonly blob_key: string
}

/** An artifact or a cache entry whose content arrives in parts, and the access to its rows. */
export interface PartUpload {
  readonly repoId: RepoId
  readonly maxParts: number
  /** Most bytes of all parts together. */
  readonly maxBytes: number
  /** Locks the upload's row. Returns undefined when the upload is complete or deleted. */
  lock(tx: Tx): Promise<{ readonly reserved_bytes: number } | undefined>
  setReserved(tx: Tx, reservedBytes: number): Promise<unknown>
  /** Returns the parts by position. */
  listParts(db: Db | Tx): Promise<PartRow[]>
  /** Inserts a part, or replaces the part of the same key. */
  upsertPart(tx: Tx, part: PartRow): Promise<unknown>
  movePart(tx: Tx, key: string, position: number): Promise<unknown>
  /** The error for a complete or deleted upload. */
  missing(): NotFound
}

/** Returns a new blob key. The blobs of a repository share a prefix, so that they can be deleted with it. */
export const newBlobKey = (repoId: RepoId): string => `${repoId}/${randomUUID()}`

const unfinished = (upload: PartUpload, { reserved_bytes }: { readonly reserved_bytes: number }): UnfinishedUpload => ({
  repoId: upload.repoId,
  kind: 'artifacts',
  subject: 'size:assets:artifacts',
  reservedBytes: reserved_bytes,
  setReserved: (tx, reservedBytes) => upload.setReserved(tx, reservedBytes),
})

/** Charges the bytes of a part before they arrive. Returns the number of bytes that it may have. Throws `OverQuota`. */
async function reserve(services: Services, upload: PartUpload, sizeBytes: number): Promise<number> {
  const repo = await findRepoById(services.db, upload.repoId)
  const owner = repo && (await findUserById(services.db, repo.owner_id))
  if (!owner) throw upload.missing()
  return transaction(services.db, async (tx) => {
    const row = await upload.lock(tx)
    if (!row) throw upload.missing()
    return reservePart(services, tx, owner, unfinished(upload, row), { sizeBytes, maxBytes: upload.maxBytes })
  })
}

/** Returns reserved bytes. A complete or deleted upload has settled its reservations. */
const release = (services: Services, upload: PartUpload, sizeBytes: number): Promise<void> =>
  transaction(services.db, async (tx) => {
    const row = await upload.lock(tx)
    if (row) await adjustReserved(tx, unfinished(upload, row), -sizeBytes)
  })

export interface PartOptions {
  /** Most bytes of the part. */
  readonly sizeBytes: number
  /** Whether the part must have exactly `sizeBytes` bytes. */
  readonly isExact?: boolean
  /** The expected checksum in base64. */
  readonly md5?: string | undefined
  readonly signal: AbortSignal
}

/**
 * Stores a part of an upload. Throws `OverQuota` when the owner is over quota, and `Invalid` for a wrong size or checksum.
 * @param part the key of the part, and its position; the default is behind all other parts
 */
export async function storePart(
  services: Services,
  upload: PartUpload,
  part: { readonly key?: string | undefined; readonly position?: number | undefined },
  content: Readable,
  { sizeBytes, isExact = false, md5, signal }: PartOptions,
): Promise<void> {
  const store = services.blobs.actionsArtifacts
  if ((await upload.listParts(services.db)).length >= upload.maxParts) throw tooManyParts(upload)
  const key = newBlobKey(upload.repoId)
  const reserved = await reserve(services, upload, sizeBytes)
  const expected = isExact ? { expected: { sizeBytes } } : {}
  const stored = await store
    .put(key, content, { maxBytes: reserved, digests: md5 === undefined ? [] : ['md5'], ...expected, signal })
    .catch(async (error: unknown) => {
      await release(services, upload, reserved)
      throw error
    })
  if (md5 !== undefined && Buffer.from(stored.digests.md5 ?? '', 'hex').toString('base64') !== md5) {
    await release(services, upload, reserved)
    await store.delete(key)
    throw new Invalid('the content does not match its MD5 checksum; send it again', 'checksum_mismatch')
  }
  let replaced: PartRow | undefined
  const isStored = await transaction(services.db, async (tx) => {
    const row = await upload.lock(tx)
    if (!row) return false
    const parts = await upload.listParts(tx)
    const position = part.position ?? (parts.at(-1)?.position ?? -1) + 1
    const blockKey = part.key ?? `at ${position}`
    replaced = parts.find(({ block_key }) => block_key === blockKey)
    await upload.upsertPart(tx, { block_key: blockKey, position, size_bytes: stored.sizeBytes, blob_key: key })
    const differenceBytes = stored.sizeBytes - reserved - (replaced?.size_bytes ?? 0)
    await adjustReserved(tx, unfinished(upload, row), differenceBytes)
    return true
  })
  if (!isStored) await store.delete(key)
  if (replaced) await store.delete(replaced.blob_key)
  if (!isStored) throw upload.missing()
}

const tooManyParts = ({ maxParts }: PartUpload) =>
  new Invalid(`an upload has at most ${maxParts} parts`, 'too_many_blocks')

/** Orders the parts of an upload as a list of their keys. Throws `BadRequest` when a part of the list was not uploaded. */
export async function orderParts(services: Services, upload: PartUpload, keys: readonly string[]): Promise<void> {
  if (keys.length > upload.maxParts) throw tooManyParts(upload)
  await transaction(services.db, async (tx) => {
    await upload.lock(tx)
    const known = new Set((await upload.listParts(tx)).map(({ block_key }) => block_key))
    const missing = keys.find((key) => !known.has(key))
    if (missing !== undefined) throw new BadRequest(`part "${missing}" was not uploaded`, 'block_missing')
    for (const [position, key] of keys.entries()) await upload.movePart(tx, key, position)
  })
}

/** Returns the content of parts as one stream. */
export function joinParts(services: Services, upload: PartUpload, parts: readonly PartRow[]): Readable {
  async function* content(): AsyncGenerator<Buffer> {
    for (const { blob_key: key } of parts) {
      const blob = await services.blobs.actionsArtifacts.get(key)
      if (!blob) throw upload.missing()
      for await (const chunk of blob.stream) yield chunk as Buffer
    }
  }
  return Readable.from(content())
}
