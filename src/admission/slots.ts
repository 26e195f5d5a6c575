import { Unavailable } from '../lib/errors.ts'
import { type Claim } from './claim.ts'
import { RecentUse } from '../lib/recent-use.ts'
import { personOf, Shares, type ShareLimits } from './shares.ts'

/** Returns the slot; later calls do nothing. */
export type Release = () => void

export interface SlotOptions {
  /** What the slots are for, as in "too many <what> are under way". */
  readonly what: string
  readonly code: string
  readonly limits: ShareLimits
  /** Maximum queue length, and maximum wait in milliseconds. One person may have a quarter of the queue. */
  readonly maxWaiting: number
  readonly waitMs: number
  /** A monotonic clock in milliseconds; for tests. */
  readonly now?: () => number
}

interface Waiter {
  readonly claim: Claim
  readonly start: () => void
}

/**
 * Slots for expensive work. A request without a free slot waits, for a limited time in a limited queue. A free slot goes to
 * the claim with the least recent use.
 */
export class Slots {
  readonly #options: SlotOptions
  readonly #shares: Shares
  readonly #line: Waiter[] = []
  readonly #use: RecentUse<number | string>
  readonly #now: () => number

  constructor(options: SlotOptions) {
    this.#options = options
    this.#shares = new Shares(options.limits)
    this.#now = options.now ?? (() => performance.now())
    this.#use = new RecentUse(this.#now)
  }

  get taken(): number {
    return this.#shares.total
  }

  get waiting(): number {
    return this.#line.length
  }

  /**
   * Waits for a slot. Work of the program itself has no claim and takes none.
   * @throws Unavailable (503, with the time to come again) when the line is full or the wait too long; the signal's reason
   * when it ends while waiting
   */
  async take(claim: Claim | undefined, signal?: AbortSignal): Promise<Release> {
    if (claim === undefined) return () => {}
    signal?.throwIfAborted()
    const release = this.tryTake(claim)
    if (release) return release
    await this.#wait(claim, signal)
    return this.#held(claim)
  }

  /** Takes a slot if one is free. */
  tryTake(claim: Claim): Release | undefined {
    return this.#shares.tryAdd(claim, 1) ? this.#held(claim) : undefined
  }

  /** Returns the function that releases a counted slot. */
  #held(claim: Claim): Release {
    const sinceMs = this.#now()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#use.note(personOf(claim), this.#now() - sinceMs)
      this.#shares.add(claim, -1)
      if (this.#line.length > 0) this.#serve()
    }
  }

  /** Waits in the queue; the slot is counted at the end of the wait. */
  async #wait(claim: Claim, signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, waitMs } = this.#options
    const person = personOf(claim)
    const own = this.#line.reduce((sum, each) => sum + (personOf(each.claim) === person ? 1 : 0), 0)
    if (this.#line.length >= maxWaiting || own >= Math.max(1, Math.floor(maxWaiting / 4))) throw this.#busy()
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const waiter: Waiter = {
        claim,
        start: () => {
          settle()
          resolve()
        },
      }
      const giveUp = (reason: unknown): void => {
        settle()
        this.#line.splice(this.#line.indexOf(waiter), 1)
        reject(reason)
      }
      const leave = (): void => giveUp(signal?.reason)
      const timer = setTimeout(() => giveUp(this.#busy()), waitMs)
      signal?.addEventListener('abort', leave, { once: true })
      this.#line.push(waiter)
    })
  }

  /** Assigns free slots to waiting claims: least recent use first, then first come first served. */
  #serve(): void {
    for (;;) {
      let next: Waiter | undefined
      let least = Number.POSITIVE_INFINITY
      for (const waiter of this.#line) {
        if (!this.#shares.fits(waiter.claim, 1)) continue
        const use = this.#shares.heldBy(waiter.claim) * this.#use.halfLifeMs + this.#use.of(personOf(waiter.claim))
        if (use < least) [next, least] = [waiter, use]
      }
      if (next === undefined) return
      this.#line.splice(this.#line.indexOf(next), 1)
      this.#shares.add(next.claim, 1)
      next.start()
    }
  }

  #busy(): Unavailable {
    const { what, code, waitMs } = this.#options
    // A client that waited may retry at once; others should wait for the queue to move.
    const retryAfterSeconds = Math.max(1, Math.min(30, Math.round(waitMs / 3000)))
    return new Unavailable(`too many ${what} are under way; try again`, code, { retryAfterSeconds })
  }
}
