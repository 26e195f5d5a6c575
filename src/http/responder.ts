import type { IncomingMessage, ServerResponse } from 'node:http'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptsGzip } from './accepts-gzip.ts'
import { Moved, Refusal } from '../lib/errors.ts'
import { releaseChunk, isFleeting } from '../lib/fleeting.ts'
import { openPageLinks, pageLinks, type Bound, type Page, type PageLink } from '../lib/paging.ts'
import type { RequestCall } from './call.ts'
import {
  jsonType,
  pageErrors,
  textErrors,
  wantsPage,
  type ErrorForm,
  type ErrorReply,
  type RefusedCall,
} from './error-forms.ts'
import { matchesEtag } from './etag.ts'
import { locationOf } from './location.ts'
import { isJsonAs } from './operation.ts'
import { payloadOf } from './payload.ts'
import { boundHeader, type Reply, type StreamReply } from './reply.ts'
import type { SlowReaders } from './slow-readers.ts'

/** Headers of every API reply (observed). */
const apiHeaders = {
  'cache-control': 'max-age=0, private, must-revalidate, no-transform',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

/** Headers of every reply of bytes. */
const bytesHeaders = { 'cache-control': apiHeaders['cache-control'], 'x-content-type-options': 'nosniff' }

const compress = promisify(gzip)
/** Higher levels save a tenth of the bytes of a page and take twice as long. */
const pageCompression = { level: 4 }
/** Smaller replies are not compressed: it costs more than it saves. In bytes. */
const minGzipBytes = 1400

/** Maximum bytes of a refused body that are discarded, so that the client reads the refusal. */
const maxPassedOverBytes = 16 * 1024 * 1024

/** How long a client has to read a refusal before its connection is closed, in milliseconds. */
const lingerMs = 1000

/** Size from which a buffered reply counts as memory until the client has received it. */
const largeReplyBytes = 256 * 1024

const noBytes = Buffer.alloc(0)

/**
 * Waits for the end of a request or the first bytes of its answer. nginx with `proxy_request_buffering off` stops reading a
 * request whose answer begins before.
 * @throws the error of the answer, when it fails before
 */
async function untilAnswerBegins(request: IncomingMessage, content: Readable): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['end', 'close']) request.off(event, done)
      for (const event of ['readable', 'close']) content.off(event, done)
      resolve()
    }
    for (const event of ['end', 'close']) request.on(event, done)
    for (const event of ['readable', 'close', 'error']) content.on(event, done)
  })
  // Without a listener for `readable`, the stream flows again in the next turn.
  await turn()
  if (content.errored) throw content.errored
}

/** Resolves after the other events of this turn. */
const turn = promisify(setImmediate)

type Headers = Record<string, string | number | string[]>

export interface ResponderOptions {
  readonly subPath: string
  /** Whether JSON is compressed. */
  readonly gzip: boolean
  /** Whether pages are. Their secrets could be guessed from the sizes if another site could request them with a session. */
  readonly compressesPages: boolean
  /** Error form for browsers where programs get text. */
  readonly pageErrors: ErrorForm
  /** Timeout of a client that reads a buffered reply, in milliseconds. */
  readonly slowReaderMs: number
  /** Receives the error of a failed stream. */
  readonly defect: (error: unknown, call: RefusedCall) => void
}

/** Returns the value of `Vary` for an answer that may be compressed. */
const withVary = (stated: unknown): string =>
  typeof stated === 'string' ? `${stated}, Accept-Encoding` : 'Accept-Encoding'

/** A defect as the client sees it; details belong in the log. */
class Defect extends Refusal {
  readonly status = 500
  constructor() {
    super('', 'internal_error')
  }
}

/** Writes replies. Each method returns the number of body bytes sent. */
export class Responder {
  readonly #options: ResponderOptions

  readonly #slowReaders: SlowReaders

  constructor(options: ResponderOptions, slowReaders: SlowReaders) {
    this.#options = options
    this.#slowReaders = slowReaders
  }

