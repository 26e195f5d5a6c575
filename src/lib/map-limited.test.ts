import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { mapLimited } from './map-limited.ts'

test('results come in the order of the items, and no more calls run at once than allowed', async () => {
  let running = 0
  let most = 0
  const results = await mapLimited([3, 1, 2, 5, 4], 2, async (turns, index) => {
    running += 1
    most = Math.max(most, running)
    for (let turn = 0; turn < turns; turn += 1) await setImmediate()
    running -= 1
    return `${index}:${turns}`
  })
  assert.deepEqual(results, ['0:3', '1:1', '2:2', '3:5', '4:4'])
  assert.equal(most, 2)
})

test('after a failure no call begins, and those under way have ended before it is thrown', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const run = mapLimited([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item)
    for (let turn = 0; turn < item * 5; turn += 1) await setImmediate()
    ended.push(item)
    if (item < 3) throw new Error(`item ${item}`)
  })
  await assert.rejects(run, { message: 'item 1' })
  assert.deepEqual(begun, [1, 2])
  assert.deepEqual(ended, [1, 2])
})
