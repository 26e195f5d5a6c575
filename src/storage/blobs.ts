import type { Readable } from 'node:stream'
import { Invalid } from '../lib/errors.ts'
import type { Unix } from '../lib/time.ts'

/** Files by key: attachments, LFS objects, packages, avatars, archives, logs. Each kind has a store of its own. */
export interface Blobs {
  /**
   * Stores a stream under a key, replacing what was there at once or not at all. Throws TooLarge over `maxBytes`,
   * Invalid when it is not what was expected, Unavailable when there is no room or no answer, the stream's own error;
   * after each of these nothing is left behind.
   */
  put(key: string, content: Readable, options: PutOptions): Promise<StoredBlob>
  /** The content, or undefined. The stream must be read to its end or destroyed. Throws RangeNotSatisfiable. */
  get(key: string, options?: { readonly range?: ByteRange }): Promise<BlobContent | undefined>
  stat(key: string): Promise<BlobInfo | undefined>
  /** A key that is not there is no error. */
  delete(key: string): Promise<void>
  /** Every blob whose key begins with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo & { readonly key: string }>
  /** Gives a blob another key, replacing what was there; false when there is no such blob. */
  move(from: string, to: string): Promise<boolean>
  /** A URL that gives the blob to whoever has it; only where the store hands out such. */
  signedUrl?(key: string, options: SignedUrlOptions): Promise<string>
  /** Ends connections. */
  close(): void
}

export type DigestName = 'md5' | 'sha1' | 'sha512'

export interface PutOptions {
  /** Largest size in bytes; Infinity where another rule limits it. */
  readonly maxBytes: number
  readonly contentType?: string
  /** What the content must be, as far as it is known before. Hexadecimal. */
  readonly expected?: { readonly sha256?: string; readonly sizeBytes?: number }
  /** Digests computed on the way, besides SHA-256. */
  readonly digests?: readonly DigestName[]
  readonly signal?: AbortSignal
}

export interface StoredBlob {
  readonly sizeBytes: number
  /** Hexadecimal, as are the other digests. */
  readonly sha256: string
  readonly digests: { readonly [Name in DigestName]?: string }
}

/** Bytes `start` to `end`, both included; without `end` to the last one. */
export interface ByteRange {
  readonly start: number
  readonly end?: number
}

export interface BlobInfo {
  /** Size of the whole blob. */
  readonly sizeBytes: number
  readonly modifiedUnix: Unix
}

export interface BlobContent extends BlobInfo {
  readonly stream: Readable
}

export interface SignedUrlOptions {
  readonly expiresSeconds: number
  /** Name of the downloaded file. */
  readonly fileName?: string
  readonly contentType?: string
}

const maxKeyLength = 1024
const maxSegmentBytes = 255

/** Folder of unfinished files in a local store; no key may begin with it. */
export const temporaryFolder = '.tmp'

/**
 * Refuses keys that would mean another place: absolute ones, empty, `.` and `..` segments, backslashes and control
 * characters, and lengths that file systems refuse. Throws Invalid.
 */
export function checkKey(key: string): void {
  const segments = key.split('/')
  const isFit =
    key.length <= maxKeyLength &&
    segments[0] !== temporaryFolder &&
    !/[\\\p{Cc}]/u.test(key) &&
    segments.every(
      (segment) =>
        segment !== '' && segment !== '.' && segment !== '..' && Buffer.byteLength(segment) <= maxSegmentBytes,
    )
  if (!isFit) throw new Invalid('this is no key of a stored file', 'invalid_blob_key', { key: key.slice(0, 200) })
}

/** A prefix is the beginning of a key, perhaps in the middle of a segment, or empty. Throws Invalid. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
}
