import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Invalid } from '../lib/errors.ts'
import type { Unix } from '../lib/time.ts'

/** A store of files by key: attachments, LFS objects, packages, avatars, archives, logs. Each kind has its own store. */
export interface Blobs {
  /**
   * Stores a stream under a key and replaces an existing blob atomically. Throws TooLarge over `maxBytes`, Invalid for
   * an unexpected size or digest, Unavailable when the disk is full or the service does not respond, or the stream's
   * own error. A failed call leaves nothing behind.
   */
  put(key: string, content: Readable, options: PutOptions): Promise<StoredBlob>
  /** Returns the content, or undefined. The stream must be read to its end or destroyed. Throws RangeNotSatisfiable. */
  get(key: string, options?: { readonly range?: ByteRange }): Promise<BlobContent | undefined>
  stat(key: string): Promise<BlobInfo | undefined>
  /** Deletes a blob; a missing key is not an error. */
  delete(key: string): Promise<void>
  /** Yields the blobs with a key prefix, unordered. */
  list(prefix: string): AsyncIterable<BlobInfo & { readonly key: string }>
  /** Renames a blob and replaces the target; false when it does not exist. */
  move(from: string, to: string): Promise<boolean>
  /** Copies a blob and replaces the target; false when it does not exist. */
  copy(from: string, to: string): Promise<boolean>
  /** Returns a URL that lets anyone download the blob, if the store supports it. */
  signedUrl?(key: string, options: SignedUrlOptions): Promise<string>
  /** Returns a URL that lets anyone upload one blob, if the store supports it. */
  signedPutUrl?(key: string, options: SignedPutOptions): Promise<SignedPut>
  /** Uploads in parts. */
  readonly uploads: Uploads
  /** Ends connections. */
  close(): void
}

/** Id of an upload. Anyone who knows it can continue the upload, so it is secret. */
export type UploadId = string & { readonly __brand: 'UploadId' }

/**
 * Resumable uploads, which can span hours and processes. Appended content is as durable as a blob, and any process can
 * continue an upload by its id. Only one caller at a time may append. When several processes serve the same uploads,
 * the caller must coordinate them by a database row.
 */
export interface Uploads {
  /** Creates an empty upload. */
  begin(): Promise<UploadId>
  /** Returns the size of an upload; undefined when it was completed, aborted or never created. */
  find(id: UploadId): Promise<BlobInfo | undefined>
  /**
   * Writes content at byte `atBytes` and replaces the content after it, so that a caller with an outdated size can repeat
   * an append. A failed call may keep the first bytes of the content; `find` returns the resulting size. Throws the errors
   * of `put`, NotFound, Conflict during another append of this process, RangeNotSatisfiable when `atBytes` is after the
   * end, and TooLarge over `maxBytes` or for too many parts.
   */
  append(id: UploadId, content: Readable, options: AppendOptions): Promise<BlobInfo>
  /** Returns the content so far, or undefined; otherwise like `Blobs.get`. */
  read(id: UploadId, options?: { readonly range?: ByteRange }): Promise<BlobContent | undefined>
  /**
   * Turns the upload into the blob of a key and replaces an existing blob atomically. Throws NotFound, also for a
   * completed upload, and Invalid when the content differs from the expectation; the upload then stays unchanged.
   */
  complete(id: UploadId, key: string, options?: CompleteOptions): Promise<StoredBlob>
  /** Aborts an upload; a missing one is not an error. */
  abort(id: UploadId): Promise<void>
  /** Deletes uploads and unfinished files without an append since `beforeUnix`; returns their number. */
  removeAbandoned(beforeUnix: Unix, signal?: AbortSignal): Promise<number>
}

export interface AppendOptions {
  readonly atBytes: number
  /** Maximum size of the whole upload in bytes; Infinity without a limit here. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export type CompleteOptions = Pick<PutOptions, 'contentType' | 'expected' | 'digests' | 'signal'>

export type DigestName = 'md5' | 'sha1' | 'sha512'

export interface PutOptions {
  /** Maximum size in bytes; Infinity without a limit here. */
  readonly maxBytes: number
  readonly contentType?: string
  /** Expected digests, hexadecimal, as far as known. */
  readonly expected?: {
    readonly sha256?: string
    /** Requires this digest among the computed ones. */
    readonly sha512?: string
    readonly sizeBytes?: number
  }
  /** Additional digests to compute, besides SHA-256. */
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

export interface SignedPutOptions {
  readonly expiresSeconds: number
  /** The exact size, if known; the store refuses any other. */
  readonly sizeBytes?: number
  readonly contentType?: string
}

/** URL and headers for a PUT of a blob. */
export interface SignedPut {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const maxKeyLength = 1024
const maxSegmentBytes = 255

/** Folder of unfinished files in a local store. */
export const temporaryFolder = '.tmp'

/** Folder of uploads in every store. */
export const uploadsFolder = '.uploads'

/** The key of the file that names the instance to which a store belongs. Lists leave it out. */
export const instanceMarker = 'ingot-instance'

/** Returns whether a first segment is reserved by the store; keys must not start with it. */
export const isOwnFolder = (segment: string | undefined): boolean =>
  segment === temporaryFolder || segment === uploadsFolder

const uploadIdForm = /^[0-9a-f]{32}$/

/** Creates an unguessable id. */
export const newUploadId = (): UploadId => randomBytes(16).toString('hex') as UploadId

/** Returns whether an untrusted text can be an upload id. */
export const isUploadId = (text: string): text is UploadId => uploadIdForm.test(text)

/**
 * Refuses keys that would mean another place: absolute ones, empty, `.` and `..` segments, backslashes and control
 * characters, and lengths that file systems refuse. Throws Invalid.
 */
export function checkKey(key: string): void {
  const segments = key.split('/')
  const isFit =
    key.length <= maxKeyLength &&
    !isOwnFolder(segments[0]) &&
    !/[\\\p{Cc}]/u.test(key) &&
    segments.every(
      (segment) =>
        segment !== '' && segment !== '.' && segment !== '..' && Buffer.byteLength(segment) <= maxSegmentBytes,
    )
  if (!isFit) throw new Invalid('this is no key of a stored file', 'invalid_blob_key', { key: key.slice(0, 200) })
}

/** Validates a key prefix, which may end within a segment or be empty. Throws Invalid. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
}
