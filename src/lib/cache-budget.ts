/**
 * The memory that all caches of an application share (`docs/decisions/0060-one-budget-for-all-caches.md`). The least recently used
 * entry of any cache is evicted first.
 */

export interface CacheLimits<Key, Value> {
  /** Returns the approximate bytes of an entry, without the overhead of every entry. */
  readonly sizeOf: (value: Value, key: Key) => number
  /** Maximum bytes of this cache; the default is the whole budget. */
  readonly maxBytes?: number
  /** Maximum bytes of an entry, so that one entry does not evict many; the default is an eighth of `maxBytes`. */
  readonly maxEntryBytes?: number
}

/** Overhead of every entry, in bytes. */
const entryBytes = 150

/** A cache of any type. */
type AnyCache = Pick<Cache<unknown, unknown>, 'name' | 'usedBytes' | 'oldestUse' | 'dropOldest'>

export class CacheBudget {
  readonly maxBytes: number
  readonly #caches: AnyCache[] = []
  #usedBytes = 0
  #uses = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Approximate bytes of all entries. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  /** Returns the approximate bytes by cache name; caches with the same name are summed. */
  usedByName(): ReadonlyMap<string, number> {
    const used = new Map<string, number>()
    for (const { name, usedBytes } of this.#caches) used.set(name, (used.get(name) ?? 0) + usedBytes)
    return used
  }

  /** Creates a cache that lives as long as the budget. */
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
        // Evicting here would nest as deep as there are entries to evict.
        release: (bytes) => {
          this.#usedBytes -= bytes
        },
      },
    )
    this.#caches.push(cache)
    return cache
  }

  #dropOldest(): void {
    let oldest: AnyCache | undefined
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
  /** Number of the last use, counted over all caches of the budget. */
  use: number
  older: Entry<Key, Value> | undefined
  newer: Entry<Key, Value> | undefined
}

/** What a cache reports to its budget. */
interface Accounts {
  nextUse(): number
  /** Counts the bytes of a new entry, and evicts the least recently used entries of all caches until they fit. */
  charge(bytes: number): void
  release(bytes: number): void
}

/** One of the caches of a budget. */
export class Cache<Key, Value> {
  readonly name: string
  readonly #limits: Required<CacheLimits<Key, Value>>
  readonly #budget: Accounts
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  #oldest: Entry<Key, Value> | undefined
  #newest: Entry<Key, Value> | undefined
  #usedBytes = 0

  /** Only `CacheBudget.open` calls it. */
  constructor(name: string, limits: Required<CacheLimits<Key, Value>>, budget: Accounts) {
    this.name = name
    this.#limits = limits
    this.#budget = budget
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** Number of the last use of the least recently used entry; infinity for an empty cache. */
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

  /** Returns a value without counting it as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Stores a value, unless it is too large; it replaces the previous value in either case. */
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
    this.#budget.release(entry.bytes)
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
    // Without this a dropped entry keeps its neighbours alive until the next full garbage collection.
    entry.older = undefined
    entry.newer = undefined
  }
}
