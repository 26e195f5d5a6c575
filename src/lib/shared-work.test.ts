import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedWork } from './shared-work.ts'

test('shared work begins after the call of each caller that gets its result', async () => {
  const shared = new SharedWork<string, string>()
  let value = 'old'
  let begun = 0
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const read = () =>
    shared.run('key', async () => {
      const read = value
      await gates[begun++]!.promise
      return read
    })
  const first = read()
  value = 'new'
  const [second, third] = [read(), read()]
  assert.deepEqual([begun, second === third], [1, true])
  gates[0]!.resolve()
  assert.equal(await first, 'old')
  await new Promise(setImmediate)
  value = 'newest'
  const fourth = read()
  assert.notEqual(fourth, second)
  gates[1]!.resolve()
  assert.deepEqual([await second, await third], ['new', 'new'])
  gates[2]!.resolve()
  assert.deepEqual([await fourth, begun], ['newest', 3])
})

test('shared work that fails is not shared with later callers, and keys are independent', async () => {
  const shared = new SharedWork<string, number>()
  const failing = shared.run('a', () => Promise.reject(new Error('failed')))
  const [next, other] = [shared.run('a', async () => 1), shared.run('b', async () => 2)]
  await assert.rejects(failing, /failed/)
  assert.deepEqual([await next, await other], [1, 2])
})
