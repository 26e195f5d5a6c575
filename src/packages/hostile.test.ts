import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { longestStall } from '../testing/loop-stalls.ts'
import { hostileUploads } from './hostile.test-support.ts'
import { registryOf } from './packages.test-support.ts'

/**
 * Longest time that the main thread may compute without a turn for other requests, in milliseconds of its processor: twice
 * the 200 ms that people may wait, for collections of garbage and slow machines. Waiting for the processor does not count.
 */
const maxStallMs = 400

test('uploads to registries: the worst known input of each parser keeps no other request waiting', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const alice = registryOf(forge.as('alice'), 'alice')
  // What is loaded at the first upload is no part of the measurement.
  await alice('PUT', 'generic/a/1/a', 'x')
  const found: string[] = []
  for (const { what, method, path, content } of await hostileUploads()) {
    let status = 0
    const stallMs = await longestStall(async () => {
      ;({ status } = await alice(method, path, content))
    })
    if (status >= 500 || stallMs > maxStallMs) found.push(`${path}: ${what}: ${status} after ${stallMs.toFixed(0)} ms`)
  }
  assert.deepEqual(found, [])
})
