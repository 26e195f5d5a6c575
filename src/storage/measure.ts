import { createHash } from 'node:crypto'
import { addAbortSignal, type Readable } from 'node:stream'
import { Invalid, TooLarge } from '../lib/errors.ts'
import type { DigestName, PutOptions, StoredBlob } from './blobs.ts'

/** Measures and checks content on its way into a store. */
export interface Measure {
  /** Throws TooLarge with the first byte over the limit. */
  add(chunk: Buffer): void
  /** Throws Invalid when the content differs from the expectation. */
  finish(): StoredBlob
}

export function measure(options: PutOptions): Measure {
  const sha256 = createHash('sha256')
  const others = (options.digests ?? []).map((name) => ({ name, hash: createHash(name) }))
  const limit = Math.min(options.maxBytes, options.expected?.sizeBytes ?? Number.POSITIVE_INFINITY)
  let sizeBytes = 0
  return {
    add: (chunk) => {
      sizeBytes += chunk.length
      if (sizeBytes > options.maxBytes) throw tooLarge(options.maxBytes)
      if (sizeBytes > limit) throw new Invalid('the file is larger than announced', 'size_mismatch')
      sha256.update(chunk)
      for (const { hash } of others) hash.update(chunk)
    },
    finish: () => {
      const digests: { [Name in DigestName]?: string } = {}
      for (const { name, hash } of others) digests[name] = hash.digest('hex')
      const stored = { sizeBytes, sha256: sha256.digest('hex'), digests }
      checkExpected(stored, options.expected)
      return stored
    },
  }
}

/** Throws Invalid when content differs from the expectation. */
export function checkExpected({ sizeBytes, sha256, digests }: StoredBlob, expected: PutOptions['expected']): void {
  if (expected?.sizeBytes !== undefined && expected.sizeBytes !== sizeBytes) {
    const word = sizeBytes < expected.sizeBytes ? 'smaller' : 'larger'
    throw new Invalid(`the file is ${word} than announced`, 'size_mismatch', { sizeBytes })
  }
  const { sha512 } = expected ?? {}
  const isOther = sha512 !== undefined && sha512.toLowerCase() !== digests.sha512
  if (isOther || (expected?.sha256 !== undefined && expected.sha256.toLowerCase() !== sha256)) {
    throw new Invalid('the content does not have the announced checksum', 'checksum_mismatch', { sha256 })
  }
}

/** Returns the refusal of content over a limit in bytes. */
export const tooLarge = (maxBytes: number): TooLarge =>
  new TooLarge('the file is larger than allowed', 'file_too_large', { maxBytes })

/**
 * Prepares a stream that is read later. The signal destroys it, and an error before the first read reaches the reader.
 */
export function receive(content: Readable, signal: AbortSignal | undefined): void {
  // Without a listener the failure would end the process; reading a failed stream throws its error.
  content.on('error', () => {})
  if (signal !== undefined) addAbortSignal(signal, content)
}

/** Returns a chunk as bytes; text or objects are a defect of the caller. */
export function asBuffer(chunk: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (typeof chunk === 'string') return Buffer.from(chunk)
  throw new TypeError('a stored stream consists of bytes')
}
