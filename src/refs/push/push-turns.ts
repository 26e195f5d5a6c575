import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'

/** Longest wait for other pushes to the same reference, in milliseconds; then git decides. */
const maxWaitMs = 10_000

/**
 * Attempts of a change that is made again when its branch moves meanwhile. In one process changes take turns, so a change
 * loses an attempt to each other process of the database at most.
 */
export const maxAttempts = 30

/** The last unrecorded push to each reference, by repository and name. */
const lastPushes = perApplication(() => new Map<string, Promise<unknown>>())

/**
 * Serializes pushes and changes of one reference, so that a late push is told to fetch first, and a change need not be made
 * again. This covers only one process; the transaction of the change compares the values.
 * @returns the function that ends the turn
 */
export async function takeTurn(
  services: Pick<Services, 'caches'>,
  gitKey: string,
  refs: readonly string[],
): Promise<() => void> {
  const last = lastPushes(services)
  const names = refs.map((ref) => `${gitKey} ${ref}`)
  const before = names.flatMap((name) => last.get(name) ?? [])
  const { promise, resolve } = Promise.withResolvers<void>()
  // All places are taken at once, so that pushes cannot wait for each other.
  for (const name of names) last.set(name, promise)
  const leave = (): void => {
    for (const name of names) if (last.get(name) === promise) last.delete(name)
    resolve()
  }
  if (before.length > 0) {
    const stop = new AbortController()
    const tooLong = wait(maxWaitMs, undefined, { signal: stop.signal }).catch(() => undefined)
    await Promise.race([Promise.all(before), tooLong])
    stop.abort()
  }
  return leave
}
