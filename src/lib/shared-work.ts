/**
 * Work that concurrent callers share by a key, for results that must show what was written before the call. A caller never
 * gets the result of work that began before it: one piece of work of a key runs, and all who come meanwhile share the next.
 */
export class SharedWork<Key, Result> {
  readonly #running = new Map<Key, Promise<Result>>()
  readonly #next = new Map<Key, Promise<Result>>()

  /** Returns the result of `work`, or of the same work of another caller, which begins after this call. */
  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    const known = this.#next.get(key)
    if (known) return known
    const running = this.#running.get(key)
    if (!running) return this.#begin(key, work)
    const begin = (): Promise<Result> => {
      this.#next.delete(key)
      return this.#begin(key, work)
    }
    const next = running.then(begin, begin)
    this.#next.set(key, next)
    return next
  }

  #begin(key: Key, work: () => Promise<Result>): Promise<Result> {
    const running = work().finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }
}
