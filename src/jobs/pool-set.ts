import { poolNames, type PoolSlots } from './pools.ts'

interface Pool {
  readonly slots: number
  running: number
  /** Whether jobs may be due: `yes` after an enqueue, `perhaps` when only a query can tell. */
  due: 'yes' | 'perhaps' | 'no'
}

/** The state of the pools in one process: used slots, and where a query is worthwhile. */
export class PoolSet {
  readonly #pools: ReadonlyMap<string, Pool>

  constructor(slots: Partial<PoolSlots>) {
    this.#pools = new Map(
      poolNames.map((name): [string, Pool] => [name, { slots: slots[name] ?? 1, running: 0, due: 'perhaps' }]),
    )
  }

  /** Records that a job of the pool was enqueued. Other processes serve pools that this release does not know. */
  expect(name: string): void {
    const pool = this.#pools.get(name)
    if (pool) pool.due = 'yes'
  }

  suspect(name: string): void {
    const pool = this.#pools.get(name)
    if (pool?.due === 'no') pool.due = 'perhaps'
  }

  suspectAll(): void {
    for (const name of this.#pools.keys()) this.suspect(name)
  }

  /** Returns the pools with free slots and jobs that are or may be due, and marks them as queried. */
  takeOpen(): { readonly sure: string[]; readonly unsure: string[] } {
    const sure: string[] = []
    const unsure: string[] = []
    for (const [name, pool] of this.#pools) {
      if (pool.due === 'no' || pool.running >= pool.slots) continue
      ;(pool.due === 'yes' ? sure : unsure).push(name)
      pool.due = 'no'
    }
    return { sure, unsure }
  }

  freeIn(name: string): number {
    const pool = this.#pools.get(name)
    return pool ? pool.slots - pool.running : 0
  }

  enter(name: string): void {
    const pool = this.#pools.get(name)
    if (pool) pool.running += 1
  }

  /** @returns true when the pool was full, so that jobs may have found no room */
  leave(name: string): boolean {
    const pool = this.#pools.get(name)
    if (!pool) return false
    const wasFull = pool.running >= pool.slots
    pool.running -= 1
    if (wasFull) this.suspect(name)
    return wasFull
  }
}
