import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { withinTime } from './within-time.ts'

test('work that hangs is late, and its result or error comes through in time', async () => {
  await assert.rejects(withinTime(new Promise(() => {}), 20), /^Error: no answer within 20 ms$/)
  assert.equal(await withinTime(Promise.resolve(1), 20), 1)
  await assert.rejects(withinTime(Promise.reject(new Error('broken')), 20), /^Error: broken$/)
})

test('work is not late because other work holds the event loop', async () => {
  const hold = (ms: number): void => {
    for (const endMs = performance.now() + ms; performance.now() < endMs;);
  }
  const work = async (): Promise<string> => {
    for (let each = 0; each < 5; each++) {
      await turn()
      hold(20)
    }
    return 'done'
  }
  assert.equal(await withinTime(work(), 20), 'done')
})
