import type { Clock } from '../lib/time.ts'

/** A clock that stops at a given time and can be advanced. */
export class TestClock implements Clock {
  #standing: number | undefined
  #offsetMs = 0

  constructor(standAt?: number) {
    this.#standing = standAt
  }

  nowMs(): number {
    return (this.#standing ?? Date.now()) + this.#offsetMs
  }

  /** Advances the clock by `ms` milliseconds. */
  advance(ms: number): void {
    this.#offsetMs += ms
  }

  /** Returns a function that undoes what `advance()` does from now on. */
  keep(): () => void {
    const offsetMs = this.#offsetMs
    return () => {
      this.#offsetMs = offsetMs
    }
  }
}
