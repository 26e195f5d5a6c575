import { Unavailable } from '../lib/errors.ts'
import type { Claim } from './claim.ts'
import { Shares, type ShareLimits } from './shares.ts'

/** How soon a client may come again that was refused for want of room, in seconds. */
const retryAfterSeconds = 5

/**
 * Counts bytes that are held for requests, in total and for each share. What finds no room is refused at once; waiting
 * would hold what is there already.
 */
export class ByteBudget {
  readonly #shares: Shares

  constructor(limits: ShareLimits) {
    this.#shares = new Shares(limits)
  }

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.#shares.total
  }

  /** Most that one person can hold. */
  get largest(): number {
    return this.#shares.limits.person
  }

  /** Takes room for so many bytes, if there is. */
  tryTake(claim: Claim, bytes: number): boolean {
    return this.#shares.tryAdd(claim, bytes)
  }

  /** @throws Unavailable when there is no room */
  take(claim: Claim, bytes: number): void {
    if (this.tryTake(claim, bytes)) return
    throw new Unavailable('too many large requests are under way; try again', 'bodies_busy', { retryAfterSeconds })
  }

  /** Counts bytes that are there already, whether there is room for them or not. */
  add(claim: Claim, bytes: number): void {
    this.#shares.add(claim, bytes)
  }

  /** Gives back what the same claim took. */
  release(claim: Claim, bytes: number): void {
    if (bytes !== 0) this.#shares.add(claim, -bytes)
  }
}