  send(call: RequestCall, response: ServerResponse, reply: Reply<number, unknown> | StreamReply<number>) {
    return reply.kind === 'json' ? this.#sendJson(call, response, reply) : this.#sendBytes(call, response, reply)
  }

  /**
   * Writes the response for an error: a refusal in the form of its surface, a redirect for `Moved`, otherwise 500.
   * @param extra additional headers
   */
  sendError(
    request: IncomingMessage,
    response: ServerResponse,
    call: RefusedCall,
    error: unknown,
    form: ErrorForm,
    extra: Readonly<Record<string, string | string[]>>,
  ): number {
    if (response.headersSent) {
      // The reply has started; closing the connection is the only way to signal that it is incomplete.
      response.destroy()
      return 0
    }
    if (response.destroyed) return 0
    const headers: Headers = { ...apiHeaders, ...extra, 'x-request-id': call.id }
    if (error instanceof Moved) {
      // A path, not a full address (contract, users: renaming and redirects).
      const location = locationOf(this.#options.subPath + error.location)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      const status = error.status === 301 && !isRead ? 308 : error.status
      response.writeHead(status, { ...headers, location, 'content-length': 0 }).end()
      return 0
    }
    const refusal = error instanceof Refusal ? error : new Defect()
    const isPage = form === pageErrors || (form === textErrors && wantsPage(call))
    const rendered = this.#rendered(isPage ? this.#options.pageErrors : form, refusal, call)
    const { retryAfterSeconds } = refusal.data
    if (typeof retryAfterSeconds === 'number') headers['retry-after'] = Math.ceil(retryAfterSeconds)
    const sizeBytes = Buffer.byteLength(rendered.body)
    response.writeHead(refusal.status, {
      ...headers,
      ...rendered.headers,
      'content-type': rendered.contentType,
      'content-length': sizeBytes,
    })
    const body = request.method === 'HEAD' ? noBytes : Buffer.from(rendered.body)
    if (request.complete) response.end(body)
    else endEarly(request, response, body)
    return sizeBytes
  }

  /** An error that cannot be shown in its form is shown as text: every request gets an answer. */
  #rendered(form: ErrorForm, refusal: Refusal, call: RefusedCall): ErrorReply {
    try {
      return form.render(refusal, call)
    } catch (error) {
      this.#options.defect(error, call)
      return textErrors.render(refusal, call)
    }
  }

