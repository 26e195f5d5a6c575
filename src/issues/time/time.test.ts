import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

test('issueAddTime, issueTrackedTimes, issueResetTime, issueDeleteTime, repoTrackedTimes, userTrackedTimes, userCurrentTrackedTimes: rights to track and to see times', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const issue = await forge.given.issue({ repo, poster: 'bob' })
  const path = `${issue.api}/times`
  const add = (as: string, body: object) => forge.as(as).post(path, body)
  assert.equal((await add('carol', { time: 60 })).status, 403)
  assert.equal((await add('bob', { time: 0 })).status, 422)
  const own = (await add('bob', { time: 60 })).json
  assert.equal((await add('alice', { time: 3661, user_name: 'carol' })).json.user_name, 'carol')
  const seen = async (as: string, query = '') =>
    (await forge.as(as).must('GET', path + query)).json.map((time: { time: number }) => time.time)
  assert.deepEqual([await seen('alice'), await seen('bob'), await seen('dave')], [[60, 3661], [60], []])
  assert.equal((await forge.as('bob').get(`${path}?user=carol`)).status, 403)
  assert.equal((await forge.as('alice').delete(`${path}/${own.id}`)).status, 403)
  assert.equal((await forge.as('bob').delete(`${path}/${own.id}`)).status, 204)
  assert.equal((await forge.as('bob').delete(path)).status, 404)
  assert.equal((await forge.guest.get(`${repo.api}/times`)).status, 401)
  assert.equal((await forge.guest.get('/user/times')).status, 401)
  assert.equal((await forge.as('alice').get(`${repo.api}/times/nobody-here`)).status, 404)
  assert.deepEqual((await forge.as('dave').must('GET', '/user/times')).json, [])
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/times`)).json.length, 1)
  assert.equal((await forge.as('alice').must('GET', `${repo.api}/times/carol`)).json.length, 1)
  assert.equal((await forge.as('carol').must('GET', '/user/times')).json.length, 1)
  const words = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json.map(
    (each: { body: string }) => each.body,
  )
  assert.deepEqual(words, ['1 minute', '1 hour 1 minute', '1 minute'])
})
