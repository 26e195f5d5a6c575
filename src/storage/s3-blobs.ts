import { Agent } from 'node:https'
import { addAbortSignal, Readable, Transform } from 'node:stream'
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { RangeNotSatisfiable, Refusal, Unavailable } from '../lib/errors.ts'
import {
  type BlobContent,
  type BlobInfo,
  type Blobs,
  type ByteRange,
  checkKey,
  checkPrefix,
  type PutOptions,
  type StoredBlob,
} from './blobs.ts'
import { asBuffer, measure } from './measure.ts'
import { escapeS3, presignGet } from './s3-presign.ts'

export interface S3Options {
  /** URL of the service. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Put before every key; empty or ending with `/`. */
  readonly basePath: string
  readonly usePathStyle: boolean
  readonly skipTlsVerify: boolean
  readonly serveDirect: boolean
  /** Objects larger than this are copied through this process when moved; the protocol's limit by default. */
  readonly maxCopyBytes?: number
}

const maxConnections = 64
const connectTimeoutMs = 5_000
/** Silence after which a request has failed. */
const socketTimeoutMs = 60_000
const partsInFlight = 2
const smallestPartBytes = 8 * 1024 * 1024
/** The protocol allows 10,000 parts; a few are kept in hand. */
const maxParts = 9_900
const protocolMaxCopyBytes = 5 * 1024 ** 3

/**
 * A store in a bucket of an S3-compatible service. An object is there with its last byte or not at all; uploads that
 * fail are aborted, and a rule of the bucket should delete unfinished ones of processes that died. The bucket exists.
 */
