import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('starRepository, watchRepository: a person stars and watches; guests are asked to sign in; other sites cannot', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const at = (path: string) => `/${repo.fullName}/${path}`
  const guest = new Browser(forge)
  const refused = await guest.post(at('stars/add'), { _csrf: await guest.csrf() })
  const signIn = `/user/login?redirect_to=${encodeURIComponent(at('stars/add'))}`
  assert.deepEqual([refused.status, refused.headers.get('location')], [303, signIn])
  assert.equal((await guest.get(at('stars/add'))).headers.get('location'), at('stars'), 'the page above the form')

  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(at('stars/add'), { _csrf: `${csrf}x` })).status, 403)
  assert.equal((await bob.post(at('stars/hide'), { _csrf: csrf })).status, 404)
  for (const mark of ['stars/add', 'watchers/add']) {
    assert.equal((await bob.post(at(mark), { _csrf: csrf })).status, 303)
  }
  assert.equal((await forge.as('bob').get(`/user/starred/${repo.fullName}`)).status, 204)
  assert.equal((await forge.as('bob').get(`${repo.api}/subscription`)).status, 200)
  await bob.post(at('stars/remove'), { _csrf: csrf })
  assert.equal((await forge.as('bob').get(`/user/starred/${repo.fullName}`)).status, 404)
})

test('starRepository: a private repository does not exist for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const bob = await Browser.of(forge, 'bob')
  const reply = await bob.post(`/${repo.fullName}/stars/add`, { _csrf: await bob.csrf('/user/settings') })
  assert.equal(reply.status, 404)
  assert.match(reply.text, /<h1>Page not found/)
})

test('starRepository: where stars are switched off, a page has no button for them and the form does nothing', async () => {
  await using forge = await startForge({ settings: { repository: { DISABLE_STARS: true } }, users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const bob = await Browser.of(forge, 'bob')
  assert.doesNotMatch((await bob.get(`/${repo.fullName}`)).text, /stars\/add"/)
  const reply = await bob.post(`/${repo.fullName}/stars/add`, { _csrf: await bob.csrf('/user/settings') })
  assert.equal(reply.status, 404)
  assert.equal((await forge.as('alice').get(repo.api)).json.stars_count, 0)
})

test('pages: where stars and forks are switched off, nothing leads to them', async () => {
  const settings = { repository: { DISABLE_STARS: true, DISABLE_FORKS: true } }
  await using forge = await startForge({ settings, users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await using open = await startForge({ users: ['alice', 'bob'] })
  await open.given.repo({ owner: 'alice' })
  const lists = ['/', '/alice', '/alice?tab=stars', '/explore/repos', '/search?q=repo', '/user/settings']
  const leads = /href="[^"]*(?:\/stars|\/forks|\/fork|tab=stars)["?]|value="most(?:stars|forks)"/g
  let shown = 0
  for (const path of [...lists, `/${repo.fullName}`, `/${repo.fullName}/watchers`]) {
    const { text, status } = await (await Browser.of(forge, 'bob')).get(path)
    assert.equal(status, 200, path)
    assert.deepEqual([...text.matchAll(leads)].map(String), [], path)
    shown += [...(await (await Browser.of(open, 'bob')).get(path)).text.matchAll(leads)].length
  }
  assert.ok(shown > lists.length, `elsewhere they are shown: ${shown}`)
})
