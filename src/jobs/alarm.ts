/** Lets a loop rest until something is to be done. */
export class Alarm {
  #isRung = false
  #wake: (() => void) | undefined

  /** Ends the rest, or keeps the next one from beginning. */
  ring(): void {
    this.#isRung = true
    this.#wake?.()
  }

  /** What was rung for until now is about to be done. */
  reset(): void {
    this.#isRung = false
  }

  /**
   * Rests until it is rung, at most `ms`. The timer keeps no process alive.
   * @returns false when the time was up
   */
  async rest(ms: number): Promise<boolean> {
    if (this.#isRung || ms <= 0) return true
    const isRung = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ms).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
    this.#wake = undefined
    return isRung
  }
}
