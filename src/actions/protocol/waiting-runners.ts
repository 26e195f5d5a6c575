import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { transaction, type Db } from '../../db/database.ts'
import { listen } from '../../db/notify.ts'
import { queueChannel, scopeText, type QueueScope } from '../queue-scope.ts'
import { findQueueVersion, insertQueueVersion } from '../runners/runner.store.ts'

/** Most requests for work that wait in one process. The server answers further ones at once, without a task. */
const maxWaiting = 5000

/** The number of requests for work that wait in this process. */
export const waitingRunners = ownService('the count of waiting runners', { open: () => ({ count: 0 }) })

/** Returns the version of a queue. The first call for a scope creates the queue. */
export async function getQueueVersion(db: Db, scope: QueueScope): Promise<number> {
  const version = await findQueueVersion(db, scope)
  if (version !== undefined) return version
  await transaction(db, (tx) => insertQueueVersion(tx, scope))
  return (await findQueueVersion(db, scope)) ?? 0
}

/**
 * Waits until a queue has another version than `known` and returns that version. Returns undefined when `waitMs` is over,
 * when the request ends, and when too many requests wait.
 */
export async function waitForJobs(
  services: Pick<Services, 'db' | 'own'>,
  { scope, known, waitMs, signal }: { scope: QueueScope; known: number; waitMs: number; signal: AbortSignal },
): Promise<number | undefined> {
  const waiting = waitingRunners.of(services)
  if (waitMs <= 0 || waiting.count >= maxWaiting) return undefined
  const key = scopeText(scope)
  const isOver = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
  let wake = (): void => {}
  const wakeUp = (): void => wake()
  isOver.addEventListener('abort', wakeUp)
  // The subscription precedes the first look at the version, so that no change between the two is missed.
  const unlisten = listen(services.db, queueChannel, {
    heard: (changed) => (changed === key ? wakeUp() : undefined),
    missed: wakeUp,
  })
  waiting.count++
  try {
    while (!isOver.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      const version = await getQueueVersion(services.db, scope)
      if (version !== known) return version
      await woken
    }
    return undefined
  } finally {
    waiting.count--
    unlisten()
    isOver.removeEventListener('abort', wakeUp)
  }
}
