import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions as HttpServerOptions,
  type ServerResponse,
} from 'node:http'
import { chmod } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { withFullDisk } from '../lib/full-disk.ts'
import type { Admission } from '../admission/admission.ts'
import {
  AddressTooLong,
  BadRequest,
  Conflict,
  MethodNotAllowed,
  Moved,
  NotFound,
  Refusal,
  Unavailable,
} from '../lib/errors.ts'
import { RequestCall } from './call.ts'
import { addressBelowSite, isOfApi, splitUrl } from './request-address.ts'
import { clientAddresses, type ClientAddresses } from './client-address.ts'
import { answerClientErrors } from './client-errors.ts'
import { Connections } from './connections.ts'
import { allowOrigin, anyOrigin, preflight, type CorsOptions } from './cors.ts'
import { firstProblem } from './decode.ts'
import { apiErrors, textErrors, wantsPage, type ErrorForm, type RefusedCall, type Site } from './error-forms.ts'
import type { LastingAnswers } from './lasting-answers.ts'
import {
  isBytes,
  isJsonAs,
  isPage,
  type AnyRequirement,
  type Call,
  type NamedOperation,
  type RequestContext,
} from './operation.ts'
import { refuseNarrowing } from './narrowing.ts'
import type { Reply, StreamReply } from './reply.ts'
import { Pipelines } from './pipelines.ts'
import { isBrokenPipe, Responder } from './responder.ts'
import { routesOf } from './routes-of.ts'
import { SlowReaders } from './slow-readers.ts'
import { Router, type RouteMatch } from './router.ts'

/** A finished request, for the access log and metrics. */
export interface Answered {
  /** `none` for an unknown address or method, or a preflight request. */
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
  /** Authenticates the request and returns its context; an exception becomes the reply. */
  readonly admit: (call: Call) => Promise<RequestContext>
  /** Authenticates again during a lasting reply; an exception ends it. */
  readonly admitAgain: (call: Call) => Promise<RequestContext>
  /** Checks lasting replies. */
  readonly lastingAnswers: LastingAnswers
  /** Runs the work of a request in its asynchronous context. */
  readonly within: <Result>(call: Call, work: () => Promise<Result>) => Promise<Result>
  /** The public site; read on each use, since a free port is known late. */
  readonly site: () => Site
  /** Error form for browsers where programs get text. */
  readonly pageErrors: ErrorForm
  /** Path of the operation that answers browsers at addresses that no operation has; others get a refusal. */
  readonly unknownPath: string
  /** Path of ROOT_URL without its last slash, which a proxy may leave on requests; empty for none. */
  readonly subPath: string
  /** Addresses or networks of trusted proxies; empty for none. */
  readonly trustedProxies: readonly string[]
  /** Largest body that is decoded into fields, in bytes. */
  readonly maxBodyBytes: number
  /** The same where the fields hold files. */
  readonly maxFileBodyBytes: number
  /** Shared limits of requests. */
  readonly admission: Admission
  /** Period over which a body must arrive at `minBytesPerSecond`, in milliseconds. */
  readonly bodyIdleMs: number
  /** Timeout of the headers of a request, in milliseconds. */
  readonly headersTimeoutMs: number
  /** Maximum number of connections, a quarter of them from one address; excess ones get 503 and are closed. */
  readonly maxConnections: number
  /** Time that a client may read too slowly, in milliseconds. */
  readonly slowReaderMs: number
  /** Minimum rate of a client, in bytes per second. */
  readonly minBytesPerSecond: number
  readonly gzip: boolean
  readonly compressesPages: boolean
  /** Creates the server for protocols other than HTTP. */
  readonly createServer: ((options: HttpServerOptions, listener: RequestListener) => Server) | undefined
  readonly cors: CorsOptions | undefined
  /** Whether replies are checked against their schemas: in tests and development. */
  readonly validateReplies: boolean
  /** Receives every finished request. Must not throw. */
  readonly answered: ((facts: Answered) => void) | undefined
  /** Returns whether an error means that a concurrent request was first; the reply is 409 then. */
  readonly isLostRace: (error: unknown) => boolean
  /** Whether an error means that the database cannot be reached. */
  readonly isDatabaseAway: (error: unknown) => boolean
  /** Receives such errors, since repeated ones are a defect. Must not throw. */
  readonly raceLost: ServerOptions['defect']
  /** Receives exceptions that are not refusals. Must not throw. */
  readonly defect: (
    error: unknown,
    call: { readonly id: string; readonly method: string; readonly url: string },
  ) => void
}

/** Keep-alive timeout, in milliseconds. */
const keepAliveMs = 75_000

/** Maximum length of path and query. */
const maxTargetChars = 16 * 1024
/** Maximum bytes of request line and headers. */
const maxHeadBytes = 64 * 1024

