import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseSizedJson } from '../../http/json-size.ts'
import type { Outgoing, OutgoingReply } from '../../outgoing/outgoing.ts'
import { AskAgainLater, SourceProblem } from './source-problem.ts'

/** Redirects that are followed; the client sends credentials to no other origin. */
const maxRedirects = 5

/** Longest wait for a server that asks for one while a worker stands by; longer ones end the attempt. */
const maxWaitMs = 20_000

/** Longest wait that a server may ask for at all; what says more is not believed. */
const maxLaterMs = 6 * 3_600_000

/** Wait where a server refuses further requests and does not say for how long. */
const blindWaitMs = 60_000

/** Pages of one list: a server that never ends is told from a large one. */
const maxPages = 200_000

export interface SourceClientOptions {
  readonly outgoing: Pick<Outgoing, 'request' | 'stream'>
  /** Without a slash at its end. All requests for data go below it. */
  readonly root: string
  readonly headers: Readonly<Record<string, string>>
  /** Tries of one request, and the wait between them. */
  readonly attempts: number
  readonly retryDelayMs: number
  readonly signal: AbortSignal
  readonly nowMs: () => number
}

interface Answer {
  readonly json: unknown
  readonly headers: OutgoingReply['headers']
}

/** Statuses of a server that may do better in a moment. */
const isPassing = (status: number): boolean => status === 408 || status === 425 || status >= 500

/**
 * Asks the API of another server. Passing failures are tried again, requests to wait are heeded; everything else that goes
 * wrong over there is `SourceProblem`.
 */
export class SourceClient {
  readonly #options: SourceClientOptions
  #requests = 0

  constructor(options: SourceClientOptions) {
    this.#options = options
  }

  /** How many requests were sent. */
  get requests(): number {
    return this.#requests
  }

  /** An object or a list; undefined where the server has none (404), or says that there is nothing of this kind. */
  async find(path: string, what: string): Promise<Answer | undefined> {
    const reply = await this.#send(this.#urlOf(path), what)
    if (reply.status === 404 || reply.status === 410) return undefined
    if (reply.status === 401) throw new SourceProblem('the other server asks for other credentials')
    if (reply.status === 403) throw new SourceProblem(`the other server does not let these credentials read ${what}`)
    if (reply.status !== 200) {
      throw new SourceProblem(`the other server answered ${reply.status} when asked for ${what}`)
    }
    try {
      return { json: parseSizedJson(reply.body), headers: reply.headers }
    } catch (error) {
      throw new SourceProblem(`the other server's answer about ${what} is no JSON`, { cause: error })
    }
  }

  async get(path: string, what: string): Promise<unknown> {
    const found = await this.find(path, what)
    if (!found) throw new SourceProblem(`the other server has no ${what}`)
    return found.json
  }

