import { ownService } from '../access/own-service.ts'
import { cacheOf } from '../lib/cache.ts'
import { TooManyRequests } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'

const windowMs = 60_000

/** Most counters in memory; the oldest are evicted first. */
const maxCounters = 20_000

/** How long a failed fetch of an address is not repeated, in milliseconds; shorter after a temporary failure. */
const failureMs = 60_000
const temporaryFailureMs = 2000

interface Window {
  readonly untilMs: number
  count: number
}

/** Counts the requests and fetches of each server and client within a minute, in one process. */
export class PeerLimits {
  readonly #windows = cacheOf<string, Window>(maxCounters)
  readonly #failures = cacheOf<string, { readonly untilMs: number; readonly message: string }>(maxCounters)
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts one request or fetch. Throws `TooManyRequests` above `limit` within a minute. */
  count(what: 'requests' | 'look-ups', of: string, limit: number): void {
    const nowMs = this.#clock.nowMs()
    const key = `${what} ${of}`
    const known = this.#windows.get(key)
    const window = known && known.untilMs > nowMs ? known : { untilMs: nowMs + windowMs, count: 0 }
    if (window !== known) this.#windows.set(key, window)
    if (++window.count > limit) {
      throw new TooManyRequests(`too many ${what} of ${of} within a minute`, 'peer_limit', { of })
    }
  }

  /** Returns why a recent fetch of an address failed. */
  recentFailure(url: string): string | undefined {
    const known = this.#failures.get(url)
    return known && known.untilMs > this.#clock.nowMs() ? known.message : undefined
  }

  noteFailure(
    url: string,
    { message, isTemporary }: { readonly message: string; readonly isTemporary: boolean },
  ): void {
    this.#failures.set(url, { untilMs: this.#clock.nowMs() + (isTemporary ? temporaryFailureMs : failureMs), message })
  }
}

export const peerLimits = ownService('the limits of other servers', {
  open: ({ clock }) => new PeerLimits(clock),
})