  async #sendJson(call: RequestCall, response: ServerResponse, reply: Reply<number, unknown>): Promise<number> {
    const headers = headersOf({ ...apiHeaders }, call, reply)
    if (reply.paging) addPaging(headers, call, reply.paging)
    if (reply.body === undefined) {
      if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = 0
      response.writeHead(reply.status, headers).end()
      return 0
    }
    const shape = call.operation.reply[reply.status]
    headers['content-type'] ??= isJsonAs(shape) ? shape.mediaType : jsonType
    const { content, sizeBytes, etag } = payloadOf(reply.body, call.operation.method === 'GET')
    if (call.operation.method === 'GET') {
      headers['etag'] = etag
      if (matchesEtag(call.headers['if-none-match'], etag)) {
        response.writeHead(304, headers).end()
        return 0
      }
    }
    if (this.#options.gzip && sizeBytes >= minGzipBytes && acceptsGzip(call.headers['accept-encoding'])) {
      headers['content-encoding'] = 'gzip'
      headers['vary'] = withVary(headers['vary'])
      const compressed = await compress(content)
      return this.#sendWhole(call, response, reply.status, headers, compressed, compressed.length)
    }
    // A large body evicts the processor's caches, so other events of this turn run first.
    if (sizeBytes >= largeReplyBytes) await turn()
    return this.#sendWhole(call, response, reply.status, headers, content, sizeBytes)
  }

  #sendWhole(
    call: RequestCall,
    response: ServerResponse,
    status: number,
    headers: Headers,
    content: string | Buffer,
    sizeBytes: number,
  ): number {
    headers['content-length'] = sizeBytes
    if (sizeBytes >= largeReplyBytes && call.method !== 'HEAD') this.#sendsMuch(call, response, sizeBytes)
    response.writeHead(status, headers)
    response.end(call.method === 'HEAD' ? undefined : content)
    return sizeBytes
  }

  /** Counts a large reply until the client has received it, and limits its time. */
  #sendsMuch(call: RequestCall, response: ServerResponse, sizeBytes: number): void {
    const release = call.sends(sizeBytes)
    response.once('close', release)
    response.once('finish', release)
    // Only the operating system sees the progress of one buffer; a pause ends the connection.
    response.setTimeout(this.#options.slowReaderMs, () => response.destroy())
  }

  async #sendBytes(call: RequestCall, response: ServerResponse, reply: StreamReply<number>): Promise<number> {
    const { content } = reply
    const whole = typeof content === 'string' || Buffer.isBuffer(content)
    const headers = headersOf({ ...bytesHeaders }, call, reply)
    headers['content-type'] = reply.contentType
    const size = whole ? Buffer.byteLength(content) : reply.sizeBytes
    if (size !== undefined) headers['content-length'] = size
    const etag = headers['etag']
    if (typeof etag === 'string' && reply.status === 200 && matchesEtag(call.headers['if-none-match'], etag)) {
      if (!whole) content.destroy()
      delete headers['content-length']
      delete headers['content-type']
      response.writeHead(304, { ...headers, 'cache-control': apiHeaders['cache-control'] }).end()
      return 0
    }
    const isCompressed = this.#options.compressesPages && isLargePage(reply.contentType, size ?? 0)
    if (whole && isCompressed && acceptsGzip(call.headers['accept-encoding'])) {
      headers['content-encoding'] = 'gzip'
      headers['vary'] = withVary(headers['vary'])
      const compressed = await compress(content, pageCompression)
      return this.#sendWhole(call, response, reply.status, headers, compressed, compressed.length)
    }
    if (whole && size !== undefined && size >= largeReplyBytes && call.method !== 'HEAD') {
      this.#sendsMuch(call, response, size)
    }
    if (!whole && !response.req.complete) await untilAnswerBegins(response.req, content)
    response.writeHead(reply.status, headers)
    if (call.method === 'HEAD' || whole) {
      if (!whole) content.destroy()
      response.end(call.method === 'HEAD' ? undefined : typeof content === 'string' ? Buffer.from(content) : content)
      return size ?? 0
    }
    // Sends the headers before the body. Header values are already UTF-8 bytes, and `flushHeaders` would encode them
    // again.
    response.write(noBytes)
    this.#slowReaders.watch(response)
    let sent = 0
    content.on('data', (chunk: Buffer) => (sent += chunk.length))
    await pipeline(content, isFleeting(content) ? releasingWritable(response) : response).catch((error: unknown) => {
      // A disconnected client is not a defect, nor is a refusal while streaming (a broken body); other errors are reported.
      // The connection is closed, so that the client does not mistake the incomplete body for a complete one.
      const isGone = call.signal.aborted || isBrokenPipe(error)
      if (!isGone && !(error instanceof Refusal)) this.#options.defect(error, call)
      response.destroy()
    })
    return sent
  }
}

/**
 * Whether a write failed because the other end is gone. Once the head of the answer is out, that is the client, or git whose
 * output nobody takes any more; the connection says so only afterwards.
 */
export const isBrokenPipe = (error: unknown): boolean =>
  ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Returns a writable that frees each chunk after the operating system has taken it. */
function releasingWritable(response: ServerResponse): Writable {
  const taker = new Writable({
    write(piece: Buffer, _encoding, done) {
      response.write(piece, (error) => {
        // The client has disconnected before the `close` event. Passing the error on would report a defect, so the
        // connection is destroyed, and its `close` ends this stream. The socket may still hold the unsent chunk.
        if (error && !response.closed) return void response.destroy()
        if (!error) releaseChunk(piece)
        done(error)
      })
    },
    final(done) {
      response.end(done)
    },
  })
  response.once('close', () => taker.destroy())
  return taker
}

