/** Half-life of recent use, in milliseconds. */
const halfLifeMs = 30_000

/** Maximum number of users whose use is tracked; those whose use is oldest are dropped. */
const maxRemembered = 1000

interface Use {
  /** Milliseconds of use at `atMs`, which decay. */
  usedMs: number
  atMs: number
}

/** Who used something: an account by id, guests by address. */
export type User = number | string

/** The recent use of something scarce by each user, which decays. What is free goes to the user with the least. */
export class RecentUse<Key = User> {
  readonly halfLifeMs = halfLifeMs
  readonly #use = new Map<Key, Use>()
  readonly #now: () => number

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  of(user: Key): number {
    const use = this.#use.get(user)
    return use === undefined ? 0 : use.usedMs * 0.5 ** ((this.#now() - use.atMs) / halfLifeMs)
  }

  note(user: Key, usedMs: number): void {
    const use = { usedMs: this.of(user) + usedMs, atMs: this.#now() }
    // Reinserting keeps the map in the order of updates.
    this.#use.delete(user)
    this.#use.set(user, use)
    if (this.#use.size > maxRemembered) this.#use.delete(this.#use.keys().next().value as Key)
  }

  /** Returns the waiting one of the least use, the first of equal ones. */
  least<Waiting>(waiting: Iterable<Waiting>, useOf: (each: Waiting) => number): Waiting | undefined {
    let next: Waiting | undefined
    let least = Number.POSITIVE_INFINITY
    for (const each of waiting) {
      const use = useOf(each)
      if (use < least) [next, least] = [each, use]
    }
    return next
  }
}

/** The number of places in a line that one user may have: a quarter. */
export const ownWaiting = (maxWaiting: number): number => Math.max(1, Math.floor(maxWaiting / 4))
