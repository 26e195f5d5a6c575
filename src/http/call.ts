import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Admission } from '../admission/admission.ts'
import { aboutRepository, type Claim } from '../admission/claim.ts'
import type { Release } from '../admission/slots.ts'
import type { Turn } from '../admission/turns.ts'
import { BadRequest, bodyTooLarge } from '../lib/errors.ts'
import { withUtf8Escapes } from '../lib/file-names.ts'
import { asFleeting } from '../lib/fleeting.ts'
import { shareOfAddress } from './client-address.ts'
import { readBytes, decodeBody, decodeParams, decodeQuery } from './decode.ts'
import type { Site } from './error-forms.ts'
import { isBytes, type Call, type NamedOperation } from './operation.ts'

interface CallLimits {
  /** Largest body that is decoded into fields, in bytes. */
  readonly maxBodyBytes: number
  /** The same where its fields hold files. */
  readonly maxFileBodyBytes: number
  /** Period over which a body must arrive at the minimum rate, in bytes per second. */
  readonly bodyIdleMs: number
  readonly minBytesPerSecond: number
}

const noQuery = new URLSearchParams()

/**
 * The parameters of a query. Names of files in them may have bytes that are not UTF-8. A parameter with a zero byte, which no
 * text of ours can hold, is refused and not taken for absent: an administrator who asks as somebody (`sudo`) would be answered as themselves.
 */
function readQuery(text: string): URLSearchParams {
  const query = new URLSearchParams(withUtf8Escapes(text))
  if (text.includes('%00') && [...query].some(([name, value]) => name.includes('\0') || value.includes('\0'))) {
    throw new BadRequest('a parameter of the query holds a zero byte', 'zero_byte')
  }
  return query
}

/** Maximum size of a form of a page, or of any body outside the API without its own limit, in bytes. */
const maxPageFormBytes = 64 * 1024

/** The parts of a call. */
export interface CallParts {
  readonly operation: NamedOperation
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** Path and query below the site root. */
  readonly url: string
  readonly ip: string
  readonly isFromProxy: boolean
  readonly site: Site
  readonly limits: CallLimits
  readonly admission: Admission
  /** Ends when the server stops. */
  readonly stop: AbortSignal
}

/** One request; expensive parts are computed on first use. */
export class RequestCall implements Call {
  readonly operation: NamedOperation
  readonly id: string
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly isFromProxy: boolean
  claim: Claim
  readonly site: Site
  readonly headers: Call['headers']
  readonly replyHeaders: Record<string, string> = {}
  readonly cookies: string[] = []
  params: Readonly<Record<string, string | number>> = {}
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #limits: CallLimits
  readonly #admission: Admission
  #heldBytes = 0
  /** The claim that holds the bytes: the caller may be identified while they arrive. */
  #heldBy: Claim
  /** The claim under which the request is counted. */
  #entered: Claim | undefined
  #release: Release | undefined
  #turn: Turn | undefined
  readonly #stop: AbortSignal
  #query: Record<string, unknown> | undefined
  #rawQuery: URLSearchParams | undefined
  #decoded: Promise<unknown> | undefined
  #abort: AbortController | undefined
  #stopped: (() => void) | undefined
  #bodyTaken = false
  #finished = false
  #refusal: unknown
  #unguard: (() => void) | undefined
  #watchdog: NodeJS.Timeout | undefined

  constructor(parts: CallParts) {
    this.operation = parts.operation
    this.id = parts.id
    this.url = parts.url
    this.ip = parts.ip
    this.isFromProxy = parts.isFromProxy
    this.site = parts.site
    this.method = parts.request.method ?? 'GET'
    this.headers = parts.request.headers
    this.#request = parts.request
    this.#response = parts.response
    this.#limits = parts.limits
    this.#admission = parts.admission
    this.claim = { viewer: undefined, isAdmin: false, address: shareOfAddress(parts.ip), repository: undefined }
    this.#heldBy = this.claim
    this.#stop = parts.stop
  }

