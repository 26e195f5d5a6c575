import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseSizedJson } from '../../http/json-size.ts'
import type { Outgoing, OutgoingReply } from '../../outgoing/outgoing.ts'
import { RetryLater, SourceProblem } from './source-problem.ts'

/** Most redirects; the client sends credentials to no other origin. */
const maxRedirects = 5

/** Longest delay that a worker waits for; a longer one ends the turn. */
const maxWaitMs = 20_000

/** Longest delay that a server may request. */
const maxRetryMs = 6 * 3_600_000

/** Delay when a server limits the rate without naming a time. */
const defaultRetryMs = 60_000

/** Most pages of a list: a list that never ends must stop. */
const maxPages = 200_000

export interface SourceClientOptions {
  readonly outgoing: Pick<Outgoing, 'request' | 'stream'>
  /** Address of the API without a trailing slash. */
  readonly root: string
  readonly headers: Readonly<Record<string, string>>
  /** Attempts of a request and the delay between them. */
  readonly attempts: number
  readonly retryDelayMs: number
  readonly signal: AbortSignal
  readonly nowMs: () => number
}

interface Answer {
  readonly json: unknown
  readonly headers: OutgoingReply['headers']
}

/** Returns whether a later attempt may succeed. */
const isTemporary = (status: number): boolean => status === 408 || status === 425 || status >= 500

/**
 * A client for the API of a source server. It retries temporary failures and respects rate limits; any other failure is a
 * `SourceProblem`.
 */
export class SourceClient {
  readonly #options: SourceClientOptions
  #requests = 0

  constructor(options: SourceClientOptions) {
    this.#options = options
  }

  /** Number of requests sent. */
  get requests(): number {
    return this.#requests
  }

  /** Requests a path; undefined for 404 and 410. */
  async find(path: string, what: string): Promise<Answer | undefined> {
    const reply = await this.#send(this.#urlOf(path), what)
    if (reply.status === 404 || reply.status === 410) return undefined
    if (reply.status === 401) throw new SourceProblem('the source server does not accept the credentials')
    if (reply.status === 403) throw new SourceProblem(`these credentials may not read ${what} on the source server`)
    if (reply.status !== 200) {
      throw new SourceProblem(`the source server answered ${reply.status} to the request for ${what}`)
    }
    try {
      return { json: parseSizedJson(reply.body), headers: reply.headers }
    } catch (error) {
      throw new SourceProblem(`the source server sent ${what} that are not JSON`, { cause: error })
    }
  }

  async get(path: string, what: string): Promise<unknown> {
    const found = await this.find(path, what)
    if (!found) throw new SourceProblem(`the source server has no ${what}`)
    return found.json
  }

