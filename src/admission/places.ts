import { Unavailable } from '../lib/errors.ts'
import { type Claim } from './claim.ts'
import { personOf, Shares, type ShareLimits } from './shares.ts'

/** Gives a place back; later calls do nothing. */
export type Release = () => void

export interface PlacesOptions {
  /** What the places are for, in the words of a refusal: "too many <what> are under way". */
  readonly what: string
  readonly code: string
  readonly limits: ShareLimits
  /** Most that wait, and longest wait in milliseconds. One person may have a quarter of the line. */
  readonly maxWaiting: number
  readonly waitMs: number
  /** Milliseconds of any clock that only goes forward; default the program's. */
  readonly now?: () => number
}

interface Waiter {
  readonly claim: Claim
  readonly start: () => void
}

/** After so many milliseconds half of the time that somebody had places counts no more. */
const halfLifeMs = 30_000

/** People whose use is remembered; those who used least are forgotten. */
const maxRemembered = 1000

interface Use {
  /** Milliseconds that places were held, each as old as `atMs` and fading. */
  heldMs: number
  atMs: number
}

/**
 * Places for work that costs much, each held for a while. Who finds none waits, for a bounded time in a bounded line; a
 * place that becomes free goes to whoever had least of them lately, so that nobody waits behind the many of another.
 */
export class Places {
  readonly #options: PlacesOptions
  readonly #shares: Shares
  readonly #line: Waiter[] = []
  readonly #use = new Map<number | string, Use>()
  readonly #now: () => number

  constructor(options: PlacesOptions) {
    this.#options = options
    this.#shares = new Shares(options.limits)
    this.#now = options.now ?? (() => performance.now())
  }

  get taken(): number {
    return this.#shares.total
  }

  get waiting(): number {
    return this.#line.length
  }

  /**
   * A place, when there is one. Work of the program itself has no claim and takes none.
   *
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

  /** A place, if there is one at once. */
  tryTake(claim: Claim): Release | undefined {
    return this.#shares.tryAdd(claim, 1) ? this.#held(claim) : undefined
  }

  /** What gives back a place that was counted. */
  #held(claim: Claim): Release {
    const sinceMs = this.#now()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#note(claim, this.#now() - sinceMs)
      this.#shares.add(claim, -1)
      if (this.#line.length > 0) this.#serve()
    }
  }

  /** Waits in line; the place is counted when it ends. */
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

  /** Gives free places to those who wait, the one with the least use first, of equals the one who came first. */
  #serve(): void {
    for (;;) {
      let next: Waiter | undefined
      let least = Number.POSITIVE_INFINITY
      for (const waiter of this.#line) {
        if (!this.#shares.fits(waiter.claim, 1)) continue
        const use = this.#shares.heldBy(waiter.claim) * halfLifeMs + this.#useOf(waiter.claim)
        if (use < least) [next, least] = [waiter, use]
      }
      if (next === undefined) return
      this.#line.splice(this.#line.indexOf(next), 1)
      this.#shares.add(next.claim, 1)
      next.start()
    }
  }

  #useOf(claim: Claim): number {
    const use = this.#use.get(personOf(claim))
    return use === undefined ? 0 : use.heldMs * 0.5 ** ((this.#now() - use.atMs) / halfLifeMs)
  }

  #note(claim: Claim, heldMs: number): void {
    const person = personOf(claim)
    const use = { heldMs: this.#useOf(claim) + heldMs, atMs: this.#now() }
    // Moved to the end: the first is the one that was noted longest ago.
    this.#use.delete(person)
    this.#use.set(person, use)
    if (this.#use.size > maxRemembered) this.#use.delete(this.#use.keys().next().value as number | string)
  }

  #busy(): Unavailable {
    const { what, code, waitMs } = this.#options
    // Whoever waited has done so already; the others come again when the line has moved on a little.
    const retryAfterSeconds = Math.max(1, Math.min(30, Math.round(waitMs / 3000)))
    return new Unavailable(`too many ${what} are under way; try again`, code, { retryAfterSeconds })
  }
}
