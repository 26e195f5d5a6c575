import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { type Readable, Transform } from 'node:stream'
import { Agent, buildConnector, type Dispatcher, ProxyAgent, request as send } from 'undici'
import { causesOf } from '../lib/causes.ts'
import { type ConcurrencyLimit, createConcurrencyLimit } from '../lib/concurrency-limit.ts'
import type { HostRules } from './host-rules.ts'
import { OutgoingError } from './outgoing-error.ts'

export interface OutgoingOptions {
  readonly rules: HostRules
  /** Timeout of a request, until the last byte of the response. */
  readonly timeoutMs: number
  /** Maximum size of a response. */
  readonly maxBodyBytes: number
  /** Maximum number of concurrent requests; ten times as many may wait. */
  readonly maxConnections: number
  /** Whether certificates are not verified. */
  readonly skipTlsVerify?: boolean
  /** An HTTP proxy for the listed hosts (globs; empty is all). Only this process checks the addresses then. */
  readonly proxy?: { readonly url: string; readonly usesFor: (host: string) => boolean }
  readonly userAgent?: string
  /** Resolves a name; the default is the resolver of the system. */
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>
}

export interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  /** A stream cannot be sent twice, so a redirect that needs its body fails. */
  readonly body?: string | Buffer | Readable
  readonly timeoutMs?: number
  readonly maxBodyBytes?: number
  /** Maximum number of redirects, each checked like the first URL; 0, the default, returns the redirect. */
  readonly maxRedirects?: number
  /** For a response that is too large: `cut` truncates it, `fail`, the default, throws. */
  readonly whenTooLarge?: 'fail' | 'cut'
  readonly signal?: AbortSignal
}

export interface OutgoingReply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The final URL after redirects. */
  readonly url: string
}

/** Sends requests to allowed addresses of other servers. */
export interface Outgoing {
  /** Sends a request and reads the response. Throws OutgoingError. */
  request(
    url: string,
    request?: OutgoingRequest,
  ): Promise<OutgoingReply & { readonly body: Buffer; readonly isCut: boolean }>
  /**
   * Sends a request and returns the response as a stream, which fails beyond `maxBodyBytes` and must be read or destroyed.
   * Throws OutgoingError.
   */
  stream(url: string, request?: OutgoingRequest): Promise<OutgoingReply & { readonly body: Readable }>
  /** Returns the allowed addresses of a URL's host, for programs with their own connections. Throws OutgoingError. */
  resolve(url: string): Promise<{ readonly host: string; readonly port: number; readonly addresses: readonly string[] }>
  close(): Promise<void>
}

const connectTimeoutMs = 10_000
const keepAliveMs = 10_000

/**
 * Creates the client. It resolves a name once per connection and connects to the checked address, which prevents DNS
 * rebinding. It ignores proxies of the environment.
 */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  return new GuardedClient(options)
}

class GuardedClient implements Outgoing {
  readonly #options: OutgoingOptions
  readonly #guard: AddressGuard
  readonly #direct: Agent
  readonly #proxied: ProxyAgent | undefined
  readonly #limit: ConcurrencyLimit

