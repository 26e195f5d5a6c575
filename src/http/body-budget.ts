import { Unavailable } from '../lib/errors.ts'

/** How soon a client may come again that was refused for want of room, in seconds. */
const retryAfterSeconds = 5

/**
 * Counts the bytes of bodies that are held in memory, from their arrival until their request is answered: all of them, and
 * each share by itself (an account, or an address for guests), so that nobody takes the room of the others. What finds no
 * room is refused at once; waiting would hold what is there already.
 */
export class BodyBudget {
  #total = 0
  readonly #shares = new Map<string, number>()

  /**
   * @param totalBytes of all bodies
   * @param shareBytes of the bodies of one share
   */
  constructor(
    readonly totalBytes: number,
    readonly shareBytes: number,
  ) {}

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.#total
  }

  /** @throws Unavailable when there is no room */
  take(share: string, bytes: number): void {
    const held = (this.#shares.get(share) ?? 0) + bytes
    if (this.#total + bytes > this.totalBytes || held > this.shareBytes) {
      throw new Unavailable('too many large requests are under way; try again', 'bodies_busy', { retryAfterSeconds })
    }
    this.#total += bytes
    this.#shares.set(share, held)
  }

  release(share: string, bytes: number): void {
    if (bytes === 0) return
    this.#total -= bytes
    const held = (this.#shares.get(share) ?? 0) - bytes
    if (held > 0) this.#shares.set(share, held)
    else this.#shares.delete(share)
  }
}
