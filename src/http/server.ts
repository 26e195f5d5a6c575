import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { BadRequest, MethodNotAllowed, Moved, NotFound, Refusal, Unavailable } from '../lib/errors.ts'
import { pageLinks } from '../lib/paging.ts'
import { RequestCall } from './call.ts'
import { allowOrigin, preflight, type CorsOptions } from './cors.ts'
import { firstProblem } from './decode.ts'
import { apiErrors, jsonType, textErrors, type ErrorForm } from './error-forms.ts'
import type { Call, NamedOperation, Operation } from './operation.ts'
import { payloadOf } from './payload.ts'
import type { Reply, StreamReply } from './reply.ts'

/** What was answered, for the access log and the metrics. */
export interface Answered {
  readonly operationId: string
  readonly requestId: string
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly status: number
  readonly durationMs: number
  readonly sizeBytes: number
}

export interface ServerOptions {
  readonly operations: readonly NamedOperation[]
  /** Finds out who asks and makes the context of the request; what it throws is the reply. */
  readonly admit: (call: Call) => Promise<object>
  /** Public address of the instance, ending with a slash; asked for anew since a free port is known late. */
  readonly siteUrl: () => string
  /** Path of that address without the last slash, which a reverse proxy may leave on requests; empty for none. */
  readonly subPath: string
  /** Addresses or networks whose `X-Forwarded-*` headers are believed; empty for none. */
  readonly trustedProxies: readonly string[]
  /** Largest body that is decoded into fields, in bytes. */
  readonly maxBodyBytes: number
  /** Longest pause while a body arrives, in milliseconds. */
  readonly bodyIdleMs: number
  /** Longest time until the headers of a request are complete, in milliseconds. */
  readonly headersTimeoutMs: number
  /** Most open connections; further ones are closed at once. */
  readonly maxConnections: number
  readonly gzip: boolean
  readonly cors: CorsOptions | undefined
  /** Check replies against their schemas: in tests and development. */
  readonly validateReplies: boolean
  /** Told of every answer. Must not throw. */
  readonly answered: (facts: Answered) => void
  /** Told of defects: what was thrown and was no refusal. Must not throw. */
  readonly defect: (
    error: unknown,
    call: { readonly id: string; readonly method: string; readonly url: string },
  ) => void
}

export interface ForgeServer {
  /** Starts to listen; port 0 takes a free one. Gives the address. */
  listen(
    at: { readonly host: string; readonly port: number } | { readonly socketPath: string },
  ): Promise<AddressInfo | string>
  /**
   * Stops: no new connections, requests under way may end within `deadlineMs`, then their connections are cut. Streams
   * that would go on for ever are told to end by their signal.
   */
  close(deadlineMs: number): Promise<void>
}

/** Operations outside of the API root whose paths begin with two names would else be asked for everything. */
const apiRoot = '/api/v1'
const vendorRoots = ['/api/service/v1', '/api/forgejo/v1']

