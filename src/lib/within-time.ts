import { setTimeout as wait } from 'node:timers/promises'

/** Number of steps in which the time passes. Each takes at least one turn of the event loop, so that a busy process does not make work late. */
const steps = 10

/** Returns the result of work that may hang. Throws an Error when it takes longer; the work itself goes on. */
export async function withinTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const stop = new AbortController()
  const late = passed(ms, stop.signal).then(() => {
    throw new Error(`no answer within ${ms} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {})
    stop.abort()
  }
}

async function passed(ms: number, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < steps; step++) {
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other
    await wait(ms / steps, undefined, { signal, ref: false })
  }
}
