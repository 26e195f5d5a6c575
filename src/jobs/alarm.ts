/** Wakes a sleeping loop. */
export class Alarm {
  #isRung = false
  #wake: (() => void) | undefined

  /** Wakes the loop, or prevents its next sleep. */
  ring(): void {
    this.#isRung = true
    this.#wake?.()
  }

  /** Clears the pending wake-up. */
  reset(): void {
    this.#isRung = false
  }

  /**
   * Sleeps until it is woken, at most `ms`. The timer does not keep the process alive.
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
