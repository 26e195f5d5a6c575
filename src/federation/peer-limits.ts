import { ownService } from '../access/own-service.ts'
import { cacheOf } from '../lib/cache.ts'
import { TooManyRequests } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'

const windowMs = 60_000

/** Hosts and addresses that are counted; the oldest are forgotten first. */
const maxCounted = 20_000

/**
 * How long it is remembered that an address could not be read, in milliseconds, so that who comes again and again does not have
 * it asked for each time; shorter where the server may only be starting.
 */
const failureMs = 60_000
const passingFailureMs = 2000

interface Window {
  readonly untilMs: number
  count: number
}

/** What one server, and one client, may cause within a minute, in one process. */
export class PeerLimits {
  readonly #windows = cacheOf<string, Window>(maxCounted)
  readonly #failures = cacheOf<string, { readonly untilMs: number; readonly message: string }>(maxCounted)
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one. Throws TooManyRequests when there were `most` within the minute. */
  count(what: 'requests' | 'look-ups', of: string, most: number): void {
    const nowMs = this.#clock.nowMs()
    const key = `${what} ${of}`
    const known = this.#windows.get(key)
    const window = known && known.untilMs > nowMs ? known : { untilMs: nowMs + windowMs, count: 0 }
    if (window !== known) this.#windows.set(key, window)
    if (++window.count > most) {
      throw new TooManyRequests(`too many ${what} of ${of} within a minute`, 'peer_limit', { of })
    }
  }

  /** Why an address could not be read a moment ago. */
  recentFailure(url: string): string | undefined {
    const known = this.#failures.get(url)
    return known && known.untilMs > this.#clock.nowMs() ? known.message : undefined
  }

  noteFailure(url: string, { message, isPassing }: { readonly message: string; readonly isPassing: boolean }): void {
    this.#failures.set(url, { untilMs: this.#clock.nowMs() + (isPassing ? passingFailureMs : failureMs), message })
  }
}

export const peerLimits = ownService('the limits of other servers', {
  open: ({ clock }) => new PeerLimits(clock),
})
