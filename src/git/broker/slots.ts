import type { WireStream } from './wire.ts'

type Waiter = { readonly start: () => void; readonly stream: WireStream; readonly timer: NodeJS.Timeout }

/** Slots for commands of one kind, with a bounded queue. */
export class Slots {
  readonly #total: number
  readonly #maxWaiting: number
  readonly #waitMs: number
  readonly #waiters: Waiter[] = []
  #taken = 0

  constructor(total: number, maxWaiting: number, waitMs: number) {
    this.#total = total
    this.#maxWaiting = maxWaiting
    this.#waitMs = waitMs
  }

  /**
   * Calls `start` when a slot is free; the slot must be given back. Fails the stream when no slot becomes free in time.
   */
  take(stream: WireStream, start: () => void): void {
    if (this.#taken < this.#total) {
      this.#taken += 1
      return start()
    }
    if (this.#waiters.length >= this.#maxWaiting) {
      return stream.fail({ reason: 'busy', message: 'too many git commands wait' })
    }
    const waiter: Waiter = {
      start,
      stream,
      timer: setTimeout(() => {
        this.#leave(waiter)
        stream.fail({ reason: 'busy', message: 'no slot for a git command became free in time' })
      }, this.#waitMs),
    }
    this.#waiters.push(waiter)
    stream.handlers.cancel = () => {
      this.#leave(waiter)
      stream.fail({ reason: 'cancelled', message: 'the git command was cancelled while it waited' })
    }
  }

  release(): void {
    const next = this.#waiters.shift()
    if (next === undefined) {
      this.#taken -= 1
      return
    }
    clearTimeout(next.timer)
    next.stream.handlers.cancel = undefined
    next.start()
  }

  #leave(waiter: Waiter): void {
    clearTimeout(waiter.timer)
    const index = this.#waiters.indexOf(waiter)
    if (index !== -1) this.#waiters.splice(index, 1)
  }
}
