import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { BadRequest, type Refusal } from '../lib/errors.ts'
import { decodeBody, decodeParams, decodeQuery } from './decode.ts'
import type { Call, NamedOperation } from './operation.ts'

interface CallLimits {
  readonly maxBodyBytes: number
  readonly bodyIdleMs: number
}

const noQuery = new URLSearchParams()

/** One request; what costs something is done when it is first asked for. */
export class RequestCall implements Call {
  readonly replyHeaders: Record<string, string> = {}
  params: Readonly<Record<string, string | number>> = {}
  refusedCredential: Refusal | undefined
  readonly ip: string
  readonly #request: FastifyRequest
  readonly #response: ServerResponse
  readonly #limits: CallLimits
  readonly #stop: AbortSignal
  #query: Record<string, unknown> | undefined
  #rawQuery: URLSearchParams | undefined
  #decoded: Promise<unknown> | undefined
  #abort: AbortController | undefined
  #bodyTaken = false
  #finished = false
  #watchdog: NodeJS.Timeout | undefined

  constructor(
    readonly operation: NamedOperation,
    request: FastifyRequest,
    response: ServerResponse,
    readonly id: string,
    limits: CallLimits,
    stop: AbortSignal,
  ) {
    this.#request = request
    // Asked for now, since a connection that is gone has no address any more.
    this.ip = request.ip
    this.#response = response
    this.#limits = limits
    this.#stop = stop
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    return this.#request.raw.url ?? '/'
  }

  get headers(): Call['headers'] {
    return this.#request.raw.headers
  }

  get rawQuery(): URLSearchParams {
    if (!this.#rawQuery) {
      const start = this.url.indexOf('?')
      this.#rawQuery = start < 0 ? noQuery : new URLSearchParams(this.url.slice(start + 1))
    }
    return this.#rawQuery
  }

  get query(): Readonly<Record<string, unknown>> {
    this.#query ??= this.rawQuery.size === 0 ? {} : decodeQuery(this.operation.query, this.rawQuery)
    return this.#query
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
      if (this.#stop.aborted) abort.abort(this.#stop.reason)
      else this.#stop.addEventListener('abort', this.#stopped)
    }
    return this.#abort.signal
  }

  readonly #stopped = () => this.#abort?.abort(this.#stop.reason)

  decodeParams(raw: Readonly<Record<string, string>>): void {
    this.params = decodeParams(this.operation, raw)
  }

  /** The body as it arrives. A pause longer than the limit ends it with an error. */
  readonly body = (): Readable => {
    if (this.#bodyTaken) throw new Error('the body was taken already')
    this.#bodyTaken = true
    const { raw } = this.#request
    const { socket } = raw
    let seen = -1
    const look = () => {
      // Bytes that wait for us are our own slowness, not the client's.
      const isStalled = socket.bytesRead === seen && raw.readableLength === 0
      seen = socket.bytesRead
      if (raw.readableEnded || raw.destroyed) clearInterval(this.#watchdog)
      else if (isStalled) raw.destroy(new BadRequest('the body stopped arriving', 'body_timeout'))
    }
    this.#watchdog = setInterval(look, this.#limits.bodyIdleMs)
    this.#watchdog.unref()
    return raw
  }

  readonly decodedBody = (): Promise<unknown> => {
    this.#decoded ??= decodeBody(
      this.operation.body as TSchema,
      this.body(),
      this.#request.raw.headers['content-type'],
      this.operation.maxBodyBytes ?? this.#limits.maxBodyBytes,
      // Clients that send no body with a deletion put its fields into the query (contract, contents: DELETE).
      this.method === 'DELETE' ? this.rawQuery : undefined,
    )
    return this.#decoded
  }

  /** The answer is on its way: nothing of the request is waited for any more. */
  done(): void {
    this.#finished = true
    clearInterval(this.#watchdog)
    this.#stop.removeEventListener('abort', this.#stopped)
  }
}
