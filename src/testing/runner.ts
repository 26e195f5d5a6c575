import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRunningTask, listWantedLabels } from '../actions/protocol/task.store.ts'
import { instanceScope } from '../actions/queue-scope.ts'
import { hostEnvironment } from '../config/host-environment.ts'
import type { Db } from '../db/database.ts'
import { startRunner, defaultLabels } from '../runner/runner.ts'

/** The runner of a test's forge. */
export interface ForgeRunner {
  /** Waits for running workflows. @returns whether it waited */
  hasWorked(db: Db): Promise<boolean>
  /** Stops it, keeping its credentials for `resume()`. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

/** Polling interval and total timeout, in milliseconds. */
const lookEveryMs = 15
const longestMs = 250_000

export async function startForgeRunner(
  url: string,
  registrationToken: string,
  { labels = defaultLabels, capacity = 2 }: { readonly labels?: readonly string[]; readonly capacity?: number },
): Promise<ForgeRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-runner-'))
  const start = () =>
    startRunner({
      url,
      registrationToken,
      name: 'of the test',
      labels,
      folder,
      capacity,
      environment: hostEnvironment(),
    })
  let runner = await start()
  const isWanted = (runsOn: string): boolean => {
    const wanted = JSON.parse(runsOn) as string[]
    return wanted.length > 0 && wanted.every((label) => labels.includes(label))
  }
  const hasWork = async (db: Db): Promise<boolean> =>
    runner.busy > 0 ||
    (await hasRunningTask(db, runner.uuid)) ||
    (await listWantedLabels(db, instanceScope)).some(isWanted)
  return {
    async hasWorked(db) {
      const until = performance.now() + longestMs
      let worked = false
      while (await hasWork(db)) {
        worked = true
        if (performance.now() > until) throw new Error('the workflows did not come to an end')
        await sleep(lookEveryMs)
      }
      return worked
    },
    pause: () => runner.stop(),
    async resume() {
      runner = await start()
    },
    async stop() {
      await runner.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
