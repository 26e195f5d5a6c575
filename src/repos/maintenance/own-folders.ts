import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../access/context.ts'
import { ownService } from '../../access/own-service.ts'
import { cleanRepositories } from './remove-git-leftovers.task.ts'
import { cleanTemporaryFolders } from './remove-temporary-folders.task.ts'

const dayMs = 24 * 3600 * 1000

/** The work on the folders of this machine. */
export const ownFolders = ownService('the cleaning of the folders of this machine', {
  open: () => ({ stop: new AbortController(), work: Promise.resolve() }),
  async close({ stop, work }) {
    stop.abort()
    await work
  },
})

/**
 * Cleans the folders of this machine now and once a day. The tasks that do the same run in one process of the instance, which
 * may be on another machine.
 */
export function cleanOwnFolders(services: Services): void {
  const state = ownFolders.of(services)
  const { signal } = state.stop
  const clean = async (): Promise<void> => {
    while (!signal.aborted) {
      await cleanTemporaryFolders(services, signal)
      // A folder for all machines needs it once.
      if (services.packs) await cleanRepositories(services, signal)
      await sleep(dayMs, undefined, { signal, ref: false })
    }
  }
  state.work = clean().catch((error: unknown) => {
    if (!signal.aborted) services.log('error', 'the folders of this machine were not cleaned', { error })
  })
}
