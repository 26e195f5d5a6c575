/** Runs a limited number of tasks concurrently; a limited number waits in order. */
export interface ConcurrencyLimit {
  /** Runs the task in its turn. Throws `refusal()` when too many wait, or the reason of the signal while it waits. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

interface Waiting {
  readonly start: () => void
}

/** Creates a limit of `running` concurrent and `waiting` queued tasks; further ones get the error of `refusal`. */
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
        // The next task takes this slot, so `running` does not change.
        const next = line.shift()
        if (next === undefined) running--
        else next.start()
      }
    },
  }
}
