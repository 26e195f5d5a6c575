import { Readable } from 'node:stream'
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { RangeNotSatisfiable, Refusal } from '../lib/errors.ts'
import { asFleeting } from '../lib/fleeting.ts'
import { storageAway } from '../lib/storage-away.ts'
import type { BlobContent, BlobInfo, ByteRange } from './blobs.ts'
import type { S3Library } from './s3-library.ts'
import { escapeS3 } from './s3-presign.ts'
import { trimTrailing } from '../lib/trim-ends.ts'

export interface S3Options {
  /** URL of the service. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Prefix of every key; empty or ending with `/`. */
  readonly basePath: string
  readonly usePathStyle: boolean
  readonly skipTlsVerify: boolean
  readonly serveDirect: boolean
  /** Larger objects are copied through this process; the default is the limit of the protocol. */
  readonly maxCopyBytes?: number
  /** Size of the pieces of an upload; the default is 8 MiB. */
  readonly pieceBytes?: number
}

const maxConnections = 64
const connectTimeoutMs = 5_000
/** Idle timeout of a request. */
const socketTimeoutMs = 60_000

/** Creates the client; the first request shows whether the service answers. */
export async function connectS3(options: S3Options): Promise<S3Service> {
  // Loaded on first use: most instances do not need it, and it loads slowly.
  const [{ s3Library: library }, { Agent }] = await Promise.all([import('./s3-library.ts'), import('node:https')])
  const client = new library.S3Client({
    endpoint: options.endpoint,
    region: options.region,
    forcePathStyle: options.usePathStyle,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    maxAttempts: 3,
    // Many services do not support checksums in trailers; our SHA-256 is stored with each blob.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: socketTimeoutMs,
      httpAgent: { maxSockets: maxConnections },
      httpsAgent: new Agent({
        maxSockets: maxConnections,
        keepAlive: true,
        rejectUnauthorized: !options.skipTlsVerify,
      }),
    },
  })
  return new S3Service(library, client, options)
}

/** The objects of a bucket below the base path. Failures are refusals or defects. */
export class S3Service {
  readonly library: S3Library
  readonly client: S3Client
  readonly options: S3Options

  constructor(library: S3Library, client: S3Client, options: S3Options) {
    this.library = library
    this.client = client
    this.options = options
  }

