import { Unavailable } from '../lib/errors.ts'
import type { Claim } from './claim.ts'
import { Shares, dividedUsually } from './shares.ts'

/**
 * The cost of an operation for other requests:
 * - `usual`;
 * - `expensive`: it reads much, starts processes or reckons for long, so that it takes a place of its own;
 * - `waiting`: it mostly waits (for what happens), within a limit of its own;
 * - `vital`: whether the instance lives, and signing in; never refused for want of room.
 */
export type Cost = 'usual' | 'expensive' | 'waiting' | 'vital'

/** `Retry-After`, in seconds. */
const retryAfterSeconds = 2

export const requestsBusy = (): Unavailable =>
  new Unavailable('too many requests are under way; try again', 'requests_busy', { retryAfterSeconds })

/** Counts concurrent requests, and writes separately, so that reads continue during many writes. */
export class Requests {
  readonly #all: Shares
  readonly #writes: Shares

  /** @param total most requests under way */
  constructor(total: number) {
    this.#all = new Shares(dividedUsually(total))
    const some = Math.max(1, Math.floor((total * 3) / 4))
    this.#writes = new Shares(dividedUsually(some))
  }

  get underWay(): number {
    return this.#all.total
  }

  /**
   * Counts a request; `leave` with the same arguments ends it.
   * @throws Unavailable when there are too many
   */
  enter(claim: Claim, writes: boolean): void {
    if (writes && !this.#writes.tryAdd(claim, 1)) throw requestsBusy()
    if (this.#all.tryAdd(claim, 1)) return
    if (writes) this.#writes.add(claim, -1)
    throw requestsBusy()
  }

  leave(claim: Claim, writes: boolean): void {
    this.#all.add(claim, -1)
    if (writes) this.#writes.add(claim, -1)
  }
}