  /**
   * Requests a page of a list. The next page comes from the `Link` header; without it pages are numbered until one is empty.
   * Returns no items when the server lacks the list.
   * @param position the `next` of the previous page
   */
  async page(
    first: string,
    position: string | undefined,
    what: string,
  ): Promise<{ readonly items: readonly unknown[]; readonly next: string | undefined }> {
    const path = position ?? first
    const found = await this.find(path, what)
    if (!found) return { items: [], next: undefined }
    if (!Array.isArray(found.json)) throw new SourceProblem(`the source server sent ${what} that are not a list`)
    const items = found.json as unknown[]
    return { items, next: items.length === 0 ? undefined : this.#nextOf(path, found.headers) }
  }

  /** Requests all pages of a short list. */
  async all(path: string, what: string, maxItems = 10_000): Promise<readonly unknown[]> {
    const items: unknown[] = []
    for (let position: string | undefined; ;) {
      const page = await this.page(path, position, what)
      items.push(...page.items)
      if (page.next === undefined || items.length >= maxItems) return items.slice(0, maxItems)
      position = page.next
    }
  }

  /** Downloads a file from any allowed address. Credentials are sent only to the source server. */
  async download(url: string, what: string, maxBytes: number, headers: Record<string, string> = {}): Promise<Readable> {
    const { outgoing, signal } = this.#options
    const isOnServer = this.isOnServer(url)
    let problem = ''
    for (let attempt = 1; attempt <= this.#options.attempts; attempt++) {
      if (attempt > 1) await sleep(this.#options.retryDelayMs, undefined, { signal })
      this.#requests += 1
      try {
        const reply = await outgoing.stream(url, {
          headers: { ...(isOnServer ? this.#options.headers : {}), ...headers },
          maxRedirects,
          maxBodyBytes: maxBytes,
          timeoutMs: downloadTimeoutMs,
          signal,
        })
        if (reply.status === 200) return reply.body
        reply.body.destroy()
        problem = `it answered ${reply.status}`
        if (!isTemporary(reply.status)) break
      } catch (error) {
        signal.throwIfAborted()
        problem = messageOf(error)
      }
    }
    throw new SourceProblem(`cannot download ${what}: ${problem}`)
  }

  /** Returns whether an address is on the source server. */
  isOnServer(url: string): boolean {
    return URL.parse(url)?.origin === new URL(this.#options.root).origin
  }

  /** Returns the address with the origin of the API: a server may name itself by another one. */
  onServer(url: string): string {
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
        if (waitMs === undefined && !isTemporary(reply.status)) return reply
        if (waitMs !== undefined) {
          if (waitMs > maxWaitMs || attempt > attempts) throw new RetryLater(this.#options.nowMs() + waitMs)
          await sleep(waitMs, undefined, { signal })
          continue
        }
        problem = `it answered ${reply.status}`
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof RetryLater) throw error
        if (!isWorthRetrying(error)) throw new SourceProblem(messageOf(error), { cause: error })
        problem = messageOf(error)
      }
      if (attempt >= attempts) throw new SourceProblem(`cannot request ${what} from the source server: ${problem}`)
      await sleep(retryDelayMs, undefined, { signal })
    }
  }

  /** Returns the delay that a rate limit requests, at least 100 ms; undefined without a rate limit. */
  #waitOf({ status, headers }: OutgoingReply): number | undefined {
    const isSpent = headers['x-ratelimit-remaining'] === '0' || headers['ratelimit-remaining'] === '0'
    if (status !== 429 && !(status === 403 && (isSpent || headers['retry-after'] !== undefined))) return undefined
    const after = String(headers['retry-after'] ?? '')
    const nowMs = this.#options.nowMs()
    const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'])
    let waitMs = defaultRetryMs
    if (/^\d{1,6}$/.test(after)) waitMs = Number(after) * 1000
    else if (!Number.isNaN(Date.parse(after))) waitMs = Date.parse(after) - nowMs
    else if (Number.isSafeInteger(reset) && reset > 0) waitMs = reset * 1000 - nowMs
    return Math.min(Math.max(waitMs, 100), maxRetryMs)
  }

  #nextOf(path: string, headers: OutgoingReply['headers']): string | undefined {
    const url = new URL(this.#urlOf(path))
    const pageNumber = Number(url.searchParams.get('page') ?? 1)
    if (pageNumber >= maxPages) throw new SourceProblem(`the list of the source server at ${url.pathname} does not end`)
    const { link } = headers
    if (link === undefined) {
      url.searchParams.set('page', String(pageNumber + 1))
      return `${url.pathname}${url.search}`.slice(new URL(this.#options.root).pathname.replace(/\/$/, '').length)
    }
    const target = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(String(link))?.[1]
    if (target === undefined) return undefined
    const next = URL.parse(target, url)
    // A server may name itself by another address, so only the path is compared.
    const base = new URL(this.#options.root).pathname.replace(/\/$/, '')
    if (next === null || !next.pathname.startsWith(`${base}/`)) {
      throw new SourceProblem('the source server names a next page outside its API')
    }
    const following = `${next.pathname}${next.search}`.slice(base.length)
    if (following === path) throw new SourceProblem('the source server names the same page as the next one')
    return following
  }
}

/** Timeout of one download. */
const downloadTimeoutMs = 3_600_000

const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error))

/** Network errors may be temporary; refused addresses are not. */
const isWorthRetrying = (error: unknown): boolean =>
  Error.isError(error) &&
  error.name === 'OutgoingError' &&
  ['timeout', 'network', 'busy', 'unknown_host'].includes(String((error as { reason?: unknown }).reason))
