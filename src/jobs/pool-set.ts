import { poolNames, type PoolSlots } from './pools.ts'

interface Pool {
  readonly slots: number
  running: number
  /** Jobs may be due: `yes` when one was just enqueued, `perhaps` when only a look can tell. */
  due: 'yes' | 'perhaps' | 'no'
}

/** What one process knows of its pools: how many slots are taken, and where a look is worth while. */
export class PoolSet {
  readonly #pools: ReadonlyMap<string, Pool>

  constructor(slots: Partial<PoolSlots>) {
    this.#pools = new Map(
      poolNames.map((name): [string, Pool] => [name, { slots: slots[name] ?? 1, running: 0, due: 'perhaps' }]),
    )
  }

  /** A job of the pool was enqueued. A pool that this release does not know is left to others. */
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

  /** The pools with free slots in which jobs are due, surely or perhaps; they count as looked at from now on. */
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
