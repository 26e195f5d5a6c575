import { WatcherTooSlow, type LiveEvent, type LiveEvents } from './live.ts'

export interface LongPollOptions<Found> {
  readonly live: LiveEvents
  /** Events after which it is worth another look. */
  readonly accepts: (event: LiveEvent) => boolean
  /** Looks; undefined means that there is nothing yet. It may run at any time and more than once. */
  readonly look: () => Promise<Found | undefined>
  /** Longest wait, in milliseconds; at most a minute, since proxies give up on longer silence. */
  readonly waitMs: number
  readonly signal: AbortSignal
}

const longestWaitMs = 60_000

/**
 * Looks at once, and again after each event that may have changed the answer. Gives undefined when the time is up, the
 * client is gone, or the server stops. Throws `Unavailable` when too many wait already.
 */
export async function longPoll<Found>(options: LongPollOptions<Found>): Promise<Found | undefined> {
  const { live, look, signal } = options
  const until = AbortSignal.any([signal, AbortSignal.timeout(Math.min(options.waitMs, longestWaitMs))])
  // It listens before the first look, so that nothing happens between the two unheard.
  const events = live.watch({ accepts: (event) => options.accepts(event), signal: until })
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if ((await events.next()).done) return undefined
    }
  } catch (error) {
    // So much happened that it was not all noted: one more look tells what came of it.
    if (error instanceof WatcherTooSlow) return look()
    throw error
  } finally {
    await events.return?.(undefined)
  }
}
