import { createHash, type Hash } from 'node:crypto'
import { cacheOf } from '../lib/cache.ts'
import { Conflict } from '../lib/errors.ts'
import type { UploadId } from './blobs.ts'

/** The uploads whose digest is kept in memory. The digest of another upload is computed by reading it again. */
const maxKnownDigests = 1000

/**
 * What a process remembers of the uploads that it adds to: which one is being added to at the moment, and the digest of
 * those that came through this process alone, so that they need not be read again when they are complete.
 */
export class Appending {
  readonly #busy = new Set<UploadId>()
  readonly #digests = cacheOf<UploadId, RunningDigest>(maxKnownDigests)

  /** Runs a function while no other call of this process appends to the upload. Throws Conflict. */
  async alone<T>(id: UploadId, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(id)) throw new Conflict('another part of this upload is being stored', 'upload_busy')
    this.#busy.add(id)
    try {
      return await work()
    } finally {
      this.#busy.delete(id)
    }
  }

  /** The digest to go on with at a size, to be given back with `keep` after a success. */
  take(id: UploadId, atBytes: number): RunningDigest | undefined {
    const known = this.#digests.get(id)
    this.#digests.delete(id)
    return atBytes === 0 ? new RunningDigest() : known?.sizeBytes === atBytes ? known : undefined
  }

  keep(id: UploadId, digest: RunningDigest | undefined): void {
    if (digest !== undefined) this.#digests.set(id, digest)
  }

  /** Returns the hexadecimal SHA-256 of an upload of this size, if known. */
  sha256Of(id: UploadId, sizeBytes: number): string | undefined {
    const known = this.#digests.get(id)
    return known?.sizeBytes === sizeBytes ? known.sha256() : undefined
  }

  forget(id: UploadId): void {
    this.#digests.delete(id)
  }
}

/** A SHA-256 that continues over parts. */
export class RunningDigest {
  readonly #hash: Hash = createHash('sha256')
  sizeBytes = 0

  add(bytes: Buffer): void {
    this.#hash.update(bytes)
    this.sizeBytes += bytes.length
  }

  sha256(): string {
    return this.#hash.copy().digest('hex')
  }
}
