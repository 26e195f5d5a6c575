/**
 * The memory that all caches of an application share (`docs/decisions/0064-one-cache-budget.md`): what was used longest ago
 * goes first, whichever cache it is in, so that nobody has to say beforehand how much each of them gets.
 */

export interface CacheLimits<Key, Value> {
  /** About the bytes that an entry takes besides what every entry does. */
  readonly sizeOf: (value: Value, key: Key) => number
  /** Most bytes of this cache; default: all that there are. */
  readonly maxBytes?: number
  /** A larger entry is not kept, since it would take the place of too many others; default an eighth of `maxBytes`. */
  readonly maxEntryBytes?: number
}

/** What every entry takes: its place among the others and in the index. */
const entryBytes = 150

/** A cache, whatever is in it. */
type OneOfAll = Pick<Cache<unknown, unknown>, 'name' | 'usedBytes' | 'oldestUse' | 'dropOldest'>

export class CacheBudget {
  readonly maxBytes: number
  readonly #caches: OneOfAll[] = []
  #usedBytes = 0
  #uses = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** About the bytes of all that is kept. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  /** The same for each cache by its name; those of one name together. */
  usedByName(): ReadonlyMap<string, number> {
    const used = new Map<string, number>()
    for (const { name, usedBytes } of this.#caches) used.set(name, (used.get(name) ?? 0) + usedBytes)
    return used
  }

  /** A new cache, which lives as long as the budget. */
  open<Key, Value>(name: string, limits: CacheLimits<Key, Value>): Cache<Key, Value> {
    const maxBytes = Math.min(limits.maxBytes ?? this.maxBytes, this.maxBytes)
    const cache = new Cache<Key, Value>(
      name,
      { maxEntryBytes: Math.floor(maxBytes / 8), ...limits, maxBytes },
      {
        nextUse: () => ++this.#uses,
        charge: (bytes) => {
          this.#usedBytes += bytes
          while (this.#usedBytes > this.maxBytes) this.#dropOldest()
        },
      },
    )
    this.#caches.push(cache)
    return cache
  }

  #dropOldest(): void {
    let oldest: OneOfAll | undefined
    for (const cache of this.#caches) {
      if (cache.oldestUse < (oldest?.oldestUse ?? Number.POSITIVE_INFINITY)) oldest = cache
    }
    oldest?.dropOldest()
  }
}

interface Entry<Key, Value> {
  readonly key: Key
  readonly value: Value
  readonly bytes: number
  /** When it was used last, counted in uses of the whole budget. */
  use: number
  older: Entry<Key, Value> | undefined
  newer: Entry<Key, Value> | undefined
}

/** One of the caches of a budget. */
export class Cache<Key, Value> {
  readonly name: string
  readonly #limits: Required<CacheLimits<Key, Value>>
  readonly #budget: { nextUse(): number; charge(bytes: number): void }
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  #oldest: Entry<Key, Value> | undefined
  #newest: Entry<Key, Value> | undefined
  #usedBytes = 0

  /** By `CacheBudget.open` alone. */
  constructor(
    name: string,
    limits: Required<CacheLimits<Key, Value>>,
    budget: { nextUse(): number; charge(bytes: number): void },
  ) {
    this.name = name
    this.#limits = limits
    this.#budget = budget
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** When what was used longest ago was used; infinite when there is nothing. */
  get oldestUse(): number {
    return this.#oldest?.use ?? Number.POSITIVE_INFINITY
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    entry.use = this.#budget.nextUse()
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  /** Without counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Keeps a value in the place of what was there, unless it is too large. */
  set(key: Key, value: Value): void {
    this.delete(key)
    const { maxBytes, maxEntryBytes, sizeOf } = this.#limits
    const bytes = entryBytes + sizeOf(value, key)
    if (bytes > maxEntryBytes) return
    const entry = { key, value, bytes, use: this.#budget.nextUse(), older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#link(entry)
    this.#usedBytes += bytes
    while (this.#usedBytes > maxBytes) this.dropOldest()
    this.#budget.charge(bytes)
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#drop(entry)
  }

  clear(): void {
    while (this.#oldest !== undefined) this.#drop(this.#oldest)
  }

  dropOldest(): void {
    if (this.#oldest !== undefined) this.#drop(this.#oldest)
  }

  #drop(entry: Entry<Key, Value>): void {
    this.#entries.delete(entry.key)
    this.#unlink(entry)
    this.#usedBytes -= entry.bytes
    this.#budget.charge(-entry.bytes)
  }

  #link(entry: Entry<Key, Value>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest !== undefined) this.#newest.newer = entry
    this.#newest = entry
    this.#oldest ??= entry
  }

  #unlink(entry: Entry<Key, Value>): void {
    const { older, newer } = entry
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    // One that is dropped would else hold the next until the old half of the heap is looked through, and that its next.
    entry.older = undefined
    entry.newer = undefined
  }
}
