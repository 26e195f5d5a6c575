import { setTimeout as sleep } from 'node:timers/promises'
import { ownService } from '../access/own-service.ts'
import { WatcherTooSlow, type LiveEvent, type LiveEvents } from '../events/live.ts'
import { TooManyRequests, Unavailable } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'

/** A reader that waits for events. */
export interface Sleeper extends Disposable {
  /** Resolves when events may have arrived since the last call; false: waiting has ended. */
  woken(signal: AbortSignal): Promise<boolean>
}

export interface FeedWaker {
  /**
   * Registers a waiting reader of an account.
   * @throws TooManyRequests when the account has too many waiting readers
   * @throws Unavailable when the process has too many, or stops
   */
  sleep(accountId: UserId, accepts: (event: LiveEvent) => boolean): Sleeper
  close(): void
}

interface WaitingReader {
  readonly accepts: (event: LiveEvent) => boolean
  wake(): void
}

/** Number of readers that wake at once, and the pause before the next ones. Limits the load on the database. */
const wokenAtOnce = 8
const pauseMs = 40

/** Pause before a retry when the process has too many watchers of events. */
const retryMs = 1000

/**
 * Creates a waker of waiting readers. All readers share one watcher of events, and wake a few at a time. A missed event
 * is harmless: a reader that wakes reads from its own position.
 */
export function createFeedWaker(
  live: LiveEvents,
  limits: { readonly most: number; readonly mostPerAccount: number },
): FeedWaker {
  const waiting = new Set<WaitingReader>()
  const perAccount = new Map<UserId, number>()
  const closing = new AbortController()
  let isListening = false
  const toWake = new Set<WaitingReader>()
  let pause: NodeJS.Timeout | undefined

  function wakeSome(): void {
    pause = undefined
    let count = 0
    for (const reader of toWake) {
      if (count++ >= wokenAtOnce) break
      toWake.delete(reader)
      reader.wake()
    }
    if (toWake.size > 0 || count > 0) pause = setTimeout(wakeSome, pauseMs)
  }

  function wake(reader: WaitingReader): void {
    toWake.add(reader)
    if (pause === undefined) pause = setTimeout(wakeSome, 0)
  }

  async function listen(): Promise<void> {
    isListening = true
    try {
      while (waiting.size > 0 && !closing.signal.aborted) {
        try {
          const items = live.watch({ accepts: () => true, signal: closing.signal })
          // Events from before the watch are not delivered, so each reader reads once.
          for (const reader of waiting) wake(reader)
          for await (const item of items) {
            for (const reader of waiting) if (item === 'gap' || reader.accepts(item)) wake(reader)
            if (waiting.size === 0) break
          }
          // The watch ended because the server stops.
          if (waiting.size > 0) closing.abort()
        } catch (error) {
          if (error instanceof WatcherTooSlow) continue
          if (!(error instanceof Unavailable) || error.code !== 'too_many_watchers') throw error
          await sleep(retryMs, undefined, { signal: closing.signal })
        }
      }
    } catch (error) {
      // Without a watch nobody can be woken. The requests end, and the clients reconnect.
      closing.abort(error)
    } finally {
      isListening = false
      if (closing.signal.aborted) for (const reader of waiting) reader.wake()
    }
  }

  return {
    sleep(accountId, accepts) {
      if (closing.signal.aborted) throw new Unavailable('the server is stopping', 'stopping')
      const own = perAccount.get(accountId) ?? 0
      if (own >= limits.mostPerAccount) {
        throw new TooManyRequests(
          'too many clients of this account wait for events; retry later',
          'feed_clients_exceeded',
        )
      }
      if (waiting.size >= limits.most) {
        throw new Unavailable('too many clients wait for events; retry later', 'feed_full')
      }
      perAccount.set(accountId, own + 1)
      let isWoken = false
      let resume: (() => void) | undefined
      const reader: WaitingReader = {
        accepts,
        wake() {
          isWoken = true
          resume?.()
        },
      }
      waiting.add(reader)
      if (!isListening) void listen()
      return {
        async woken(signal) {
          const stop = (): void => resume?.()
          signal.addEventListener('abort', stop)
          try {
            while (!isWoken && !signal.aborted && !closing.signal.aborted) {
              await new Promise<void>((resolve) => (resume = resolve))
            }
          } finally {
            signal.removeEventListener('abort', stop)
            resume = undefined
          }
          isWoken = false
          return !signal.aborted && !closing.signal.aborted
        },
        [Symbol.dispose]() {
          if (!waiting.delete(reader)) return
          toWake.delete(reader)
          const left = (perAccount.get(accountId) ?? 1) - 1
          if (left === 0) perAccount.delete(accountId)
          else perAccount.set(accountId, left)
        },
      }
    },
    close() {
      closing.abort()
      clearTimeout(pause)
    },
  }
}

/** The waiting readers of this process. */
export const feedWaker = ownService<FeedWaker>('the waker of the feed', {
  open: ({ live, config }) =>
    createFeedWaker(live, { most: config.ingot.maxFeedClients, mostPerAccount: config.ingot.maxFeedClientsPerAccount }),
  close: (waker) => waker.close(),
})
