import { addAbortSignal, type Readable, Transform } from 'node:stream'
import {
  type BlobContent,
  type BlobInfo,
  type Blobs,
  type ByteRange,
  checkKey,
  checkPrefix,
  instanceMarker,
  isOwnFolder,
  type PutOptions,
  type SignedPut,
  type SignedPutOptions,
  type SignedUrlOptions,
  type StoredBlob,
} from './blobs.ts'
import { asBuffer, measure } from './measure.ts'
import { presign } from './s3-presign.ts'
import { connectS3, serviceError, toError, type S3Options, type S3Service } from './s3-service.ts'
import { S3Uploads } from './s3-uploads.ts'
import { escapeParameter } from '../lib/escape-url.ts'

const partsInFlight = 2
const smallestPartBytes = 8 * 1024 * 1024
/** Maximum number of parts; the protocol allows 10,000. */
const maxParts = 9_900
const protocolMaxCopyBytes = 5 * 1024 ** 3

/** Opens the store of an existing bucket. */
export async function openS3Blobs(options: S3Options): Promise<Blobs> {
  const service = await connectS3(options)
  return options.serveDirect ? new DirectS3Blobs(service) : new S3Blobs(service)
}

/**
 * A store in a bucket of an S3-compatible service. An object is there with its last byte or not at all; multipart
 * uploads that fail are aborted, and those of processes that died are removed with what else was abandoned.
 */
class S3Blobs implements Blobs {
  protected readonly service: S3Service
  readonly uploads: S3Uploads

  constructor(service: S3Service) {
    this.service = service
    this.uploads = new S3Uploads(service, {
      maxCopyBytes: service.options.maxCopyBytes ?? protocolMaxCopyBytes,
      put: (key, content, options) => this.put(key, content, options),
    })
  }

  async put(key: string, content: Readable, options: PutOptions): Promise<StoredBlob> {
    const { client, library } = this.service
    checkKey(key)
    if (options.signal !== undefined) addAbortSignal(options.signal, content)
    const watched = new MeasuredContent(content, options)
    const upload = new library.Upload({
      client,
      params: { ...this.service.at(key), Body: watched.body, ContentType: options.contentType },
      partSize: partBytes(options.maxBytes),
      queueSize: partsInFlight,
    })
    try {
      await upload.done()
    } catch (error) {
      watched.destroy()
      throw watched.failure ?? serviceError(error)
    }
    return watched.stored()
  }

  async copy(from: string, to: string): Promise<boolean> {
    checkKey(to)
    const info = await this.stat(from)
    if (info === undefined) return false
    if (info.sizeBytes <= (this.service.options.maxCopyBytes ?? protocolMaxCopyBytes)) {
      await this.service.copy(from, to)
      return true
    }
    const content = await this.get(from)
    if (content === undefined) return false
    await this.put(to, content.stream, { maxBytes: info.sizeBytes })
    return true
  }

  async move(from: string, to: string): Promise<boolean> {
    if (!(await this.copy(from, to))) return false
    if (from !== to) await this.delete(from)
    return true
  }

  async get(key: string, options: { readonly range?: ByteRange } = {}): Promise<BlobContent | undefined> {
    checkKey(key)
    return this.service.get(key, options.range)
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    checkKey(key)
    return this.service.stat(key)
  }

  async delete(key: string): Promise<void> {
    checkKey(key)
    await this.service.delete(key)
  }

  list(prefix: string): AsyncGenerator<BlobInfo & { readonly key: string }> {
    checkPrefix(prefix)
    return this.#list(prefix)
  }

  close(): void {
    this.service.client.destroy()
  }

  async *#list(prefix: string): AsyncGenerator<BlobInfo & { readonly key: string }> {
    for await (const { name, ...info } of this.service.list(prefix)) {
      if (!isOwnFolder(name.split('/', 1)[0]) && name !== instanceMarker) yield { key: name, ...info }
    }
  }
}

/** A store whose URLs clients use directly (`SERVE_DIRECT`). */
class DirectS3Blobs extends S3Blobs {
  async signedUrl(key: string, options: SignedUrlOptions): Promise<string> {
    const { fileName, contentType } = options
    return this.#presign('GET', key, options.expiresSeconds, {
      query: {
        ...(fileName !== undefined && { 'response-content-disposition': attachmentHeader(fileName) }),
        ...(contentType !== undefined && { 'response-content-type': contentType }),
      },
    })
  }

  async signedPutUrl(key: string, options: SignedPutOptions): Promise<SignedPut> {
    const headers = {
      ...(options.sizeBytes !== undefined && { 'content-length': String(options.sizeBytes) }),
      ...(options.contentType !== undefined && { 'content-type': options.contentType }),
    }
    return { url: this.#presign('PUT', key, options.expiresSeconds, { headers }), headers }
  }

  #presign(
    method: 'GET' | 'PUT',
    key: string,
    expiresSeconds: number,
    more: { readonly query?: Readonly<Record<string, string>>; readonly headers?: Readonly<Record<string, string>> },
  ): string {
    checkKey(key)
    const { region, accessKeyId, secretAccessKey } = this.service.options
    const url = this.service.urlOf(key)
    return presign({ method, url, region, accessKeyId, secretAccessKey, expiresSeconds, nowMs: Date.now(), ...more })
  }
}

/** Measured content; a mismatch ends the upload before its last part. */
class MeasuredContent {
  readonly body: Readable
  readonly #content: Readable
  #stored: StoredBlob | undefined
  /** The error that ended the content. */
  failure: Error | undefined

  constructor(content: Readable, options: PutOptions) {
    this.#content = content
    const measured = measure(options)
    const orError = (done: (error: Error) => void, work: () => void): void => {
      try {
        work()
      } catch (error) {
        done(toError(error))
      }
    }
    const watch = new Transform({
      transform: (chunk, _, done) =>
        orError(done, () => {
          const bytes = asBuffer(chunk)
          measured.add(bytes)
          done(null, bytes)
        }),
      flush: (done) =>
        orError(done, () => {
          this.#stored = measured.finish()
          done()
        }),
    })
    content.once('error', (error) => watch.destroy(error))
    content.once('close', () => {
      if (!content.readableEnded) watch.destroy(new Error('the stream ended before its content'))
    })
    watch.once('error', (error) => {
      this.failure = error
      content.destroy()
    })
    this.body = content.pipe(watch)
  }

  destroy(): void {
    this.#content.destroy()
    this.body.destroy()
  }

  stored(): StoredBlob {
    if (this.#stored === undefined) throw new Error('an upload ended before its content')
    return this.#stored
  }
}

/** Returns the part size with which the largest upload fits the maximum number of parts. */
const partBytes = (maxBytes: number): number =>
  Number.isFinite(maxBytes) ? Math.max(smallestPartBytes, Math.ceil(maxBytes / maxParts)) : 2 * smallestPartBytes

/** RFC 6266, with the name in RFC 8187's form. */
const attachmentHeader = (fileName: string): string => `attachment; filename*=UTF-8''${escapeParameter(fileName)}`
