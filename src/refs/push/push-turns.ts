import { setTimeout as wait } from 'node:timers/promises'
import type { Services } from '../../access/context.ts'
import { perApplication } from '../../access/per-application.ts'

/** How long a push waits for another one to the same reference, in milliseconds; then it goes ahead, and git decides. */
const maxWaitMs = 10_000

/** The last push to each reference between its being agreed to and its being recorded, by repository and name. */
const lastPushes = perApplication(() => new Map<string, Promise<unknown>>())

/**
 * Pushes to one reference take turns from being agreed to until they are recorded, so that the later one learns that it
 * is late from us, in words that help, and not from a lock of git's. Only within this process, as a courtesy: that no
 * change is lost is git's work.
 * @returns to be called when it is recorded, or given up
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
  // Its place in all rows is taken at once, so no two wait for each other.
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