export async function openS3Blobs(options: S3Options): Promise<Blobs> {
  // Loaded on first use: most instances never need it, and it takes long to load.
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  const client: S3Client = new sdk.S3Client({
    endpoint: options.endpoint,
    region: options.region,
    forcePathStyle: options.usePathStyle,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    maxAttempts: 3,
    // Checksums in trailers are an extension that many services do not know; our own SHA-256 is kept beside each blob.
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
  const { bucket: Bucket } = options
  const maxCopyBytes = options.maxCopyBytes ?? protocolMaxCopyBytes
  const keyOf = (key: string): string => {
    checkKey(key)
    return options.basePath + key
  }

  async function put(key: string, content: Readable, putOptions: PutOptions): Promise<StoredBlob> {
    const Key = keyOf(key)
    if (putOptions.signal !== undefined) addAbortSignal(putOptions.signal, content)
    const measured = measure(putOptions)
    let stored: StoredBlob | undefined
    const watch = new Transform({
      transform: (chunk, _, done) => {
        try {
          const bytes = asBuffer(chunk)
          measured.add(bytes)
          done(null, bytes)
        } catch (error) {
          done(toError(error))
        }
      },
      // A wrong checksum must end the upload before its last part is sent.
      flush: (done) => {
        try {
          stored = measured.finish()
          done()
        } catch (error) {
          done(toError(error))
        }
      },
    })
    let failure: Error | undefined
    content.once('error', (error) => watch.destroy(error))
    content.once('close', () => {
      if (!content.readableEnded) watch.destroy(new Error('the stream ended before its content'))
    })
    watch.once('error', (error) => {
      failure = error
      content.destroy()
    })
    const upload = new Upload({
      client,
      params: { Bucket, Key, Body: content.pipe(watch), ContentType: putOptions.contentType },
      partSize: partBytes(putOptions.maxBytes),
      queueSize: partsInFlight,
    })
    try {
      await upload.done()
    } catch (error) {
      content.destroy()
      watch.destroy()
      throw failure ?? serviceError(error)
    }
    if (stored === undefined) throw new Error('an upload ended before its content')
    return stored
  }

  async function stat(key: string): Promise<BlobInfo | undefined> {
    const Key = keyOf(key)
    const head = await unlessMissing(client.send(new sdk.HeadObjectCommand({ Bucket, Key })))
    return head === undefined ? undefined : toInfo(head.ContentLength, head.LastModified)
  }

  async function get(key: string, range: ByteRange | undefined): Promise<BlobContent | undefined> {
    const Key = keyOf(key)
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end ?? ''}`
    if (range?.end !== undefined && range.end < range.start) {
      const info = await stat(key)
      if (info === undefined) return undefined
      throw new RangeNotSatisfiable(info.sizeBytes)
    }
    try {
      const reply = await client.send(new sdk.GetObjectCommand({ Bucket, Key, Range }))
      if (!(reply.Body instanceof Readable)) throw new Error('the object storage answered no stream')
      const whole = /\/(\d+)$/.exec(reply.ContentRange ?? '')?.[1]
      const sizeBytes = whole === undefined ? reply.ContentLength : Number(whole)
      return { ...toInfo(sizeBytes, reply.LastModified), stream: reply.Body }
    } catch (error) {
      if (isMissing(error)) return undefined
      if (statusOf(error) !== 416) throw serviceError(error)
      const info = await stat(key)
      if (info === undefined) return undefined
      throw new RangeNotSatisfiable(info.sizeBytes)
    }
  }

  async function remove(key: string): Promise<void> {
    await unlessMissing(client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(key) })))
  }

  async function* list(prefix: string): AsyncGenerator<BlobInfo & { readonly key: string }> {
    let ContinuationToken: string | undefined
    do {
      const command = new sdk.ListObjectsV2Command({ Bucket, Prefix: options.basePath + prefix, ContinuationToken })
      const page = await unlessMissing(client.send(command))
      for (const { Key, Size, LastModified } of page?.Contents ?? []) {
        if (Key !== undefined) yield { key: Key.slice(options.basePath.length), ...toInfo(Size, LastModified) }
      }
      ContinuationToken = page?.NextContinuationToken
    } while (ContinuationToken !== undefined)
  }

  async function move(from: string, to: string): Promise<boolean> {
    const Key = keyOf(to)
    const info = await stat(from)
    if (info === undefined) return false
    if (info.sizeBytes <= maxCopyBytes) {
      // The source is given as a URL path, in which everything but the slashes is escaped.
      const CopySource = `${Bucket}/${keyOf(from)}`.split('/').map(encodeURIComponent).join('/')
      await orServiceError(client.send(new sdk.CopyObjectCommand({ Bucket, Key, CopySource })))
    } else {
      const content = await get(from, undefined)
      if (content === undefined) return false
      await put(to, content.stream, { maxBytes: info.sizeBytes })
    }
    if (from !== to) await remove(from)
    return true
  }

  return {
    put,
    get: (key, { range } = {}) => get(key, range),
    stat,
    delete: remove,
    list: (prefix) => {
      checkPrefix(prefix)
      return list(prefix)
    },
    move,
    ...(options.serveDirect &&
      ({
        signedUrl: async (key, { expiresSeconds, fileName, contentType }) =>
          presignGet({
            url: objectUrl(options, keyOf(key)),
            region: options.region,
            accessKeyId: options.accessKeyId,
            secretAccessKey: options.secretAccessKey,
            expiresSeconds,
            nowMs: Date.now(),
            query: {
              ...(fileName !== undefined && { 'response-content-disposition': attachmentHeader(fileName) }),
              ...(contentType !== undefined && { 'response-content-type': contentType }),
            },
          }),
      } satisfies Partial<Blobs>)),
    close: () => client.destroy(),
  }
}

/** Part size that lets the largest allowed upload fit into the protocol's number of parts. */
const partBytes = (maxBytes: number): number =>
  Number.isFinite(maxBytes) ? Math.max(smallestPartBytes, Math.ceil(maxBytes / maxParts)) : 2 * smallestPartBytes

/** RFC 6266, with the name in RFC 8187's form. */
const attachmentHeader = (fileName: string): string => `attachment; filename*=UTF-8''${escapeS3(fileName)}`

function objectUrl(options: S3Options, key: string): URL {
  const url = new URL(options.endpoint)
  if (!options.usePathStyle) url.hostname = `${options.bucket}.${url.hostname}`
  const path = options.usePathStyle ? `${options.bucket}/${key}` : key
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path.split('/').map(escapeS3).join('/')}`
  return url
}

const toInfo = (sizeBytes: number | undefined, modified: Date | undefined): BlobInfo => ({
  sizeBytes: sizeBytes ?? 0,
  modifiedUnix: Math.floor((modified?.getTime() ?? 0) / 1000),
})

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

const isServiceException = (error: unknown): error is S3ServiceException =>
  error instanceof Error && '$metadata' in error && '$fault' in error

const statusOf = (error: unknown): number | undefined =>
  isServiceException(error) ? error.$metadata.httpStatusCode : undefined

const isMissing = (error: unknown): boolean =>
  statusOf(error) === 404 && error instanceof Error && error.name !== 'NoSuchBucket'

/** No answer and answers of 5xx pass by; anything else (a wrong key, no bucket) is for the operator. */
function serviceError(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const status = statusOf(error)
  if (isServiceException(error) && status !== undefined && status < 500 && status !== 429) return error
  return new Unavailable('the object storage does not answer', 'storage_unavailable', { cause: toError(error).message })
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
