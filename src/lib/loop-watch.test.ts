import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchLoop, workedMs, type LoopStall } from './loop-watch.ts'
import { until } from '../testing/until.ts'

test('watchLoop reports a blocked event loop and how much of the time was work', async () => {
  const stalls: LoopStall[] = []
  const end = watchLoop(200, (stall) => stalls.push(stall))
  try {
    const begun = workedMs()
    while (workedMs() - begun < 350);
    await until(() => stalls.length > 0)
    assert.ok(stalls.some((stall) => stall.ms >= 200 && stall.workedMs >= 300))
  } finally {
    end()
  }
})
