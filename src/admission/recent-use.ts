/** Half-life of recent use, in milliseconds. */
const halfLifeMs = 30_000

/** Maximum number of keys whose use is tracked; the least recently updated ones are dropped. */
const maxRemembered = 1000

interface Use {
  /** Used time in milliseconds at `atMs`, which decays. */
  readonly usedMs: number
  readonly atMs: number
}

/** Used time by key, which decays with a half-life of 30 seconds. */
export class RecentUse<Key> {
  readonly halfLifeMs = halfLifeMs
  readonly #use = new Map<Key, Use>()
  readonly #now: () => number

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the recent use of a key, in milliseconds. */
  of(key: Key): number {
    const use = this.#use.get(key)
    return use === undefined ? 0 : use.usedMs * 0.5 ** ((this.#now() - use.atMs) / halfLifeMs)
  }

  note(key: Key, usedMs: number): void {
    const use = { usedMs: this.of(key) + usedMs, atMs: this.#now() }
    // Reinserting keeps the map in the order of updates.
    this.#use.delete(key)
    this.#use.set(key, use)
    if (this.#use.size > maxRemembered) this.#use.delete(this.#use.keys().next().value as Key)
  }
}