  /**
   * One page of a list. The one after it is named by the `Link` header; a server that sends none is asked for pages by
   * number until one is empty.
   * @param place what the page before gave as `next`
   * @returns no items where the server knows nothing of this kind
   */
  async page(
    first: string,
    place: string | undefined,
    what: string,
  ): Promise<{ readonly items: readonly unknown[]; readonly next: string | undefined }> {
    const path = place ?? first
    const found = await this.find(path, what)
    if (!found) return { items: [], next: undefined }
    if (!Array.isArray(found.json)) throw new SourceProblem(`the other server's answer about ${what} is no list`)
    const items = found.json as unknown[]
    return { items, next: items.length === 0 ? undefined : this.#nextOf(path, found.headers) }
  }

  /** All of a list that belongs to one thing, and is short for that reason. */
  async all(path: string, what: string, maxItems = 10_000): Promise<readonly unknown[]> {
    const items: unknown[] = []
    for (let place: string | undefined; ;) {
      const page = await this.page(path, place, what)
      items.push(...page.items)
      if (page.next === undefined || items.length >= maxItems) return items.slice(0, maxItems)
      place = page.next
    }
  }

  /** Bytes of a file; the address may lie anywhere that the settings allow. Credentials go along to the server itself alone. */
  async download(url: string, what: string, maxBytes: number, headers: Record<string, string> = {}): Promise<Readable> {
    const { outgoing, signal } = this.#options
    const isHome = this.isHome(url)
    let problem = ''
    for (let attempt = 1; attempt <= this.#options.attempts; attempt++) {
      if (attempt > 1) await sleep(this.#options.retryDelayMs, undefined, { signal })
      this.#requests += 1
      try {
        const reply = await outgoing.stream(url, {
          headers: { ...(isHome ? this.#options.headers : {}), ...headers },
          maxRedirects,
          maxBodyBytes: maxBytes,
          timeoutMs: downloadTimeoutMs,
          signal,
        })
        if (reply.status === 200) return reply.body
        reply.body.destroy()
        problem = `it answered ${reply.status}`
        if (!isPassing(reply.status)) break
      } catch (error) {
        signal.throwIfAborted()
        problem = messageOf(error)
      }
    }
    throw new SourceProblem(`${what} could not be read: ${problem}`)
  }

  /** Whether an address lies on the server itself. */
  isHome(url: string): boolean {
    return URL.parse(url)?.origin === new URL(this.#options.root).origin
  }

  /** The same path at the address that the server is asked at: servers may call themselves by another one. */
  atHome(url: string): string {
    const named = URL.parse(url)
    return named ? `${new URL(this.#options.root).origin}${named.pathname}${named.search}` : url
  }

  #urlOf(path: string): string {
    const { root } = this.#options
    return path.startsWith('/') ? `${root}${path}` : path
  }

  async #send(url: string, what: string) {
    const { outgoing, headers, attempts, retryDelayMs, signal } = this.#options
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted()
      this.#requests += 1
      let problem: string
      try {
        const reply = await outgoing.request(url, { headers: { ...headers }, maxRedirects, signal })
        const waitMs = this.#waitOf(reply)
        if (waitMs === undefined && !isPassing(reply.status)) return reply
        if (waitMs !== undefined) {
          if (waitMs > maxWaitMs || attempt > attempts) throw new AskAgainLater(this.#options.nowMs() + waitMs)
          await sleep(waitMs, undefined, { signal })
          continue
        }
        problem = `it answered ${reply.status}`
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof AskAgainLater) throw error
        if (!isWorthRetrying(error)) throw new SourceProblem(messageOf(error), { cause: error })
        problem = messageOf(error)
      }
      if (attempt >= attempts) throw new SourceProblem(`the other server could not be asked for ${what}: ${problem}`)
      await sleep(retryDelayMs, undefined, { signal })
    }
  }

  /** How long the server asks to be left alone; undefined when it does not. Never less than a moment. */
  #waitOf({ status, headers }: OutgoingReply): number | undefined {
    const isSpent = headers['x-ratelimit-remaining'] === '0' || headers['ratelimit-remaining'] === '0'
    if (status !== 429 && !(status === 403 && (isSpent || headers['retry-after'] !== undefined))) return undefined
    const after = String(headers['retry-after'] ?? '')
    const nowMs = this.#options.nowMs()
    const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'])
    let waitMs = blindWaitMs
    if (/^\d{1,6}$/.test(after)) waitMs = Number(after) * 1000
    else if (!Number.isNaN(Date.parse(after))) waitMs = Date.parse(after) - nowMs
    else if (Number.isSafeInteger(reset) && reset > 0) waitMs = reset * 1000 - nowMs
    return Math.min(Math.max(waitMs, 100), maxLaterMs)
  }

  #nextOf(path: string, headers: OutgoingReply['headers']): string | undefined {
    const url = new URL(this.#urlOf(path))
    const pageNumber = Number(url.searchParams.get('page') ?? 1)
    if (pageNumber >= maxPages) throw new SourceProblem(`the other server's list at ${url.pathname} does not end`)
    const { link } = headers
    if (link === undefined) {
      url.searchParams.set('page', String(pageNumber + 1))
      return `${url.pathname}${url.search}`.slice(new URL(this.#options.root).pathname.replace(/\/$/, '').length)
    }
    const target = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(String(link))?.[1]
    if (target === undefined) return undefined
    const next = URL.parse(target, url)
    // Some servers name themselves by another address than the one they are asked at; the path is what counts.
    const base = new URL(this.#options.root).pathname.replace(/\/$/, '')
    if (next === null || !next.pathname.startsWith(`${base}/`)) {
      throw new SourceProblem('the other server names a next page that is not its own')
    }
    const following = `${next.pathname}${next.search}`.slice(base.length)
    if (following === path) throw new SourceProblem('the other server names the same page as the next one')
    return following
  }
}

/** Longest download of one file of a release. */
const downloadTimeoutMs = 3_600_000

const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error))

/** Refused addresses stay refused; what the network did may go better. */
const isWorthRetrying = (error: unknown): boolean =>
  Error.isError(error) &&
  error.name === 'OutgoingError' &&
  ['timeout', 'network', 'busy', 'unknown_host'].includes(String((error as { reason?: unknown }).reason))
