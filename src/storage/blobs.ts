import { randomBytes } from 'node:crypto'
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
  /** Stores a blob under one more key, replacing what was there; false when there is no such blob. */
  copy(from: string, to: string): Promise<boolean>
  /** An address that gives the blob to whoever has it; only where the store hands out such. */
  signedUrl?(key: string, options: SignedUrlOptions): Promise<string>
  /** An address that takes one blob from whoever has it; only where the store hands out such. */
  signedPutUrl?(key: string, options: SignedPutOptions): Promise<SignedPut>
  /** Blobs that arrive in parts. */
  readonly uploads: Uploads
  /** Ends connections. */
  close(): void
}

/** Names an upload for as long as it lasts. Whoever knows it may go on with it, so it is kept like a secret. */
export type UploadId = string & { readonly __brand: 'UploadId' }

/**
 * Blobs that arrive in parts, over hours and perhaps through several processes: what was appended is as durable as a
 * blob, and all that a process needs to go on is the id. One caller at a time may append to an upload; who cannot
 * promise that (several processes behind one address) keeps a row that says whose turn it is.
 */
export interface Uploads {
  /** A new, empty upload. */
  begin(): Promise<UploadId>
  /** How far an upload has come; undefined when it was completed, aborted or never begun. */
  find(id: UploadId): Promise<BlobInfo | undefined>
  /**
   * Adds content from byte `atBytes` on; what was there from that byte on is replaced, so that a caller whose own record
   * of the size is behind may say it again. When it fails, an upload keeps a beginning of the content; `find` tells how
   * much. Throws NotFound, Conflict while another append of this process is under way, RangeNotSatisfiable when
   * `atBytes` lies behind the end, TooLarge over `maxBytes` or too many parts, and what `put` throws.
   */
  append(id: UploadId, content: Readable, options: AppendOptions): Promise<BlobInfo>
  /** What has arrived so far, or undefined. As `Blobs.get` otherwise. */
  read(id: UploadId, options?: { readonly range?: ByteRange }): Promise<BlobContent | undefined>
  /**
   * Makes the upload the blob of a key, replacing what was there at once or not at all. Throws NotFound (also when it is
   * complete already) and Invalid when it is not what was expected; it stays as it was then.
   */
  complete(id: UploadId, key: string, options?: CompleteOptions): Promise<StoredBlob>
  /** Gives an upload up; one that is not there is no error. */
  abort(id: UploadId): Promise<void>
  /** Removes uploads and other unfinished files that nobody has added to since `beforeUnix`; gives their number. */
  removeAbandoned(beforeUnix: Unix, signal?: AbortSignal): Promise<number>
}

export interface AppendOptions {
  readonly atBytes: number
  /** Largest size of the whole upload in bytes; Infinity where another rule limits it. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export type CompleteOptions = Pick<PutOptions, 'contentType' | 'expected' | 'digests' | 'signal'>

export type DigestName = 'md5' | 'sha1' | 'sha512'

export interface PutOptions {
  /** Largest size in bytes; Infinity where another rule limits it. */
  readonly maxBytes: number
  readonly contentType?: string
  /** What the content must be, as far as it is known before. Hexadecimal. */
  readonly expected?: {
    readonly sha256?: string
    /** Only together with this digest among those that are computed. */
    readonly sha512?: string
    readonly sizeBytes?: number
  }
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

export interface SignedPutOptions {
  readonly expiresSeconds: number
  /** The exact size, when it is known: the store refuses any other. */
  readonly sizeBytes?: number
  readonly contentType?: string
}

/** Where and with which headers a blob may be PUT. */
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

/** Whether a first segment belongs to the store itself; no key may begin with it. */
export const isOwnFolder = (segment: string | undefined): boolean =>
  segment === temporaryFolder || segment === uploadsFolder

const uploadIdForm = /^[0-9a-f]{32}$/

/** A new id that nobody guesses. */
export const newUploadId = (): UploadId => randomBytes(16).toString('hex') as UploadId

/** Whether a text that came from outside, or from a listing, can be the id of an upload. */
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

/** A prefix is the beginning of a key, perhaps in the middle of a segment, or empty. Throws Invalid. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix)
}