/** Headers of every API answer (observed). */
const apiHeaders = {
  'cache-control': 'max-age=0, private, must-revalidate, no-transform',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

const compress = promisify(gzip)
/** Replies below this size are sent as they are; compressing them costs more than it saves. */
const minGzipBytes = 1400

export function createServer(options: ServerOptions): ForgeServer {
  const stop = new AbortController()
  const { rewriteUrl } = urlRules(options.subPath)
  const app = fastify({
    logger: false,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: 0,
    connectionTimeout: 0,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    // Bodies are read by the operations, each with its own limit.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    rewriteUrl,
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      const { raw } = request
      sendError(raw, reply.raw, requestIds(), new BadRequest('the address is malformed'), apiErrors, {})
    },
    // Operations decode and encode themselves; without these the framework loads two compilers that nobody asks.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    routerOptions: {
      maxParamLength: 4096,
      ignoreTrailingSlash: true,
      querystringParser: () => ({}),
      onBadUrl: (_path, request, response) =>
        sendError(request, response, requestIds(), new BadRequest('the address is malformed'), apiErrors, {}),
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const requestIds = requestIdSource()
  const patterns: { readonly method: string; readonly pattern: RegExp }[] = []
  // Replies that take their time (streams, long polls) are known here, so that a stop can wait for them.
  const underWay = new Set<Promise<void>>()

  function register(target: FastifyInstance, operation: NamedOperation): void {
    for (const root of rootsOf(operation)) {
      const url = root + routePath(operation)
      patterns.push({ method: operation.method, pattern: pathPattern(root + operation.path) })
      target.route({
        method: operation.method,
        url,
        handler: (request, reply) => {
          reply.hijack()
          const work = handle(operation, request, reply.raw)
          underWay.add(work)
          void work.finally(() => underWay.delete(work))
        },
      })
    }
  }

  async function handle(operation: NamedOperation, request: FastifyRequest, response: ServerResponse): Promise<void> {
    const startedMs = performance.now()
    const call = new RequestCall(operation, request, response, requestIds(), options, stop.signal)
    const form = operation.errors ?? (operation.base === 'site' ? textErrors : apiErrors)
    allowOrigin(options.cors, request.raw, call.replyHeaders)
    let sizeBytes = 0
    try {
      call.decodeParams(request.params as Record<string, string>)
      const ctx = await options.admit(call)
      for (const requirement of operation.requires) {
        const added = requirement.check(ctx, call) as object | Promise<object>
        Object.assign(ctx, added instanceof Promise ? await added : added)
      }
      const reply = await operation.run({
        ctx,
        params: call.params,
        query: call.query,
        body: operation.body === undefined || operation.body === 'stream' ? undefined : await call.decodedBody(),
        call,
      })
      if (options.validateReplies) checkReply(operation, reply)
      sizeBytes =
        reply.kind === 'json'
          ? await sendJson(call, response, operation, reply)
          : await sendBytes(call, response, reply)
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof Moved) && !call.signal.aborted) options.defect(error, call)
      sizeBytes = sendError(request.raw, response, call.id, error, form, call.replyHeaders)
    } finally {
      call.done()
      options.answered({
        operationId: operation.id,
        requestId: call.id,
        method: request.method,
        url: call.url,
        ip: call.ip,
        status: response.statusCode,
        durationMs: performance.now() - startedMs,
        sizeBytes,
      })
    }
  }

  function sendError(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    error: unknown,
    form: ErrorForm,
    extra: Readonly<Record<string, string>>,
  ): number {
    if (response.headersSent) {
      // The answer has begun; cutting the connection is the only way left to say that it is not whole.
      response.destroy()
      return 0
    }
    if (response.destroyed) return 0
    if (error instanceof Moved) {
      // A path, not a full address (contract, users: renaming and redirects).
      const location = options.subPath + error.location
      response
        .writeHead(error.status, { ...apiHeaders, ...extra, 'x-request-id': id, location, 'content-length': 0 })
        .end()
      return 0
    }
    const refusal = error instanceof Refusal ? error : undefined
    const rendered = refusal ? form.render(refusal, options.siteUrl()) : form.render(new Defect(), options.siteUrl())
    if (!request.complete) passOver(request)
    response.writeHead(refusal?.status ?? 500, {
      ...apiHeaders,
      ...extra,
      ...rendered.headers,
      'x-request-id': id,
      'content-type': rendered.contentType,
      'content-length': Buffer.byteLength(rendered.body),
    })
    response.end(request.method === 'HEAD' ? undefined : rendered.body)
    return rendered.body.length
  }

  async function sendJson(
    call: RequestCall,
    response: ServerResponse,
    operation: Operation,
    reply: Reply<number, unknown>,
  ): Promise<number> {
    const headers: Record<string, string | number> = {
      ...apiHeaders,
      'x-request-id': call.id,
      ...call.replyHeaders,
      ...reply.headers,
    }
    if (reply.paging) addPaging(headers, call, reply.paging)
    if (reply.body === undefined) {
      if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = 0
      response.writeHead(reply.status, headers).end()
      return 0
    }
    headers['content-type'] ??= jsonType
    const { bytes, etag } = payloadOf(reply.body)
    let payload = bytes
    if (operation.method === 'GET') {
      headers['etag'] = etag
      if (matchesEtag(call.headers['if-none-match'], etag)) {
        response.writeHead(304, headers).end()
        return 0
      }
    }
    if (options.gzip && payload.length >= minGzipBytes && acceptsGzip(call.headers['accept-encoding'])) {
      payload = await compress(payload)
      headers['content-encoding'] = 'gzip'
      headers['vary'] = headers['vary'] ? `${headers['vary']}, Accept-Encoding` : 'Accept-Encoding'
    }
    headers['content-length'] = payload.length
    response.writeHead(reply.status, headers)
    response.end(call.method === 'HEAD' ? undefined : payload)
    return payload.length
  }

  async function sendBytes(call: RequestCall, response: ServerResponse, reply: StreamReply<number>): Promise<number> {
    const { content } = reply
    const whole = typeof content === 'string' || Buffer.isBuffer(content)
    const headers: Record<string, string | number> = {
      'cache-control': apiHeaders['cache-control'],
      'x-content-type-options': 'nosniff',
      'x-request-id': call.id,
      ...call.replyHeaders,
      ...reply.headers,
      'content-type': reply.contentType,
    }
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
    response.writeHead(reply.status, headers)
    if (call.method === 'HEAD' || whole) {
      if (!whole) content.destroy()
      response.end(call.method === 'HEAD' ? undefined : content)
      return size ?? 0
    }
    response.flushHeaders()
    let sent = 0
    content.on('data', (chunk: Buffer) => (sent += chunk.length))
    await pipeline(content, response).catch((error: unknown) => {
      // A client that went away is no defect, nor is what was refused under way (a broken body); anything else is told. The
      // connection is cut, so nobody takes a part for the whole.
      if (!call.signal.aborted && !(error instanceof Refusal)) options.defect(error, call)
      response.destroy()
    })
    return sent
  }

  function addPaging(
    headers: Record<string, string | number>,
    call: RequestCall,
    { page, total, link }: NonNullable<Reply<number, unknown>['paging']>,
  ): void {
    headers['x-total-count'] = total
    let exposed = 'X-Total-Count'
    if (link) {
      const links = pageLinks(page, total).map(({ rel, number }) => {
        const query = new URLSearchParams(call.rawQuery)
        query.set('page', String(number))
        query.sort()
        return `<${options.siteUrl()}${call.url.split('?', 1)[0]?.slice(1)}?${query}>; rel="${rel}"`
      })
      if (links.length > 0) {
        headers['link'] = links.join(',')
        exposed = 'Link, X-Total-Count'
      }
    }
    headers['access-control-expose-headers'] = exposed
  }

  for (const operation of options.operations) register(app, operation)
  app.setNotFoundHandler((request, reply) => {
    reply.hijack()
    const id = requestIds()
    const path = (request.raw.url ?? '/').split('?', 1)[0] as string
    const allowed = [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
    if (allowed.includes('GET')) allowed.push('HEAD')
    const corsHeaders: Record<string, string> = {}
    if (
      request.method === 'OPTIONS' &&
      allowed.length > 0 &&
      preflight(options.cors, request.raw, reply.raw, allowed)
    ) {
      return
    }
    allowOrigin(options.cors, request.raw, corsHeaders)
    const form = path.startsWith('/api/') ? apiErrors : textErrors
    const refusal =
      allowed.length > 0
        ? new MethodNotAllowed(`the address has no method ${request.method}`)
        : new NotFound('there is nothing at this address', 'no_such_route')
    const headers = allowed.length > 0 ? { ...corsHeaders, allow: allowed.sort().join(', ') } : corsHeaders
    sendError(request.raw, reply.raw, id, refusal, form, headers)
  })

  return {
    async listen(at) {
      const server: Server = app.server
      server.headersTimeout = options.headersTimeoutMs
      server.keepAliveTimeout = 75_000
      server.maxConnections = options.maxConnections
      await app.ready()
      if ('socketPath' in at) {
        server.listen(at.socketPath)
        await once(server, 'listening')
        return at.socketPath
      }
      server.listen(at.port, at.host)
      await once(server, 'listening')
      return server.address() as AddressInfo
    },
    async close(deadlineMs) {
      const server: Server = app.server
      const closed = server.listening ? once(server, 'close') : Promise.resolve()
      server.close()
      server.closeIdleConnections()
      stop.abort(new Unavailable('the server is stopping', 'stopping'))
      const late = setTimeout(() => server.closeAllConnections(), deadlineMs)
      await Promise.allSettled(underWay)
      server.closeIdleConnections()
      server.closeAllConnections()
      await closed
      clearTimeout(late)
      await app.close()
    },
  }
}

/** Stands where the framework expects a compiler of schemas: no route declares one. */
const noCompiler = () => () => {
  throw new Error('operations decode and encode themselves')
}

/** Most bytes of a refused body that are read and dropped, so that the client comes to read the refusal. */
const maxPassedOverBytes = 16 * 1024 * 1024

/** Lets the rest of a body go by; when it is too much the connection is cut. */
function passOver(request: IncomingMessage): void {
  let passed = 0
  request.on('data', (chunk: Buffer) => {
    passed += chunk.length
    if (passed > maxPassedOverBytes) request.destroy()
  })
  request.resume()
}

/** What a client sees of a defect: no detail, which belongs into the log. */
class Defect extends Refusal {
  readonly status = 500
  constructor() {
    super('', 'internal_error')
  }
}

const rootsOf = (operation: Operation): readonly string[] =>
  operation.base === 'api' ? [apiRoot] : operation.base === 'vendor' ? vendorRoots : ['']

/** Values that a parameter between two fixed texts may have, so that it does not swallow dots that belong to the name. */
const paramPatterns: Readonly<Record<string, string>> = {
  diffType: '(^(?:diff|patch)$)',
  ball_type: '(^(?:zipball|tarball|bundle)$)',
}

/** The contract's path in the router's notation. */
function routePath(operation: Operation): string {
  return operation.path.replace(/\{([\w-]+)\}/g, (_, name: string) => `:${name}${paramPatterns[name] ?? ''}`)
}

function pathPattern(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .split(/(\{[\w-]+\}|\*$)/)
    .map((part) => {
      if (part === '*') return '.*'
      const name = /^\{([\w-]+)\}$/.exec(part)?.[1]
      if (name === undefined) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return paramPatterns[name]?.slice(2, -2) ?? '[^/]+'
    })
    .join('')
  return new RegExp(`^${source}/?$`)
}

/**
 * `go get` asks any address below a repository with `?go-get=1`, whatever else there is at it: one operation answers all.
 */
const goGetForm = /^(\/[^/?]+\/[^/?]+)(?:\/[^?]*)?\?(?:.*&)?go-get=1(?:&|$)/

/** Requests may carry the path of the public address, when the proxy in front does not take it off. */
function urlRules(subPath: string): { rewriteUrl: (request: { url?: string | undefined }) => string } {
  return {
    rewriteUrl(request) {
      const url = request.url ?? '/'
      if (subPath !== '' && (url === subPath || url.startsWith(`${subPath}/`) || url.startsWith(`${subPath}?`))) {
        const rest = url.slice(subPath.length)
        return forGoGet(rest.startsWith('/') ? rest : `/${rest}`)
      }
      return forGoGet(url)
    },
  }
}

function forGoGet(url: string): string {
  const repository = url.includes('go-get=1') && !url.startsWith('/api/') ? goGetForm.exec(url)?.[1] : undefined
  return repository === undefined ? url : `/-/go-get${repository}`
}

/** Ids of requests: a random text of this process and a counter. */
function requestIdSource(): () => string {
  const prefix = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}

/** True when an `If-None-Match` header names this entity tag, weakly compared (RFC 9110). */
export function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false
  const sent = Array.isArray(header) ? header.join(',') : header
  if (sent.trim() === '*') return true
  return sent.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}

const acceptsGzip = (header: string | string[] | undefined): boolean =>
  header !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(String(header))

/** In tests and development a reply that its schema does not describe is a defect. */
function checkReply(operation: NamedOperation, reply: Reply<number, unknown> | StreamReply<number>): void {
  const shape = operation.reply[reply.status]
  if (shape === undefined) throw new Error(`${operation.id}: status ${reply.status} is not declared`)
  if (typeof shape === 'string' || reply.kind === 'bytes') return
  const problem = firstProblem(shape, JSON.parse(JSON.stringify(reply.body)))
  if (problem) throw new Error(`${operation.id}: the reply does not fit its schema: ${problem.field} ${problem.reason}`)
}