/** A request id that a log line and a header can hold. */
const sentRequestId = /^[\w.:+/=@-]{1,128}$/

/** A router keeps nothing of requests: servers of a process with the same operations share it. */
const routers = new WeakMap<readonly NamedOperation[], Router<NamedOperation>>()

function routerOf(operations: readonly NamedOperation[]): Router<NamedOperation> {
  const known = routers.get(operations) ?? new Router(routesOf(operations))
  routers.set(operations, known)
  return known
}

/** The web server. */
export class ForgeServer {
  readonly #options: ServerOptions
  readonly #router: Router<NamedOperation>
  /** Paths without parameters that every origin may call. */
  readonly #openPaths: ReadonlySet<string>
  readonly #server: Server
  readonly #responder: Responder
  readonly #addresses: ClientAddresses
  readonly #connections: Connections
  readonly #stop = new AbortController()
  /** Whether it listens on a Unix socket; cached, since asking the socket is a system call. */
  #isLocal = false
  readonly #nextId = requestIds()
  /** Number of running requests; a stop waits for them. */
  #underWay = 0
  #allAnswered: (() => void) | undefined

  constructor(options: ServerOptions) {
    this.#options = options
    this.#router = routerOf(options.operations)
    this.#openPaths = new Set(options.operations.flatMap(({ anyOrigin: open, path }) => (open ? [path] : [])))
    this.#responder = new Responder(options, new SlowReaders(options.slowReaderMs, options.minBytesPerSecond))
    this.#addresses = clientAddresses(options.trustedProxies)
    const pipelines = new Pipelines()
    // Requests have no timeout, since pushes may be long; reading bodies limits pauses.
    this.#server = (options.createServer ?? createServer)(
      {
        requestTimeout: 0,
        headersTimeout: options.headersTimeoutMs,
        keepAliveTimeout: keepAliveMs,
        maxHeaderSize: maxHeadBytes,
      },
      (request, response) => pipelines.inTurn(request, response, () => this.#take(request, response)),
    )
    answerClientErrors(this.#server)
    this.#server.on('connection', () => options.admission.turns.accepted())
    this.#connections = new Connections(this.#server, options.maxConnections, (address) =>
      this.#addresses.isTrusted(address),
    )
  }

