import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Ctx } from '../../access/context.ts'
import type { Tx } from '../../db/database.ts'
import type { PackageBlobRow } from '../../db/tables/packages.ts'
import { Forbidden, TooLarge } from '../../lib/errors.ts'
import type { Unix } from '../../lib/time.ts'
import type { DigestName, StoredBlob } from '../../storage/blobs.ts'
import { findBlob, holdBlob, insertBlob, listUsedBlobKeys, putDigests, replaceBlobKey } from './blob.store.ts'
import { allDigests } from './digest.service.ts'

/** A file of the store that has arrived and that no row names yet. */
export interface Arrived extends StoredBlob {
  readonly blobKey: string
}

/** Each file that arrives has a name of its own, so that deleting one never meets another of the same content. */
export function newBlobKey(): string {
  const name = randomBytes(20).toString('hex')
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
}

/**
 * Takes a content into the store, hashed while it arrives.
 * @param maxBytes a larger one is `Forbidden`, and nothing of it is kept
 */
async function receiveContent(
  { blobs }: Ctx,
  content: Readable,
  maxBytes: number,
  signal: AbortSignal,
  digests: readonly DigestName[],
): Promise<Arrived> {
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

/** Takes one more content into the store, with all of its digests unless told which. */
export type Receive = (
  content: Readable,
  maxBytes: number,
  signal: AbortSignal,
  digests?: readonly DigestName[],
) => Promise<Arrived>

/**
 * Gives `work` a way of taking contents into the store (or of naming files there that it takes otherwise), and removes those that no row names afterwards: the same was
 * there before, or what they were sent for was refused.
 */
export async function takingContents<Result>(
  ctx: Ctx,
  work: (receive: Receive, take: (blobKey: string) => string) => Promise<Result>,
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
    // A commit may have gone through although its answer was lost: only the rows know.
    const used = await listUsedBlobKeys(ctx.db, keys)
    for (const key of keys) if (!used.has(key)) await ctx.blobs.packages.delete(key)
  }
}

/** Those of some contents whose rows are there, and whose files the store has lost: the files' keys, by SHA-256. */
export async function findLost(ctx: Ctx, arrived: readonly Arrived[]): Promise<ReadonlyMap<string, string>> {
  const lost = new Map<string, string>()
  for (const { sha256 } of arrived) {
    const known = await findBlob(ctx.db, sha256)
    if (known && (await ctx.blobs.packages.stat(known.blob_key)) === undefined) lost.set(sha256, known.blob_key)
  }
  return lost
}

/**
 * The row of a content that has arrived, made or found, which stays until the transaction ends.
 * @param lost what `findLost` gave: it is made good by whoever sends it again
 */
export async function holdContent(
  tx: Tx,
  arrived: Arrived,
  lost: ReadonlyMap<string, string>,
  atUnix: Unix,
): Promise<PackageBlobRow> {
  const blob = await holdOrInsert(tx, arrived, atUnix)
  const lostKey = lost.get(arrived.sha256)
  if (lostKey !== undefined) await replaceBlobKey(tx, blob.id, lostKey, arrived.blobKey)
  return blob
}

async function holdOrInsert(tx: Tx, arrived: Arrived, atUnix: Unix): Promise<PackageBlobRow> {
  const { md5 = '', sha1 = '', sha512 = '' } = arrived.digests
  // The one that is there may go while it is reached for, and then another one may be inserted by somebody else.
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
    const blob = await holdBlob(tx, arrived.sha256)
    if (!blob) continue
    // Who sent it first asked for fewer of them.
    const more = {
      ...(blob.md5 === '' && md5 !== '' ? { md5 } : {}),
      ...(blob.sha1 === '' && sha1 !== '' ? { sha1 } : {}),
      ...(blob.sha512 === '' && sha512 !== '' ? { sha512 } : {}),
    }
    if (Object.keys(more).length > 0) await putDigests(tx, blob.id, more)
    return { ...blob, ...more }
  }
}
