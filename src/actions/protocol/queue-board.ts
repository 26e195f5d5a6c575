import { ownService } from '../../access/own-service.ts'
import type { Services } from '../../access/context.ts'
import { transaction, type Db } from '../../db/database.ts'
import { WatcherTooSlow, type LiveItem } from '../../events/live.ts'
import { Unavailable } from '../../lib/errors.ts'
import { scopeText, type QueueScope } from '../queue-scope.ts'
import { beginQueueVersion, queueVersion } from '../runners/runner.store.ts'
import { listWantedLabels } from './task.store.ts'

/** Most runners that wait in one process; who comes after them is told at once that there is nothing. */
const maxWaiting = 5000

/** How long a queue is followed that nobody waits for, in milliseconds: runners come back every few seconds. */
const lingerMs = 15_000

const lingerOf = (over: AbortController): NodeJS.Timeout => setTimeout(() => over.abort(), lingerMs).unref()

interface Waiter {
  readonly wake: () => void
  readonly fail: (error: unknown) => void
}

/** A queue that runners wait for. */
interface Queue {
  readonly scope: QueueScope
  version: number
  /** What its jobs asked of runners when the number was read; jobs that came later have raised it. */
  wanted: Promise<readonly string[]> | undefined
  readonly waiters: Set<Waiter>
  readonly over: AbortController
  linger: NodeJS.Timeout
}

/** The number of a queue, which the first look begins. */
export async function currentVersion(db: Db, scope: QueueScope): Promise<number> {
  const version = await queueVersion(db, scope)
  if (version > 0) return version
  await transaction(db, (tx) => beginQueueVersion(tx, scope))
  return queueVersion(db, scope)
}

/**
 * Where runners wait for work. However many wait for a queue, one look follows a commit that has jobs wait, and none is
 * needed while nothing happens.
 */
export class QueueBoard {
  readonly #queues = new Map<string, Promise<Queue>>()
  readonly #services: Pick<Services, 'db' | 'live'>
  #waiting = 0

  constructor(services: Pick<Services, 'db' | 'live'>) {
    this.#services = services
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** The number of a queue; of one that is followed it is known. */
  async version(scope: QueueScope): Promise<number> {
    const followed = this.#queues.get(scopeText(scope))
    return followed ? (await followed).version : currentVersion(this.#services.db, scope)
  }

  /**
   * Waits until the number of a queue is another than `known`; undefined when the time is up, the client is gone, the
   * server stops, or too many wait.
   */
  async wait(scope: QueueScope, known: number, waitMs: number, signal: AbortSignal): Promise<number | undefined> {
    if (waitMs <= 0 || this.#waiting >= maxWaiting) return undefined
    const queue = await this.#follow(scope)
    if (!queue) return undefined
    if (queue.version !== known) return queue.version
    if (signal.aborted || queue.over.signal.aborted) return undefined
    this.#waiting++
    clearTimeout(queue.linger)
    try {
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = { wake: () => leave(resolve), fail: (error) => leave(() => reject(error)) }
        const leave = (then: () => void): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', waiter.wake)
          queue.waiters.delete(waiter)
          then()
        }
        const timer = setTimeout(waiter.wake, waitMs)
        signal.addEventListener('abort', waiter.wake)
        queue.waiters.add(waiter)
      })
    } finally {
      this.#waiting--
      clearTimeout(queue.linger)
      if (queue.waiters.size === 0) queue.linger = lingerOf(queue.over)
    }
    return queue.version === known || signal.aborted ? undefined : queue.version
  }

  /** What waiting jobs ask of runners, for those who were woken: they look all at once. */
  async wantedLabels(scope: QueueScope): Promise<readonly string[]> {
    const queue = await this.#queues.get(scopeText(scope))
    if (!queue) return listWantedLabels(this.#services.db, scope)
    queue.wanted ??= listWantedLabels(this.#services.db, scope)
    return queue.wanted
  }

  /** Ends all waits. */
  async close(): Promise<void> {
    for (const queue of await Promise.allSettled(this.#queues.values())) {
      if (queue.status === 'fulfilled') queue.value.over.abort()
    }
  }

  /** The queue, followed from now on; undefined when too many follow events already. */
  async #follow(scope: QueueScope): Promise<Queue | undefined> {
    const key = scopeText(scope)
    const known = this.#queues.get(key)
    if (known) return known
    const over = new AbortController()
    let events: AsyncIterator<LiveItem>
    try {
      // It listens before the first look, so that nothing happens between the two unheard.
      events = this.#watch(scope, over.signal)
    } catch (error) {
      // The answer that there is nothing is right, only sooner than it need be.
      if (error instanceof Unavailable) return undefined
      throw error
    }
    const begun = currentVersion(this.#services.db, scope).then((version): Queue => ({
      scope,
      version,
      wanted: undefined,
      waiters: new Set(),
      over,
      linger: lingerOf(over),
    }))
    this.#queues.set(key, begun)
    // Whoever waits hears of what goes wrong.
    void begun
      .then((queue) => this.#keepUp(queue, events))
      .catch(() => over.abort())
      .finally(() => this.#queues.delete(key))
    return begun
  }

  #watch({ repoId }: QueueScope, signal: AbortSignal): AsyncIterator<LiveItem> {
    return this.#services.live.watch({
      accepts: ({ name, ids }) => name === 'run.queued' && (repoId === null || ids['repoId'] === (repoId as number)),
      signal,
    })
  }

  /** Reads the number again whenever it may have changed, until the queue is given up. */
  async #keepUp(queue: Queue, first: AsyncIterator<LiveItem>): Promise<void> {
    let events = first
    try {
      for (;;) {
        try {
          if ((await events.next()).done) break
        } catch (error) {
          // So much happened that it was not all noted: the look tells what came of it.
          if (!(error instanceof WatcherTooSlow)) throw error
          events = this.#watch(queue.scope, queue.over.signal)
        }
        const version = await currentVersion(this.#services.db, queue.scope)
        if (version === queue.version) continue
        queue.version = version
        queue.wanted = undefined
        for (const waiter of [...queue.waiters]) waiter.wake()
      }
      for (const waiter of [...queue.waiters]) waiter.wake()
    } catch (error) {
      for (const waiter of [...queue.waiters]) waiter.fail(error)
    } finally {
      clearTimeout(queue.linger)
      queue.over.abort()
    }
  }
}

export const queueBoard = ownService('the board of queues', {
  open: (services) => new QueueBoard(services),
  close: (board) => board.close(),
})
