import { setTimeout as wait } from 'node:timers/promises'

/** Returns the result of work that may hang. Throws an Error when it takes longer; the work itself goes on. */
export async function withinTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const stop = new AbortController()
  const late = wait(ms, undefined, { signal: stop.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${ms} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {})
    stop.abort()
  }
}
