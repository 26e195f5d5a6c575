import { ownService } from '../access/own-service.ts'
import { TooManyRequests, Unavailable } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'

/** Largest number of streams of one kind in a process, and per account. */
export interface StreamLimits {
  readonly most: number
  readonly mostPerAccount: number
}

/** Limits event streams, so that one account cannot use all of them. */
export class StreamSlots {
  readonly #limits: StreamLimits
  readonly #perAccount = new Map<UserId, number>()
  #taken = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /**
   * Reserves a stream until `signal` is aborted.
   * @throws TooManyRequests when the account has its maximum; Unavailable when the process has
   */
  take(accountId: UserId, signal: AbortSignal): void {
    const own = this.#perAccount.get(accountId) ?? 0
    if (own >= this.#limits.mostPerAccount) {
      throw new TooManyRequests('the account has too many event streams open; close one', 'streams_exceeded')
    }
    if (this.#taken >= this.#limits.most) {
      throw new Unavailable('too many event streams are open; try again', 'streams_busy')
    }
    if (signal.aborted) return
    this.#perAccount.set(accountId, own + 1)
    this.#taken += 1
    signal.addEventListener('abort', () => this.#release(accountId), { once: true })
  }

  #release(accountId: UserId): void {
    this.#taken -= 1
    const left = (this.#perAccount.get(accountId) ?? 1) - 1
    if (left === 0) this.#perAccount.delete(accountId)
    else this.#perAccount.set(accountId, left)
  }
}

/** Streams of instance events; each is a listener in memory. */
export const eventStreamSlots = ownService('the slots of event streams', {
  open: () => new StreamSlots({ most: 100, mostPerAccount: 20 }),
})

/** Streams of the audit log; each reads the database after every entry. */
export const auditStreamSlots = ownService('the slots of streams of the audit log', {
  open: () => new StreamSlots({ most: 16, mostPerAccount: 4 }),
})
