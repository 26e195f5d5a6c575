import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { hostileUploads } from './hostile.test-support.ts'
import { registryOf } from './packages.test-support.ts'

/**
 * Longest time that the main thread may compute without a turn for other requests, in milliseconds of its processor: twice
 * the 200 ms that people may wait, for collections of garbage and slow machines. Waiting for the processor does not count.
 */
const maxTurnMs = 400

/** Measures the longest turn of this thread while `work` runs. */
async function longestTurnMs(work: () => Promise<void>): Promise<number> {
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let longest = 0
  let last = usedMs()
  let isOver = false
  const watch = (): void => {
    const now = usedMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  isOver = true
  await new Promise((resolve) => setImmediate(resolve))
  return longest
}

test('uploads to registries: the worst known input of each parser keeps no other request waiting', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  // What is loaded at the first upload is no part of the measurement.
  await alice('PUT', 'generic/a/1/a', 'x')
  const found: string[] = []
  for (const { what, method, path, content } of await hostileUploads()) {
    let status = 0
    const turnMs = await longestTurnMs(async () => {
      ;({ status } = await alice(method, path, content))
    })
    if (status >= 500 || turnMs > maxTurnMs) found.push(`${path}: ${what}: ${status} after ${turnMs.toFixed(0)} ms`)
  }
  assert.deepEqual(found, [])
})
