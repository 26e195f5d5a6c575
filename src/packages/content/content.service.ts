import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Ctx } from '../../access/context.ts'
import type { Tx } from '../../db/database.ts'
import type { PackageBlobRow } from '../../db/tables/packages.ts'
import { Forbidden, TooLarge } from '../../lib/errors.ts'
import type { Unix } from '../../lib/time.ts'
import type { DigestName, StoredBlob } from '../../storage/blobs.ts'
import { findBlob, lockBlob, insertBlob, listUsedBlobKeys, putDigests, replaceBlobKey } from './blob.store.ts'
import { allDigests } from './digest.service.ts'

/** A stored content that no row refers to yet. */
export interface ReceivedContent extends StoredBlob {
  readonly blobKey: string
}

/**
 * Returns a new storage key. Each upload has its own key, so deleting one never affects another upload of the same
 * content.
 */
export function newBlobKey(): string {
  const name = randomBytes(20).toString('hex')
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
}

/**
 * Stores a content and computes its digests while it arrives.
 * @param maxBytes a larger content throws `Forbidden` and is discarded
 */
async function receiveContent(
  { blobs }: Ctx,
  content: Readable,
  maxBytes: number,
  signal: AbortSignal,
  digests: readonly DigestName[],
): Promise<ReceivedContent> {
  const blobKey = newBlobKey()
  try {
    const stored = await blobs.packages.put(blobKey, content, { maxBytes, digests, signal })
    return { ...stored, blobKey }
  } catch (error) {
    throw error instanceof TooLarge ? tooLarge(maxBytes) : error
  }
}

export const tooLarge = (maxBytes: number): Forbidden =>
  new Forbidden(`a file of this registry may have ${maxBytes} bytes`, 'package_file_too_large')

/** Stores another content and computes its digests; all of them by default. */
export type StoreContent = (
  content: Readable,
  maxBytes: number,
  signal: AbortSignal,
  digests?: readonly DigestName[],
) => Promise<ReceivedContent>

/**
 * Runs `work` with functions that store contents, or register storage keys that it fills itself. Afterwards it deletes
 * the
 * contents that no row refers to: duplicates, and those of refused uploads.
 */
export async function storeContents<Result>(
  ctx: Ctx,
  work: (receive: StoreContent, take: (blobKey: string) => string) => Promise<Result>,
): Promise<Result> {
  const keys: string[] = []
  try {
    const take = (blobKey: string): string => {
      keys.push(blobKey)
      return blobKey
    }
    return await work(async (content, maxBytes, signal, digests = allDigests) => {
      const arrived = await receiveContent(ctx, content, maxBytes, signal, digests)
      take(arrived.blobKey)
      return arrived
    }, take)
  } finally {
    // A commit may have succeeded although its answer was lost, so the rows decide.
    const used = await listUsedBlobKeys(ctx.db, keys)
    for (const key of keys) if (!used.has(key)) await ctx.blobs.packages.delete(key)
  }
}

/** Returns the storage keys of known contents whose stored files are lost, by SHA-256. */
export async function findLostContents(
  ctx: Ctx,
  arrived: readonly ReceivedContent[],
): Promise<ReadonlyMap<string, string>> {
  const lost = new Map<string, string>()
  for (const { sha256 } of arrived) {
    const known = await findBlob(ctx.db, sha256)
    if (known && (await ctx.blobs.packages.stat(known.blob_key)) === undefined) lost.set(sha256, known.blob_key)
  }
  return lost
}

/**
 * Finds or inserts the row of a received content and locks it until the transaction ends.
 * @param lost result of `findLostContents`; the received content replaces a lost file
 */
export async function lockContent(
  tx: Tx,
  arrived: ReceivedContent,
  lost: ReadonlyMap<string, string>,
  atUnix: Unix,
): Promise<PackageBlobRow> {
  const blob = await holdOrInsert(tx, arrived, atUnix)
  const lostKey = lost.get(arrived.sha256)
  if (lostKey !== undefined) await replaceBlobKey(tx, blob.id, lostKey, arrived.blobKey)
  return blob
}

async function holdOrInsert(tx: Tx, arrived: ReceivedContent, atUnix: Unix): Promise<PackageBlobRow> {
  const { md5 = '', sha1 = '', sha512 = '' } = arrived.digests
  // Another transaction may delete the existing row or insert one between the two statements, so this tries again.
  for (;;) {
    const inserted = await insertBlob(tx, {
      sha256: arrived.sha256,
      sha512,
      sha1,
      md5,
      size_bytes: arrived.sizeBytes,
      blob_key: arrived.blobKey,
      created_unix: atUnix,
      released_unix: null,
    })
    if (inserted) return inserted
    const blob = await lockBlob(tx, arrived.sha256)
    if (!blob) continue
    // An earlier upload of the content may have computed fewer digests.
    const more = {
      ...(blob.md5 === '' && md5 !== '' ? { md5 } : {}),
      ...(blob.sha1 === '' && sha1 !== '' ? { sha1 } : {}),
      ...(blob.sha512 === '' && sha512 !== '' ? { sha512 } : {}),
    }
    if (Object.keys(more).length > 0) await putDigests(tx, blob.id, more)
    return { ...blob, ...more }
  }
}
