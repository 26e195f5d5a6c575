import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('issueStartStopWatch, issueStopStopWatch, issueDeleteStopWatch, userGetStopWatches: an account has at most one running stopwatch', async () => {
  await using forge = await startForge({ standAt: Date.parse('2030-01-01T00:00:00Z') })
  const repo = await forge.given.repo()
  const [one, two] = [await forge.given.issue({ repo }), await forge.given.issue({ repo })]
  const alice = forge.as('alice')
  assert.equal((await alice.post(`${one.api}/stopwatch/stop`)).status, 409)
  assert.equal((await forge.as('bob').post(`${one.api}/stopwatch/start`)).status, 403)
  await alice.must('POST', `${one.api}/stopwatch/start`)
  assert.equal((await alice.post(`${one.api}/stopwatch/start`)).status, 409)
  forge.clock.advance(90_000)
  const [watch] = (await alice.must('GET', '/user/stopwatches')).json
  assert.deepEqual([watch.seconds, watch.duration, watch.issue_index], [90, '1 minute 30 seconds', one.number])
  await alice.must('POST', `${two.api}/stopwatch/start`)
  assert.equal((await alice.must('GET', `${one.api}/times`)).json[0].time, 90)
  await alice.must('DELETE', `${two.api}/stopwatch/delete`)
  assert.deepEqual((await alice.must('GET', '/user/stopwatches')).json, [])
  await alice.must('POST', `${one.api}/stopwatch/start`)
  await alice.must('PATCH', one.api, { state: 'closed' })
  assert.deepEqual((await alice.must('GET', '/user/stopwatches')).json, [])
})