  get rawQuery(): URLSearchParams {
    if (!this.#rawQuery) {
      const start = this.url.indexOf('?')
      this.#rawQuery = start < 0 ? noQuery : readQuery(this.url.slice(start + 1))
    }
    return this.#rawQuery
  }

  get query(): Readonly<Record<string, unknown>> {
    this.#query ??= this.rawQuery.size === 0 ? {} : decodeQuery(this.operation.query, this.rawQuery)
    return this.#query
  }

  get stopping(): AbortSignal {
    return this.#stop
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = new AbortController()
      this.#abort = abort
      const end = () => {
        if (!this.#finished) abort.abort()
      }
      if (this.#response.destroyed && !this.#response.writableFinished) abort.abort()
      else this.#response.once('close', end)
      // Other requests may end: `Server.close` cuts their connections at its deadline.
      if (this.operation.lasts) {
        this.#stopped = () => abort.abort(this.#stop.reason)
        if (this.#stop.aborted) this.#stopped()
        else this.#stop.addEventListener('abort', this.#stopped)
      }
    }
    return this.#abort.signal
  }

  /** Registers the checks of a lasting answer. @param guard starts the checks and returns a function that stops them */
  guardedBy(guard: () => () => void): void {
    this.#unguard = guard()
  }

  /** Ends a running reply that is refused by now. */
  end(refusal: unknown): void {
    if (this.#finished) return
    this.#refusal ??= refusal
    void this.signal
    this.#abort?.abort(refusal)
  }

  /** Throws the reason for which the reply was ended. */
  throwIfEnded(): void {
    if (this.#refusal !== undefined) throw this.#refusal
  }

  /** Decodes path and query parameters; malformed ones are refused before authentication. */
  decodeParams(raw: Readonly<Record<string, string>>): void {
    this.params = decodeParams(this.operation.params, raw)
    if (this.url.includes('%00')) void this.rawQuery
  }

  /**
   * The body as it arrives. One that comes too slowly, or not any more, ends with an error. Throws BadRequest when the client is gone
   * before anybody reads.
   */
  body(): Readable {
    if (this.#bodyTaken) throw new Error('the body was taken already')
    this.#bodyTaken = true
    const raw = this.#request
    // An ended stream emits no further event, so a waiting reader would hang.
    if (raw.destroyed) throw new BadRequest('the body ended early', 'body_incomplete')
    const { socket } = raw
    const { bodyIdleMs, minBytesPerSecond } = this.#limits
    const minBytes = Math.max(1, (minBytesPerSecond * bodyIdleMs) / 1000)
    let seen = socket.bytesRead
    const look = () => {
      // Buffered bytes mean that the server is slow, not the client.
      const isStalled = socket.bytesRead - seen < minBytes && raw.readableLength === 0
      seen = socket.bytesRead
      if (raw.complete || raw.destroyed) clearInterval(this.#watchdog)
      else if (isStalled) raw.destroy(new BadRequest('the body stopped arriving', 'body_timeout'))
    }
    this.#watchdog = setInterval(look, bodyIdleMs)
    this.#watchdog.unref()
    return asFleeting(raw)
  }

  decodedBody(): Promise<unknown> {
    const { body: schema } = this.operation
    if (schema === undefined || isBytes(schema)) throw new Error('the operation declares no body to decode')
    this.#decoded ??= decodeBody(
      schema,
      {
        content: this.#bufferedBody(this.#maxBodyBytes),
        contentType: this.#request.headers['content-type'],
        maxBytes: this.#maxBodyBytes,
        held: this.#held,
      },
      // Clients that send DELETE without a body put its fields into the query (contract, contents: DELETE).
      this.method === 'DELETE' ? this.rawQuery : undefined,
    )
    return this.#decoded
  }

  wholeBody(): Promise<Buffer> {
    const maxBytes = this.#maxBodyBytes
    return readBytes(this.#bufferedBody(maxBytes), maxBytes, (chunk) => this.#held(chunk.length))
  }

  get #maxBodyBytes(): number {
    const { base, carriesFiles, maxBodyBytes } = this.operation
    if (maxBodyBytes !== undefined) return maxBodyBytes
    if (carriesFiles) return this.#limits.maxFileBodyBytes
    return base === 'site' ? Math.min(maxPageFormBytes, this.#limits.maxBodyBytes) : this.#limits.maxBodyBytes
  }

  /** Returns the body for buffering; refuses by `Content-Length` first. */
  #bufferedBody(maxBytes: number): Readable {
    if (Number(this.#request.headers['content-length'] ?? 0) > maxBytes) {
      throw bodyTooLarge(maxBytes)
    }
    return this.body()
  }

  holds(bytes: number): void {
    this.#held(bytes)
  }

  readonly #held = (bytes: number): void => {
    // Bytes that arrive after the reply started are not counted.
    if (this.#finished) return
    if (this.#heldBytes === 0) this.#heldBy = this.claim
    this.#admission.bytes.take(this.#heldBy, bytes)
    this.#heldBytes += bytes
  }

  /**
   * Charges the bytes of an answer in memory to the client until they are sent. Returns a function that releases them.
   * The answer of a request that made a change is never refused.
   * @throws Unavailable when the budget is exhausted
   */
  sends(bytes: number): () => void {
    const { bytes: budget } = this.#admission
    const { claim } = this
    // A reply larger than a share is sent alone: it is already in memory.
    const counted = Math.min(bytes, budget.largest)
    if (this.operation.writes) budget.add(claim, counted)
    else budget.take(claim, counted)
    let isHeld = true
    return () => {
      if (isHeld) budget.release(claim, counted)
      isHeld = false
    }
  }

  /**
   * Counts the request once its caller is known.
   * @throws Unavailable when there are too many
   */
  enter(): void {
    const { cost, writes } = this.operation
    if (cost === 'vital' || cost === 'waiting') return
    this.#admission.requests.enter(this.claim, writes)
    this.#entered = this.claim
  }

  /**
   * Takes a turn on the main thread, which the request holds until its end.
   * @throws Unavailable; the signal's reason when the client leaves while it waits
   */
  takeTurn(): void | Promise<void> {
    const { turns } = this.#admission
    // Health checks and sign-in do not wait behind other requests of their address.
    const { address } = this.claim
    const claim = this.operation.cost === 'vital' ? { ...this.claim, address: `vital ${address}` } : this.claim
    this.#turn = turns.tryTake(claim)
    if (this.#turn) return
    return turns.take(claim).then((turn) => {
      this.#turn = turn
      this.signal.throwIfAborted()
    })
  }

  takeSlot(): void | Promise<void> {
    if (this.#release) return
    const { expensive } = this.#admission
    const { username, reponame } = this.params
    const claim =
      reponame === undefined ? this.claim : aboutRepository(this.claim, `${username}/${reponame}`.toLowerCase())
    this.#release = expensive.tryTake(claim)
    if (this.#release) return
    return expensive.take(claim, this.signal).then((release) => {
      if (this.#finished) release()
      else this.#release = release
    })
  }

  /** The reply has started: releases everything that the request holds. */
  done(): void {
    this.#finished = true
    this.#unguard?.()
    this.#admission.bytes.release(this.#heldBy, this.#heldBytes)
    this.#heldBytes = 0
    if (this.#entered) this.#admission.requests.leave(this.#entered, this.operation.writes)
    this.#entered = undefined
    this.#release?.()
    this.#turn?.end()
    if (this.#watchdog) clearInterval(this.#watchdog)
    if (this.#stopped) this.#stop.removeEventListener('abort', this.#stopped)
  }
}
