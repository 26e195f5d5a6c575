import { Unavailable } from '../lib/errors.ts'
import type { Claim } from './claim.ts'
import { Shares, type ShareLimits } from './shares.ts'

/** `Retry-After` of a refusal for lack of memory, in seconds. */
const retryAfterSeconds = 5

/**
 * Counts bytes in memory for requests, in total and by share. It refuses at once when there is no room: waiting would keep
 * the bytes in memory.
 */
export class ByteBudget {
  readonly #shares: Shares

  constructor(limits: ShareLimits) {
    this.#shares = new Shares(limits)
  }

  /** Bytes in memory. */
  get heldBytes(): number {
    return this.#shares.total
  }

  /** Maximum bytes of one person. */
  get largest(): number {
    return this.#shares.limits.person
  }

  /** Reserves bytes if there is room. */
  tryTake(claim: Claim, bytes: number): boolean {
    return this.#shares.tryAdd(claim, bytes)
  }

  /** @throws Unavailable when there is no room */
  take(claim: Claim, bytes: number): void {
    if (this.tryTake(claim, bytes)) return
    throw new Unavailable('too many large requests are under way; try again', 'bodies_busy', { retryAfterSeconds })
  }

  /** Counts bytes that are already in memory, with or without room for them. */
  add(claim: Claim, bytes: number): void {
    this.#shares.add(claim, bytes)
  }

  /** Releases bytes of the same claim. */
  release(claim: Claim, bytes: number): void {
    if (bytes !== 0) this.#shares.add(claim, -bytes)
  }
}