/** Adds the headers of this reply. Assigning is three times as fast as spreading. */
function headersOf(
  headers: Headers,
  call: RequestCall,
  reply: { readonly headers?: Readonly<Record<string, string>> },
) {
  headers['x-request-id'] = call.id
  for (const name in call.replyHeaders) headers[name] = call.replyHeaders[name] as string
  for (const name in reply.headers) headers[name] = reply.headers[name] as string
  if (typeof headers['location'] === 'string') headers['location'] = locationOf(headers['location'])
  if (call.cookies.length > 0) {
    const own = reply.headers?.['set-cookie']
    headers['set-cookie'] = own === undefined ? call.cookies : [...call.cookies, own]
    // Shared caches must not store cookies.
    if (!/private|no-store/.test(String(headers['cache-control']))) headers['cache-control'] = 'private, no-store'
  }
  return headers
}

function addPaging(
  headers: Headers,
  call: RequestCall,
  { page, total, link, bound, cursor, shown }: NonNullable<Reply<number, unknown>['paging']>,
): void {
  headers['x-total-count'] = total
  let exposed = 'X-Total-Count'
  if (bound) {
    headers[boundHeader.toLowerCase()] = bound
    exposed = `${exposed}, ${boundHeader}`
  }
  if (link || (page.pageSize !== undefined && (total > page.limit || bound === 'total'))) {
    const links = linksOf(page, total, shown, bound).map(({ rel, number }) => {
      const query = new URLSearchParams(call.rawQuery)
      query.set('page', String(number))
      if (page.pageSize !== undefined) query.set('limit', String(page.pageSize))
      if (rel === 'next' && cursor !== undefined) query.set('cursor', cursor)
      else query.delete('cursor')
      query.sort()
      return `<${call.site.url}${call.url.split('?', 1)[0]?.slice(1)}?${query}>; rel="${rel}"`
    })
    if (links.length > 0) {
      headers['link'] = links.join(',')
      exposed = `Link, ${exposed}`
    }
  }
  headers['access-control-expose-headers'] = exposed
}

/** Returns the links of a page. A reply with a whole list links the remaining rows by pages of the largest size. */
function linksOf(page: Page, total: number, shown: number, bound: Bound | undefined): readonly PageLink[] {
  const { pageSize, limit } = page
  if (pageSize === undefined) return bound === 'total' ? openPageLinks(page, shown) : pageLinks(page, total)
  const number = limit / pageSize
  const rest = { number, limit: pageSize, offset: limit - pageSize }
  const links = bound === 'total' ? openPageLinks(rest, pageSize) : pageLinks(rest, total)
  return links.filter(({ rel }) => rel === 'next' || rel === 'last')
}

const isLargePage = (contentType: string, sizeBytes: number): boolean =>
  contentType.startsWith('text/html') && sizeBytes >= minGzipBytes

/**
 * Answers a request whose body is still on its way, and discards the rest of it. Closing a connection with unread bytes takes
 * back the answer, so a body that is too long, and a connection that ends with its answer, are cut a little later. Proxies have
 * such connections.
 */
function endEarly(request: IncomingMessage, response: ServerResponse, answer: Buffer): void {
  let passed = 0
  request.on('data', (chunk: Buffer) => {
    passed += chunk.length
    if (passed <= maxPassedOverBytes || request.isPaused()) return
    request.pause()
    setTimeout(() => request.destroy(), lingerMs).unref()
  })
  request.resume()
  if (response.shouldKeepAlive) {
    response.end(answer)
    return
  }
  if (answer.length > 0) response.write(answer)
  else response.flushHeaders()
  const timer = setTimeout(() => response.end(), lingerMs)
  request.once('close', () => {
    clearTimeout(timer)
    response.end()
  })
}