  constructor(options: OutgoingOptions) {
    const tls = { rejectUnauthorized: options.skipTlsVerify !== true }
    this.#options = options
    this.#guard = new AddressGuard(options.rules, options.resolve)
    this.#direct = directAgent(this.#guard, tls, options.maxConnections)
    this.#proxied = options.proxy && new ProxyAgent({ uri: options.proxy.url, requestTls: tls, proxyTunnel: true })
    this.#limit = createConcurrencyLimit({
      running: options.maxConnections,
      waiting: options.maxConnections * 10,
      refusal: () => new OutgoingError('busy', 'too many requests to other servers are waiting'),
    })
  }

  async request(
    url: string,
    request: OutgoingRequest = {},
  ): Promise<OutgoingReply & { readonly body: Buffer; readonly isCut: boolean }> {
    const signal = this.#signalOf(request)
    try {
      return await this.#limit.run(async () => {
        const done = await this.#exchange(url, request, signal)
        const { body, isCut } = await readBody(done.reply, this.#maxBytes(request), request.whenTooLarge ?? 'fail')
        return { ...toReply(done), body, isCut }
      }, signal)
    } catch (error) {
      throw toOutgoingError(error, request.signal)
    }
  }

  async stream(url: string, request: OutgoingRequest = {}): Promise<OutgoingReply & { readonly body: Readable }> {
    const signal = this.#signalOf(request)
    try {
      // The slot is held until the end of the stream.
      return await new Promise<OutgoingReply & { readonly body: Readable }>((resolve, reject) => {
        this.#limit
          .run(async () => {
            const done = await this.#exchange(url, request, signal)
            const body = limitedStream(done.reply, this.#maxBytes(request), request.signal)
            resolve({ ...toReply(done), body })
            await new Promise<void>((ended) => body.once('close', ended))
          }, signal)
          .catch(reject)
      })
    } catch (error) {
      throw toOutgoingError(error, request.signal)
    }
  }

  async resolve(given: string): Promise<{ host: string; port: number; addresses: readonly string[] }> {
    const url = parseUrl(given)
    const host = bareHost(url)
    const addresses = await this.#guard.allowedAddresses(host)
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
    return { host, port, addresses: addresses.map(({ address }) => address) }
  }

  async close(): Promise<void> {
    await Promise.all([this.#direct.destroy(), this.#proxied?.destroy()])
  }

  /** Sends a request and follows redirects; the caller must read the last body before `signal` ends it. */
  async #exchange(given: string, request: OutgoingRequest, signal: AbortSignal): Promise<Exchange> {
    let next: NextRequest = {
      url: parseUrl(given),
      method: request.method ?? 'GET',
      headers: withOwnHeaders(lowerCaseNames(request.headers ?? {}), this.#options.userAgent),
      body: request.body,
    }
    const maxRedirects = request.maxRedirects ?? 0
    for (let hop = 0; ; hop++) {
      const reply = await this.#send(next, signal)
      const location = redirectOf(reply)
      if (location === undefined || maxRedirects === 0) return { reply, url: withoutUser(next.url).href }
      // The body of a redirect is not needed; a long one is not awaited.
      await reply.body.dump({ limit: 16_384, signal })
      if (hop >= maxRedirects) {
        throw new OutgoingError('too_many_redirects', `more than ${maxRedirects} redirects`)
      }
      next = redirected(next, reply.statusCode, location)
    }
  }

  async #send({ url, method, headers, body }: NextRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return send(withoutUser(url), {
      method,
      headers: withUser(headers, url),
      body: body ?? null,
      dispatcher: await this.#dispatcherFor(bareHost(url)),
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  async #dispatcherFor(host: string): Promise<Dispatcher> {
    if (this.#proxied === undefined || this.#options.proxy?.usesFor(host) !== true) return this.#direct
    await this.#guard.allowedAddresses(host)
    return this.#proxied
  }

  #maxBytes(request: OutgoingRequest): number {
    return request.maxBodyBytes ?? this.#options.maxBodyBytes
  }

  #signalOf(request: OutgoingRequest): AbortSignal {
    const deadline = AbortSignal.timeout(request.timeoutMs ?? this.#options.timeoutMs)
    return request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal])
  }
}

/** Resolves names to allowed addresses. */
class AddressGuard {
  readonly #rules: HostRules
  readonly #find: (host: string) => Promise<readonly ResolvedAddress[]>

  constructor(rules: HostRules, find: OutgoingOptions['resolve']) {
    this.#rules = rules
    this.#find = find ?? ((host) => lookup(host, { all: true }))
  }

  /** Throws OutgoingError without an allowed address. */
  async allowedAddresses(host: string): Promise<readonly ResolvedAddress[]> {
    const family = isIP(host)
    const found = family === 0 ? await this.#findOrThrow(host) : [{ address: host, family }]
    const allowed = found.filter(({ address }) => this.#rules.allows(host, address))
    if (allowed.length === 0) throw refusedAddress(host)
    return allowed
  }

  allowsLiteral(host: string): boolean {
    return isIP(host) === 0 || this.#rules.allows(host, host)
  }

  /** The lookup of the system, without the addresses that are not allowed. */
  readonly lookup: LookupFunction = (host, { all }, callback) => void this.#answer(host, all === true, callback)

  async #answer(host: string, wantsAll: boolean, answer: Parameters<LookupFunction>[2]): Promise<void> {
    try {
      const addresses = await this.allowedAddresses(host)
      if (wantsAll) answer(null, [...addresses])
      else answer(null, addresses[0]?.address ?? '', addresses[0]?.family)
    } catch (error) {
      answer(toOutgoingError(error, undefined), '')
    }
  }

  async #findOrThrow(host: string): Promise<readonly ResolvedAddress[]> {
    try {
      const found = await this.#find(host)
      if (found.length > 0) return found
    } catch (error) {
      throw new OutgoingError('unknown_host', `${host} cannot be resolved`, { cause: error })
    }
    throw new OutgoingError('unknown_host', `${host} has no address`)
  }
}

/** Direct connections, each to a checked address. */
function directAgent(guard: AddressGuard, tls: { rejectUnauthorized: boolean }, maxConnections: number): Agent {
  const connect = buildConnector({ ...tls, lookup: guard.lookup, allowH2: false, timeout: connectTimeoutMs })
  return new Agent({
    connect: (target, callback) => {
      // The system does not look up a host that is an address, so it is checked here.
      if (guard.allowsLiteral(target.hostname)) connect(target, callback)
      else callback(refusedAddress(target.hostname), null)
    },
    connections: maxConnections,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxOrigins: 1024,
  })
}

const refusedAddress = (host: string): OutgoingError =>
  new OutgoingError('refused_address', `connections to ${host} are not allowed`)

