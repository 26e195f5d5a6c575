/** Lets a few pieces of work run at once and a bounded number wait, in order. */
export interface ConcurrencyLimit {
  /** Runs the work when its turn comes. Throws `refusal()` when too many wait, the signal's reason while waiting. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

interface Waiting {
  readonly start: () => void
}

/** `running` at once, `waiting` more in line; the rest gets the error that `refusal` makes. */
export function createConcurrencyLimit(limits: {
  running: number
  waiting: number
  refusal: () => Error
}): ConcurrencyLimit {
  let running = 0
  const line: Waiting[] = []

  const waitForTurn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        line.splice(line.indexOf(waiting), 1)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      line.push(waiting)
      signal?.addEventListener('abort', leave, { once: true })
    })

  return {
    run: async (work, signal) => {
      signal?.throwIfAborted()
      if (running < limits.running) running++
      else if (line.length >= limits.waiting) throw limits.refusal()
      else await waitForTurn(signal)
      try {
        return await work()
      } finally {
        // The next in line takes over this turn; `running` stays as it is.
        const next = line.shift()
        if (next === undefined) running--
        else next.start()
      }
    },
  }
}