  /** Returns bucket and key of an object for a request. */
  at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.options.bucket, Key: this.options.basePath + name }
  }

  async stat(name: string): Promise<BlobInfo | undefined> {
    const head = await unlessMissing(this.client.send(new this.library.HeadObjectCommand(this.at(name))))
    return head === undefined ? undefined : toInfo(head.ContentLength, head.LastModified)
  }

  /** Throws RangeNotSatisfiable. */
  async get(name: string, range: ByteRange | undefined): Promise<BlobContent | undefined> {
    if (range?.end !== undefined && range.end < range.start) return this.#refuseRange(name)
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end ?? ''}`
    try {
      const reply = await this.client.send(new this.library.GetObjectCommand({ ...this.at(name), Range }))
      if (!(reply.Body instanceof Readable)) throw new Error('the object storage answered no stream')
      const whole = /\/(\d+)$/.exec(reply.ContentRange ?? '')?.[1]
      const sizeBytes = whole === undefined ? reply.ContentLength : Number(whole)
      return { ...toInfo(sizeBytes, reply.LastModified), stream: asFleeting(reply.Body) }
    } catch (error) {
      if (isMissing(error)) return undefined
      if (statusOf(error) !== 416) throw serviceError(error)
      return this.#refuseRange(name)
    }
  }

  /** Stores a buffer. */
  async putBytes(name: string, bytes: Buffer): Promise<void> {
    await orServiceError(
      this.client.send(
        new this.library.PutObjectCommand({ ...this.at(name), Body: bytes, ContentLength: bytes.length }),
      ),
    )
  }

  /** Copies an object of at most `maxCopyBytes` in the service. */
  async copy(from: string, to: string, contentType?: string): Promise<void> {
    const source = this.at(from)
    // The source is a URL path; everything but slashes is escaped.
    const CopySource = `${source.Bucket}/${source.Key}`.split('/').map(encodeURIComponent).join('/')
    const type = contentType === undefined ? {} : { ContentType: contentType, MetadataDirective: 'REPLACE' as const }
    await orServiceError(this.client.send(new this.library.CopyObjectCommand({ ...this.at(to), CopySource, ...type })))
  }

  async delete(name: string): Promise<void> {
    await unlessMissing(this.client.send(new this.library.DeleteObjectCommand(this.at(name))))
  }

  async *list(prefix: string): AsyncGenerator<BlobInfo & { readonly name: string }> {
    const { bucket: Bucket, basePath } = this.options
    let ContinuationToken: string | undefined
    do {
      const command = new this.library.ListObjectsV2Command({ Bucket, Prefix: basePath + prefix, ContinuationToken })
      const page = await unlessMissing(this.client.send(command))
      for (const { Key, Size, LastModified } of page?.Contents ?? []) {
        if (Key !== undefined) yield { name: Key.slice(basePath.length), ...toInfo(Size, LastModified) }
      }
      ContinuationToken = page?.NextContinuationToken
    } while (ContinuationToken !== undefined)
  }

  /**
   * Ends multipart uploads of the protocol that were begun before a time and never finished, as a process that died
   * leaves them. A service that cannot list them (501) is left to the rules of its bucket.
   */
  async abortMultipartUploads(beforeUnix: number): Promise<number> {
    const { bucket: Bucket, basePath } = this.options
    let count = 0
    let KeyMarker: string | undefined
    let UploadIdMarker: string | undefined
    do {
      const command = new this.library.ListMultipartUploadsCommand({
        Bucket,
        Prefix: basePath,
        KeyMarker,
        UploadIdMarker,
      })
      const page = await this.client.send(command).catch((error: unknown) => {
        if (statusOf(error) === 501 || isMissing(error)) return undefined
        throw serviceError(error)
      })
      for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
        if (Initiated === undefined || Initiated.getTime() / 1000 >= beforeUnix) continue
        await unlessMissing(this.client.send(new this.library.AbortMultipartUploadCommand({ Bucket, Key, UploadId })))
        count++
      }
      KeyMarker = page?.IsTruncated === true ? page.NextKeyMarker : undefined
      UploadIdMarker = page?.NextUploadIdMarker
    } while (KeyMarker !== undefined)
    return count
  }

  /** Returns the unsigned URL of an object. */
  urlOf(name: string): URL {
    const { endpoint, bucket, usePathStyle } = this.options
    const { Key } = this.at(name)
    const url = new URL(endpoint)
    if (!usePathStyle) url.hostname = `${bucket}.${url.hostname}`
    const path = usePathStyle ? `${bucket}/${Key}` : Key
    url.pathname = `${trimTrailing(url.pathname, '/')}/${path.split('/').map(escapeS3).join('/')}`
    return url
  }

  async #refuseRange(name: string): Promise<undefined> {
    const info = await this.stat(name)
    if (info !== undefined) throw new RangeNotSatisfiable(info.sizeBytes)
  }
}

const toInfo = (sizeBytes: number | undefined, modified: Date | undefined): BlobInfo => ({
  sizeBytes: sizeBytes ?? 0,
  modifiedUnix: Math.floor((modified?.getTime() ?? 0) / 1000),
})

export const toError = (error: unknown): Error => (Error.isError(error) ? error : new Error(String(error)))

const isServiceException = (error: unknown): error is S3ServiceException =>
  Error.isError(error) && '$metadata' in error && '$fault' in error

const statusOf = (error: unknown): number | undefined =>
  isServiceException(error) ? error.$metadata.httpStatusCode : undefined

const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && Error.isError(error) && error.name !== 'NoSuchBucket'

/** Network errors and 5xx are temporary; anything else (a wrong key, a missing bucket) concerns the operator. */
export function serviceError(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const status = statusOf(error)
  if (isServiceException(error) && status !== undefined && status < 500 && status !== 429) return error
  return storageAway(toError(error).message)
}

async function orServiceError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw serviceError(error)
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return undefined
    throw serviceError(error)
  }
}