  /** Starts to listen; port 0 selects a free port. Returns the address. */
  async listen(
    at: { readonly host: string; readonly port: number } | { readonly socketPath: string; readonly mode: number },
  ): Promise<AddressInfo | string> {
    this.#isLocal = 'socketPath' in at
    if ('socketPath' in at) this.#server.listen(at.socketPath)
    else this.#server.listen(at.port, at.host)
    await once(this.#server, 'listening')
    if ('socketPath' in at) await chmod(at.socketPath, at.mode)
    return 'socketPath' in at ? at.socketPath : (this.#server.address() as AddressInfo)
  }

  /**
   * Stops: no new connections, requests under way may end within `deadlineMs`, then their connections are cut. Streams
   * that would go on for ever are told to end by their signal.
   */
  async close(deadlineMs: number): Promise<void> {
    const server = this.#server
    const closed = server.listening ? once(server, 'close') : Promise.resolve()
    server.close()
    server.closeIdleConnections()
    this.#stop.abort(stopping())
    const late = setTimeout(() => server.closeAllConnections(), deadlineMs)
    if (this.#underWay > 0) await new Promise<void>((done) => (this.#allAnswered = done))
    server.closeIdleConnections()
    server.closeAllConnections()
    await closed
    clearTimeout(late)
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const url = addressBelowSite(request.url ?? '/', this.#options.subPath)
    const refused: RefusedCall = {
      id: this.#idOf(request),
      method: request.method ?? 'GET',
      url,
      headers: request.headers,
      site: this.#options.site(),
      params: {},
    }
    const startedMs = performance.now()
    /** Requests without an operation are logged too: attackers probe unknown addresses. */
    const answered = (sizeBytes: number) =>
      this.#options.answered?.({
        operationId: 'none',
        requestId: refused.id,
        method: refused.method,
        url,
        ip: this.#addresses.of(request),
        status: response.statusCode,
        durationMs: performance.now() - startedMs,
        sizeBytes,
      })
    const refuse = (error: unknown, headers: Record<string, string> = {}) => {
      const form = isOfApi(url) || error instanceof BadRequest ? apiErrors : textErrors
      answered(this.#responder.sendError(request, response, refused, error, form, headers))
    }
    if (this.#stop.signal.aborted) return refuse(stopping(), { connection: 'close' })
    if (url.length > maxTargetChars) return refuse(new AddressTooLong(), { connection: 'close' })
    const { path, search } = splitUrl(url)
    try {
      const { method } = refused
      const match = this.#router.find(method === 'HEAD' ? 'GET' : method, path, search) ?? this.#unknown(refused, path)
      if (!match) {
        if (!this.#refuseUnknown(request, response, path, refuse)) answered(0)
        return
      }
      if (this.#connections.isTooMany(request.socket)) {
        if (match.target.cost !== 'vital') return refuse(tooManyConnections(), { connection: 'close' })
        response.setHeader('connection', 'close')
      }
      void this.#answer(match, refused, request, response)
    } catch (error) {
      if (!(error instanceof Refusal)) this.#options.defect(error, refused)
      refuse(error)
    }
  }

  /** Returns the request id that a trusted proxy sends, so that its log names the same one, or a new id. */
  #idOf(request: IncomingMessage): string {
    const sent = request.headers['x-request-id']
    const isKept =
      typeof sent === 'string' && sentRequestId.test(sent) && this.#addresses.isFromProxy(request, this.#isLocal)
    return isKept ? sent : this.#nextId()
  }

  /** Returns the operation for browsers at an address that no operation has. */
  #unknown(call: RefusedCall, path: string): RouteMatch<NamedOperation> | undefined {
    if (call.method !== 'GET' || isOfApi(call.url) || !wantsPage(call)) return undefined
    return this.#router.methodsAt(path).length > 0 ? undefined : this.#router.find('GET', this.#options.unknownPath, '')
  }

  /**
   * An address that nothing answers at, or not by this method; or a browser's question whether it may ask. The address of
   * a form leads to its page.
   * @returns false for the question, which is answered and refuses nothing
   */
  #refuseUnknown(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    refuse: (error: Refusal | Moved, headers: Record<string, string>) => void,
  ): boolean {
    const allowed = this.#router.methodsAt(path)
    if (allowed.includes('GET')) allowed.push('HEAD')
    const cors = this.#openPaths.has(path) ? anyOrigin : this.#options.cors
    const isKnown = allowed.length > 0
    if (request.method === 'OPTIONS' && isKnown && preflight(cors, request, response)) return false
    const headers: Record<string, string> = {}
    allowOrigin(cors, request, headers)
    const page = request.method === 'GET' && isKnown ? this.#pageAbove(path) : undefined
    if (page !== undefined) {
      refuse(new Moved(303, page), headers)
    } else if (isKnown) {
      headers['allow'] = allowed.toSorted().join(', ')
      refuse(new MethodNotAllowed(`the address has no method ${request.method}`), headers)
    } else {
      refuse(new NotFound('there is nothing at this address', 'no_such_route'), headers)
    }
    return true
  }

  /**
   * Returns the address of the nearest page above an address that takes a form only. People ask for it when they reload
   * a page that showed their form again, and after signing in on the way.
   */
  #pageAbove(path: string): string | undefined {
    const isOfPages = (method: string, at: string) => {
      const found = this.#router.find(method, at, '')?.target
      return found !== undefined && isPage(found)
    }
    if (!isOfPages('POST', path)) return undefined
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end)
      if (isOfPages('GET', above)) return above
    }
    return '/'
  }

  async #answer(
    { target: operation, params }: RouteMatch<NamedOperation>,
    { id, url, site }: RefusedCall,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const startedMs = performance.now()
    const call = new RequestCall({
      operation,
      request,
      response,
      id,
      url,
      site,
      // Read now: a closed connection has no address.
      ip: this.#addresses.of(request),
      isFromProxy: this.#addresses.isFromProxy(request, this.#isLocal),
      limits: this.#options,
      admission: this.#options.admission,
      stop: this.#stop.signal,
    })
    allowOrigin(operation.anyOrigin ? anyOrigin : this.#options.cors, request, call.replyHeaders)
    let sizeBytes = 0
    this.#underWay++
    try {
      call.decodeParams(params)
      const reply = await this.#options.within(call, () => this.#run(call))
      if (this.#options.validateReplies) checkReply(operation, reply)
      sizeBytes = await this.#responder.send(call, response, reply)
    } catch (thrown) {
      const error = this.#refusalFor(withFullDisk(thrown), call)
      const isGone = call.signal.aborted || (response.headersSent && isBrokenPipe(error))
      if (!(error instanceof Refusal) && !(error instanceof Moved) && !isGone) {
        this.#options.defect(error, call)
      }
      sizeBytes = this.#responder.sendError(request, response, call, error, operation.errors, {
        ...call.replyHeaders,
        ...(call.cookies.length > 0 ? { 'set-cookie': call.cookies } : {}),
      })
    } finally {
      call.done()
      if (--this.#underWay === 0) this.#allAnswered?.()
      this.#options.answered?.({
        operationId: operation.id,
        requestId: id,
        method: call.method,
        url,
        ip: call.ip,
        status: response.statusCode,
        durationMs: performance.now() - startedMs,
        sizeBytes,
      })
    }
  }

  /** A lost race is a conflict, not a defect. */
  #refusalFor(error: unknown, call: Call): unknown {
    if (this.#options.isDatabaseAway(error)) {
      return new Unavailable('the database does not answer; try again', 'database_away', { retryAfterSeconds: 2 })
    }
    if (!this.#options.isLostRace(error)) return error
    this.#options.raceLost(error, call)
    return new Conflict('what this is about was changed or deleted meanwhile; look again', 'changed_meanwhile')
  }

  /** Authenticates, then checks the requirements in order, then runs the operation. */
  async #run(call: RequestCall): Promise<Reply<number, unknown> | StreamReply<number>> {
    const { operation } = call
    const ctx = await this.#options.admit(call)
    // A refusal waits for its turn as well: clients that ask again at once would otherwise keep the loop busy.
    const turn = call.takeTurn()
    if (turn) await turn
    call.enter()
    try {
      await this.#require(call, ctx)
    } catch (error) {
      const reply = error instanceof Refusal ? await operation.afterRefusal?.(error, call) : undefined
      if (reply === undefined) throw error
      return reply
    }
    refuseNarrowing(call)
    if (operation.lasts) this.#guard(call, ctx)
    if (operation.cost === 'expensive') {
      const claim = call.takeSlot()
      if (claim) await claim
    }
    const reply = await operation.run({
      ctx,
      params: call.params,
      query: call.query,
      body: operation.body === undefined || isBytes(operation.body) ? undefined : await call.decodedBody(),
      call,
    })
    call.throwIfEnded()
    return reply
  }

  /** Checks the requirements in order; each adds its findings to the context. */
  async #require(call: RequestCall, ctx: RequestContext): Promise<void> {
    const { operation } = call
    for (const [index, requirement] of operation.requires.entries()) {
      try {
        const added = requirement.check(ctx, call, ctx.ahead?.[index]) as object | Promise<object>
        Object.assign(ctx, 'then' in added ? await added : added)
      } catch (error) {
        if (this.#options.validateReplies) checkRefusal(operation, requirement, error)
        throw error
      }
    }
  }

  /** Rechecks credential and rights until the reply is sent. */
  #guard(call: RequestCall, ctx: RequestContext): void {
    const check = async () => this.#require(call, await this.#options.admitAgain(call))
    call.guardedBy(() => this.#options.lastingAnswers.register({ call, ctx, check, end: (reason) => call.end(reason) }))
  }
}

