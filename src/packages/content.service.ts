import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Ctx } from '../access/context.ts'
import type { Tx } from '../db/database.ts'
import type { PackageBlobRow } from '../db/tables/packages.ts'
import { Forbidden, TooLarge } from '../lib/errors.ts'
import { nowUnix, type Unix } from '../lib/time.ts'
import type { StoredBlob } from '../storage/blobs.ts'
import { findBlob, holdBlob, insertBlob, listUsedBlobKeys, replaceBlobKey } from './blob.store.ts'

/** A file of the store that has arrived and that no row names yet. */
export interface Arrived extends StoredBlob {
  readonly blobKey: string
}

/** Each file that arrives has a name of its own, so that deleting one never meets another of the same content. */
function newBlobKey(): string {
  const name = randomBytes(20).toString('hex')
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
}

/**
 * Takes a content into the store, hashed while it arrives.
 * @param maxBytes a larger one is `Forbidden`, and nothing of it is kept
 */
export async function receiveContent(
  { blobs }: Ctx,
  content: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Arrived> {
  const blobKey = newBlobKey()
  try {
    const stored = await blobs.packages.put(blobKey, content, { maxBytes, digests: ['md5', 'sha1', 'sha512'], signal })
    return { ...stored, blobKey }
  } catch (error) {
    throw error instanceof TooLarge ? tooLarge(maxBytes) : error
  }
}

export const tooLarge = (maxBytes: number): Forbidden =>
  new Forbidden(`a file of this registry may have ${maxBytes} bytes`, 'package_file_too_large')

/**
 * Has contents that have arrived recorded, and removes from the store those that no row names afterwards: the same was
 * there before, or the record was refused.
 */
export async function keepContent<Result>(
  ctx: Ctx,
  arrived: Arrived,
  record: (hold: (tx: Tx) => Promise<PackageBlobRow>) => Promise<Result>,
): Promise<Result> {
  try {
    const known = await findBlob(ctx.db, arrived.sha256)
    const isLost = known !== undefined && (await ctx.blobs.packages.stat(known.blob_key)) === undefined
    return await record(async (tx) => {
      const blob = await holdOrInsert(tx, arrived, nowUnix(ctx.clock))
      // What the store has lost is made good by whoever sends it again.
      if (isLost) await replaceBlobKey(tx, blob.id, known.blob_key, arrived.blobKey)
      return blob
    })
  } finally {
    // A commit may have gone through although its answer was lost: only the rows know.
    const used = await listUsedBlobKeys(ctx.db, [arrived.blobKey])
    if (!used.has(arrived.blobKey)) await ctx.blobs.packages.delete(arrived.blobKey)
  }
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
    const blob = inserted ?? (await holdBlob(tx, arrived.sha256))
    if (blob) return blob
  }
}
