import { performance } from 'node:perf_hooks'

/** Waiting attempts. A lower rank goes first; equal ranks keep their order. */
interface Waiting {
  readonly rank: number
  readonly go: () => void
}

/** Admits attempts of one key one after the other, `paceMs` apart. Keys do not delay each other. */
export class Turns {
  readonly #lanes = new Map<string, { waiting: Waiting[]; nextMs: number; timer: NodeJS.Timeout | undefined }>()

  /**
   * @param paceMs time between two turns of the same key, in milliseconds
   * @param maxWaiting largest number of waiting attempts per key
   */
  constructor(
    readonly paceMs: number,
    readonly maxWaiting: number,
  ) {}

  /**
   * Waits for a turn.
   * @returns false when too many attempts wait; rejects with the reason of `signal` when it is aborted
   */
  async take(key: string, rank: number, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted()
    const lane = this.#lanes.get(key) ?? { waiting: [], nextMs: performance.now() + this.paceMs, timer: undefined }
    if (lane.waiting.length >= this.maxWaiting) return false
    this.#lanes.set(key, lane)
    const turn = Promise.withResolvers<void>()
    const waiting: Waiting = { rank, go: turn.resolve }
    const index = lane.waiting.findIndex((each) => each.rank > rank)
    lane.waiting.splice(index < 0 ? lane.waiting.length : index, 0, waiting)
    lane.timer ??= setTimeout(() => this.#next(key), Math.max(0, lane.nextMs - performance.now()))
    const leave = () => {
      lane.waiting = lane.waiting.filter((each) => each !== waiting)
      turn.reject(signal?.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    try {
      await turn.promise
      return true
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #next(key: string): void {
    const lane = this.#lanes.get(key)
    if (!lane) return
    const first = lane.waiting.shift()
    if (!first) {
      // The lane is empty for a whole pace, so it can go.
      this.#lanes.delete(key)
      return
    }
    first.go()
    lane.nextMs = performance.now() + this.paceMs
    lane.timer = setTimeout(() => this.#next(key), this.paceMs)
  }
}
