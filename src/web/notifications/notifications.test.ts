import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('notifications: guests are asked to sign in', async () => {
  await using forge = await startForge()
  const { status, headers } = await new Browser(forge).get('/notifications')
  assert.deepEqual([status, headers.get('location')], [303, '/user/login?redirect_to=%2Fnotifications'])
})

test('notifications, markNotifications, readNotifications: threads are read, pinned and read together, never those of others', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  for (const title of ['First <i>', 'Second', 'Third']) {
    await forge.as('bob').must('POST', `${repo.api}/issues`, { title, body: '@carol look' })
  }
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const { text } = await alice.get('/notifications')
  assert.match(text, /First &lt;i>/)
  assert.ok(text.includes(`href="/${repo.fullName}/issues/3"`))
  const threads = async (name: string, status = 'unread') =>
    (await forge.as(name).must('GET', `/notifications?status-types=${status}`)).json as {
      id: number
      subject: { title: string }
    }[]
  const [third, second] = await threads('alice')
  const [ofCarol] = await threads('carol')
  const csrf = await alice.csrf('/notifications')
  const mark = (ids: readonly string[], status: string) =>
    alice.post('/notifications/mark', { _csrf: csrf, ids, status })
  assert.equal((await mark([String(third?.id), String(ofCarol?.id)], 'read')).status, 303)
  await mark([String(second?.id)], 'pinned')
  assert.deepEqual(
    (await threads('alice')).map(({ subject }) => subject.title),
    ['First <i>'],
  )
  assert.equal((await threads('carol')).length, 3)
  assert.match((await alice.get('/notifications?q=pinned')).text, /Second/)
  assert.match((await alice.get('/notifications?q=read')).text, /Third/)
  await alice.submit('/notifications', '/notifications/read')
  assert.deepEqual(await threads('alice'), [])
  assert.equal((await threads('alice', 'pinned')).length, 1)
  assert.match((await alice.get('/notifications')).text, /All caught up/)
})
