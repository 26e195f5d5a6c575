import { LRUCache } from 'lru-cache'
import { shareOfAddress } from '../../http/client-address.ts'
import { TooManyRequests } from '../../lib/errors.ts'
import type { Clock } from '../../lib/time.ts'

export const hourMs = 3_600_000

/** Number of remembered addresses; the oldest are evicted. */
const maxRemembered = 20_000

/** Limits per hour, for one address and for all addresses together. */
export interface HourlyLimits {
  readonly perAddress: number
  readonly inAll: number
}

/** Counts an action of guests per hour, in this process. */
export class HourlyLimit {
  readonly #byAddress = new LRUCache<string, number[]>({ maxSize: maxRemembered, sizeCalculation: () => 1 })
  #all: number[] = []

  constructor(
    readonly clock: Clock,
    readonly limits: HourlyLimits,
  ) {}

  /** Number of actions of all addresses within the last hour. */
  get recent(): number {
    this.#all = this.#within(this.#all)
    return this.#all.length
  }

  /** Counts one action. @throws TooManyRequests, without counting it */
  take(ip: string): void {
    const address = shareOfAddress(ip)
    const own = this.#within(this.#byAddress.get(address) ?? [])
    this.#all = this.#within(this.#all)
    const { perAddress, inAll } = this.limits
    const first = own.length >= perAddress ? own[0] : this.#all.length >= inAll ? this.#all[0] : undefined
    if (first !== undefined) throw tooMany(first + hourMs - this.clock.nowMs())
    this.count(address, this.clock.nowMs())
  }

  /** Counts an action of an address, without judging it. */
  count(address: string, atMs: number): void {
    this.#byAddress.set(address, [...this.#within(this.#byAddress.get(address) ?? []), atMs])
    this.#all.push(atMs)
  }

  #within(moments: readonly number[]): number[] {
    const since = this.clock.nowMs() - hourMs
    return moments.filter((ms) => ms > since)
  }
}

function tooMany(waitMs: number): TooManyRequests {
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000))
  return new TooManyRequests(
    `this was done too often of late; try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
    'entry_throttled',
    { retryAfterSeconds: minutes * 60 },
  )
}
