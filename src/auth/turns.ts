import { performance } from 'node:perf_hooks'

/** Those that wait; a lower rank goes first, and among equals the earliest. */
interface Waiting {
  readonly rank: number
  readonly go: () => void
}

/**
 * Lets attempts of one key through one after the other, `paceMs` apart. Each attempt gets its turn: keys differ, so one
 * key's attempts hold up no other's.
 */
export class Turns {
  readonly #lanes = new Map<string, { waiting: Waiting[]; nextMs: number; timer: NodeJS.Timeout | undefined }>()

  /**
   * @param paceMs time from one turn to the next of the same key, in milliseconds
   * @param maxWaiting most attempts of one key that wait at once
   */
  constructor(
    readonly paceMs: number,
    readonly maxWaiting: number,
  ) {}

  /**
   * Waits for a turn.
   * @returns false when too many wait; a caller that gives up leaves the line, and gets the reason of its signal
   */
  async take(key: string, rank: number, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted()
    const lane = this.#lanes.get(key) ?? { waiting: [], nextMs: performance.now() + this.paceMs, timer: undefined }
    if (lane.waiting.length >= this.maxWaiting) return false
    this.#lanes.set(key, lane)
    const turn = Promise.withResolvers<void>()
    const waiting: Waiting = { rank, go: turn.resolve }
    const place = lane.waiting.findIndex((each) => each.rank > rank)
    lane.waiting.splice(place < 0 ? lane.waiting.length : place, 0, waiting)
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
      // Nobody came within a pace after the last turn, so that nothing is left to keep.
      this.#lanes.delete(key)
      return
    }
    first.go()
    lane.nextMs = performance.now() + this.paceMs
    lane.timer = setTimeout(() => this.#next(key), this.paceMs)
  }
}
