import type { Db, Tx } from '../db/database.ts'
import { listen, notify } from '../db/notify.ts'
import { Unavailable } from '../lib/errors.ts'
import type { EventId } from '../lib/ids.ts'
import type { Event, EventName } from './catalogue.ts'

/** An event for watchers: its name and ids. Watchers load the rest with their own rights. */
export interface LiveEvent {
  readonly id: EventId
  readonly name: EventName
  readonly atMs: number
  /** The ids in the data. */
  readonly ids: Readonly<Record<string, number>>
}

/** An item of a watcher: an event, or the notice that events of other processes may be lost. */
export type LiveItem = LiveEvent | 'gap'

export interface LiveLimits {
  /** Maximum number of watchers per process. */
  readonly maxWatchers: number
  /** Maximum queue length of a watcher; a slower watcher is dropped. */
  readonly maxQueued: number
}

const defaultLimits: LiveLimits = { maxWatchers: 1000, maxQueued: 256 }

/** Thrown in the loop of a watcher that is too slow. */
export class WatcherTooSlow extends Error {
  override readonly name = 'WatcherTooSlow'
}

/** Receives events without a queue. */
export interface LiveListener {
  heard(event: LiveEvent): void
  /** Events of other processes may be lost. */
  missed(): void
}

export interface LiveEvents {
  /**
   * Yields the events of all processes from now on that `accepts` selects, until `signal` is aborted or the feed is closed.
   * Best effort, for display; work belongs in subscribers.
   * @throws Unavailable when there are too many watchers
   */
  watch(options: {
    readonly accepts: (event: LiveEvent) => boolean
    readonly signal: AbortSignal
  }): AsyncIterableIterator<LiveItem>
  /**
   * Calls `listener` for each event of any process. It must not throw and must return quickly.
   * @returns a function that stops listening
   */
  listen(listener: LiveListener): () => void
  readonly watcherCount: number
  /** Ends all watchers and refuses new ones. */
  close(): void
}

const eventChannel = 'event'

/** Notifies the watchers of all processes after the commit. */
export function announce(tx: Tx, id: EventId, event: Event): void {
  const ids: Record<string, number> = {}
  for (const [member, value] of Object.entries(event.data)) {
    if (member.endsWith('Id') && typeof value === 'number') ids[member] = value
  }
  notify(tx, eventChannel, JSON.stringify({ id, name: event.name, atMs: event.atMs, ids } satisfies LiveEvent))
}

interface Watcher {
  readonly accepts: (event: LiveEvent) => boolean
  readonly push: (item: LiveItem) => void
  readonly end: () => void
}

export function createLiveEvents(db: Db, limits: Partial<LiveLimits> = {}): LiveEvents {
  const { maxWatchers, maxQueued } = { ...defaultLimits, ...limits }
  const watchers = new Set<Watcher>()
  const listeners = new Set<LiveListener>()
  let isClosed = false

  const unlisten = listen(db, eventChannel, {
    heard(payload) {
      if (watchers.size === 0 && listeners.size === 0) return
      const event = JSON.parse(payload) as LiveEvent
      for (const watcher of watchers) if (watcher.accepts(event)) watcher.push(event)
      for (const listener of listeners) listener.heard(event)
    },
    missed() {
      for (const watcher of watchers) watcher.push('gap')
      for (const listener of listeners) listener.missed()
    },
  })

  return {
    watch({ accepts, signal }) {
      if (isClosed) throw new Unavailable('the server is stopping', 'stopping')
      if (watchers.size >= maxWatchers) throw new Unavailable('too many watch the events', 'too_many_watchers')
      const queue: LiveItem[] = []
      let state: 'open' | 'ended' | 'dropped' = 'open'
      let awake: (() => void) | undefined

      const watcher: Watcher = {
        accepts,
        push(item) {
          if (queue.length >= maxQueued) leave('dropped')
          else queue.push(item)
          awake?.()
        },
        end: () => leave('ended'),
      }
      function leave(as: 'ended' | 'dropped'): void {
        if (state === 'open') state = as
        watchers.delete(watcher)
        signal.removeEventListener('abort', watcher.end)
        awake?.()
      }
      // Not a generator: an unstarted generator cannot be ended and would keep its slot.
      const items: AsyncIterableIterator<LiveItem> = {
        [Symbol.asyncIterator]: () => items,
        async next() {
          for (;;) {
            if (state === 'dropped') throw new WatcherTooSlow(`more than ${maxQueued} events waited for a watcher`)
            if (state === 'ended') return { value: undefined, done: true }
            const item = queue.shift()
            if (item !== undefined) return { value: item, done: false }
            await new Promise<void>((resolve) => (awake = resolve))
          }
        },
        async return() {
          leave('ended')
          return { value: undefined, done: true }
        },
      }
      // It receives events from the call on, not from the first iteration.
      if (signal.aborted) state = 'ended'
      else watchers.add(watcher)
      signal.addEventListener('abort', watcher.end)
      return items
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get watcherCount() {
      return watchers.size
    },
    close() {
      isClosed = true
      unlisten()
      for (const watcher of [...watchers]) watcher.end()
    },
  }
}
