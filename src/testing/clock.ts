import type { Clock } from '../lib/time.ts'

/** A clock that stands still when it is told a moment, and can be moved on. */
export class TestClock implements Clock {
  #standing: number | undefined
  #offsetMs = 0

  constructor(standAt?: number) {
    this.#standing = standAt
  }

  nowMs(): number {
    return (this.#standing ?? Date.now()) + this.#offsetMs
  }

  /** Moves the time on by so many milliseconds. */
  advance(ms: number): void {
    this.#offsetMs += ms
  }
}
