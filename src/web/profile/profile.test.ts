import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { weeksOf } from './heatmap.rules.ts'

test('profile: shows what the viewer may see, with the README of .profile, and hides private accounts', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const open = await forge.given.repo({ owner: 'alice', name: 'anvil' })
  await forge.given.repo({ owner: 'alice', name: 'secret', private: true })
  await forge.given.repo({ owner: 'alice', name: '.profile', auto_init: false })
  await forge.as('alice').must('POST', '/repos/alice/.profile/contents/README.md', {
    content: Buffer.from('# Hot iron\n<script>alert(1)</script>').toString('base64'),
    message: 'add',
  })
  await forge.as('alice').must('PATCH', '/user/settings', { description: 'Smith <b>', location: 'Here' })
  await forge.as('root').must('PATCH', '/admin/users/carol', { visibility: 'private' })
  const guest = new Browser(forge)
  const { status, text } = await guest.get('/alice')
  assert.equal(status, 200)
  assert.match(text, /<h1[^>]*>Hot iron|Hot iron<\/h1>/)
  assert.ok(!text.includes('<script>alert') && text.includes('Smith &lt;b>'))
  assert.ok(text.includes(`href="/${open.fullName}"`) && !text.includes('/alice/secret'))
  assert.match(text, /type="application\/atom\+xml"[^>]*href="\/alice\.atom"/)
  assert.equal((await guest.get('/carol')).status, 404)
  assert.equal((await guest.get('/nobody')).status, 404)
  assert.ok((await (await Browser.of(forge, 'alice')).get('/alice')).text.includes('href="/alice/secret"'))
})

test('profile: tabs show activity with a heat map, stars and followers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'Cool it' })
  await forge.as('bob').must('PUT', `/user/starred/${repo.fullName}`)
  await forge.as('bob').must('PUT', '/user/following/alice')
  await forge.settle()
  const bob = await Browser.of(forge, 'bob')
  const activity = (await bob.get('/alice?tab=activity')).text
  assert.match(activity, /class="heat-4"/)
  assert.match(activity, /opened the issue[\s\S]*Cool it/)
  assert.ok((await bob.get('/bob?tab=stars')).text.includes(`href="/${repo.fullName}"`))
  assert.match((await bob.get('/alice?tab=followers')).text, /<li class="row person-row">[\s\S]*href="\/bob"/)
  const guest = await new Browser(forge).get('/alice?tab=followers')
  assert.equal(guest.status, 303)
  await forge.as('alice').must('PATCH', '/user/settings', { hide_activity: true })
  const hidden = (await bob.get('/alice?tab=activity')).text
  assert.match(hidden, /alice does not show their activity/)
  assert.ok(!hidden.includes('Cool it') && !hidden.includes('class="heatmap"'))
  const own = (await (await Browser.of(forge, 'alice')).get('/alice?tab=activity')).text
  assert.match(own, /Only you and administrators see your activity[\s\S]*Cool it/)
})

test('changeStanding: a person follows and blocks; guests sign in first', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const guest = new Browser(forge)
  const refused = await guest.post('/alice/-/standing/follow', { _csrf: await guest.csrf() })
  const signIn = `/user/login?redirect_to=${encodeURIComponent('/alice/-/standing/follow')}`
  assert.deepEqual([refused.status, refused.headers.get('location')], [303, signIn])
  const bob = await Browser.of(forge, 'bob')
  assert.equal((await bob.submit('/alice', '/alice/-/standing/follow')).status, 303)
  assert.equal((await forge.as('bob').get('/user/following/alice')).status, 204)
  await bob.submit('/alice', '/alice/-/standing/block')
  assert.equal((await forge.as('bob').get('/user/following/alice')).status, 404)
  assert.equal((await forge.as('bob').must('GET', '/user/list_blocked')).json.length, 1)
  assert.ok(!(await bob.get('/alice')).text.includes('standing/follow'), 'a blocked person cannot be followed')
  await bob.submit('/alice', '/alice/-/standing/unblock')
  assert.equal((await forge.as('bob').must('GET', '/user/list_blocked')).json.length, 0)
})

test('profile: an organization shows its people', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  const asGuest = async () => (await new Browser(forge).get('/smiths')).text
  assert.ok(!(await asGuest()).includes('href="/alice"'), 'a membership is hidden by default')
  await forge.as('alice').must('PUT', '/orgs/smiths/public_members/alice')
  assert.ok((await asGuest()).includes('href="/alice"'))
})

test('weeksOf: counts by day, and today is the last day', () => {
  const now = Date.UTC(2026, 10, 28, 12) / 1000
  const weeks = weeksOf(
    [
      { cell: now - 3600, count: 2 },
      { cell: now - 7200, count: 2 },
      { cell: now - 86_400, count: 1 },
    ],
    now,
  )
  const days = weeks.flat()
  assert.equal(weeks.length, 53)
  assert.deepEqual(
    days.slice(-2).map(({ count, level }) => [count, level]),
    [
      [1, 1],
      [4, 4],
    ],
  )
})