/** A request to a URL or to the target of a redirect. */
interface NextRequest {
  readonly url: URL
  readonly method: NonNullable<OutgoingRequest['method']>
  readonly headers: Readonly<Record<string, string>>
  readonly body: OutgoingRequest['body']
}

/** Returns the request to the target of a redirect. */
function redirected(last: NextRequest, status: number, location: string): NextRequest {
  const url = parseUrl(location, last.url)
  if (last.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutgoingError('bad_url', 'a redirect leads from https to http')
  }
  const isSameOrigin = url.origin === last.url.origin
  const headers = isSameOrigin ? last.headers : withoutHeaders(last.headers, ['authorization', 'cookie'])
  // Fetch standard: 303, and 301 and 302 after a POST, continue as GET without a body.
  if ((status === 303 && last.method !== 'HEAD') || (status < 303 && last.method === 'POST')) {
    const ofBody = ['content-type', 'content-length', 'content-encoding']
    return { url, method: 'GET', headers: withoutHeaders(headers, ofBody), body: undefined }
  }
  if (last.body !== undefined && typeof last.body !== 'string' && !Buffer.isBuffer(last.body)) {
    throw new OutgoingError('network', 'a redirect asks for the body again')
  }
  return { ...last, url, headers }
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

interface Exchange {
  readonly reply: Dispatcher.ResponseData
  readonly url: string
}

const toReply = ({ reply, url }: Exchange): OutgoingReply => ({ status: reply.statusCode, headers: reply.headers, url })

function parseUrl(text: string, base?: URL): URL {
  // The parser normalizes other notations of an address (decimal, octal, hexadecimal).
  const url = URL.parse(text, base?.href)
  if (url === null) throw new OutgoingError('bad_url', 'this is no URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutgoingError('bad_url', 'only http and https URLs can be requested')
  }
  return url
}

function withoutUser(url: URL): URL {
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  bare.hash = ''
  return bare
}

/** Credentials in a URL become Basic authentication, unless the caller sets Authorization. */
function withUser(headers: Readonly<Record<string, string>>, url: URL): Record<string, string> {
  if (url.username === '' || headers['authorization'] !== undefined) return { ...headers }
  const user = Buffer.from(`${decode(url.username)}:${decode(url.password)}`)
  return { ...headers, authorization: `Basic ${user.toString('base64')}` }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    throw new OutgoingError('bad_url', 'the user in this URL is not escaped well', { cause: error })
  }
}

const withOwnHeaders = (headers: Record<string, string>, userAgent: string | undefined): Record<string, string> => ({
  ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
  ...headers,
})

const lowerCaseNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const withoutHeaders = (headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

function redirectOf(reply: Dispatcher.ResponseData): string | undefined {
  const { location } = reply.headers
  return [301, 302, 303, 307, 308].includes(reply.statusCode) && typeof location === 'string' ? location : undefined
}

const tooLarge = (maxBytes: number): OutgoingError =>
  new OutgoingError('too_large', `the answer is larger than ${maxBytes} bytes`)

async function readBody(
  reply: Dispatcher.ResponseData,
  maxBytes: number,
  whenTooLarge: 'fail' | 'cut',
): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of reply.body) {
    const bytes: Buffer = chunk
    const room = maxBytes - sizeBytes
    sizeBytes += bytes.length
    chunks.push(bytes.length > room ? bytes.subarray(0, room) : bytes)
    if (sizeBytes <= maxBytes) continue
    reply.body.destroy()
    if (whenTooLarge === 'fail') throw tooLarge(maxBytes)
    return { body: Buffer.concat(chunks), isCut: true }
  }
  return { body: Buffer.concat(chunks), isCut: false }
}

function limitedStream(reply: Dispatcher.ResponseData, maxBytes: number, signal: AbortSignal | undefined): Readable {
  let sizeBytes = 0
  const limited = new Transform({
    transform: (chunk: Buffer, _, done) => {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  reply.body.on('error', (error) => limited.destroy(toOutgoingError(error, signal)))
  limited.once('close', () => reply.body.destroy())
  return reply.body.pipe(limited)
}

/** Returns our own error inside an error of the client, or wraps the others. */
function toOutgoingError(error: unknown, callerSignal: AbortSignal | undefined): OutgoingError {
  const chain = causesOf(error)
  const own = chain.find((cause) => cause instanceof OutgoingError)
  if (own !== undefined) return own
  if (callerSignal?.aborted === true) return new OutgoingError('aborted', 'the request was given up', { cause: error })
  const names = chain.map((cause) => (Error.isError(cause) ? cause.name : ''))
  if (names.some((name) => name === 'TimeoutError' || name.endsWith('TimeoutError'))) {
    return new OutgoingError('timeout', 'the request took too long', { cause: error })
  }
  const last = chain.at(-1)
  const code = Error.isError(last) && 'code' in last ? String(last.code) : ''
  const message = Error.isError(last) ? last.message : String(last)
  return new OutgoingError('network', message === '' ? code : message, { cause: error })
}
