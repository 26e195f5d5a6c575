/**
 * A least-recently-used cache of prepared statements by their text, limited in count and total characters. The newest
 * entry stays even when it exceeds the limit.
 */
export class KeptStatements<Prepared> {
  readonly maxCount: number
  readonly maxChars: number
  readonly #kept = new Map<string, Prepared>()
  #chars = 0

  constructor(maxCount: number, maxChars: number) {
    this.maxCount = maxCount
    this.maxChars = maxChars
  }

  get count(): number {
    return this.#kept.size
  }

  get(text: string): Prepared | undefined {
    const known = this.#kept.get(text)
    if (known === undefined) return undefined
    this.#kept.delete(text)
    this.#kept.set(text, known)
    return known
  }

  /** Adds a statement that the cache does not contain. */
  add(text: string, prepared: Prepared): void {
    this.#kept.set(text, prepared)
    this.#chars += text.length
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= 1 || (this.#kept.size <= this.maxCount && this.#chars <= this.maxChars)) return
      this.#kept.delete(oldest)
      this.#chars -= oldest.length
    }
  }

  clear(): void {
    this.#kept.clear()
    this.#chars = 0
  }
}