const tooManyConnections = () =>
  new Unavailable('too many connections are open; try again', 'connections_busy', { retryAfterSeconds: 5 })

const stopping = () => new Unavailable('the server is stopping', 'stopping')

/** Returns a generator of request ids: a random prefix of this process and a counter. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('base64url')
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}

/** In tests and development a refusal with a status that its requirement does not declare is a defect. */
function checkRefusal(operation: NamedOperation, { codes, refuses }: AnyRequirement, error: unknown): void {
  if (!(error instanceof Refusal) || refuses.includes(error.status)) return
  // Load and haste are no matter of one requirement: credentials that were not looked at now come up in the first that asks.
  if (error.status >= 500 || error.status === 429) return
  throw new Error(`${operation.id}: ${codes.join(' ')} refuses with ${error.status}, which it does not declare`, {
    cause: error,
  })
}

/** In tests and development a reply that its schema does not describe is a defect. */
function checkReply(operation: NamedOperation, reply: Reply<number, unknown> | StreamReply<number>): void {
  const shape = operation.reply[reply.status]
  if (shape === undefined) throw new Error(`${operation.id}: status ${reply.status} is not declared`)
  if (isBytes(shape) !== (reply.kind === 'bytes')) throw new Error(`${operation.id}: the reply is not what it declares`)
  if (reply.kind === 'bytes') {
    if (isBytes(shape)) checkMediaType(operation, shape.mediaTypes, reply.contentType)
    return
  }
  if (shape === 'empty' || isBytes(shape)) return
  const problem = firstProblem(isJsonAs(shape) ? shape.schema : shape, JSON.parse(JSON.stringify(reply.body)))
  if (problem) throw new Error(`${operation.id}: the reply does not fit its schema: ${problem.field} ${problem.reason}`)
}

function checkMediaType(operation: NamedOperation, declared: readonly string[], contentType: string): void {
  const [type = ''] = contentType.split(';')
  const fits = declared.some((each) => each === '*/*' || each === type.trim())
  if (!fits) throw new Error(`${operation.id}: the reply is ${contentType}, which it does not declare`)
}
