import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('markRepository: a person stars and watches; guests are asked to sign in; other sites cannot', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const at = (mark: string) => `/${repo.fullName}/action/${mark}`
  const guest = new Browser(forge)
  const refused = await guest.post(at('star'), { _csrf: await guest.csrf() })
  assert.deepEqual([refused.status, refused.headers.get('location')], [303, '/user/login'])

  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(at('star'), { _csrf: `${csrf}x` })).status, 403)
  assert.equal((await bob.post(at('hide'), { _csrf: csrf })).status, 404)
  for (const mark of ['star', 'watch']) assert.equal((await bob.post(at(mark), { _csrf: csrf })).status, 303)
  assert.equal((await forge.as('bob').get(`/user/starred/${repo.fullName}`)).status, 204)
  assert.equal((await forge.as('bob').get(`${repo.api}/subscription`)).status, 200)
  await bob.post(at('unstar'), { _csrf: csrf })
  assert.equal((await forge.as('bob').get(`/user/starred/${repo.fullName}`)).status, 404)
})

test('markRepository: a private repository does not exist for strangers', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const bob = await Browser.of(forge, 'bob')
  const reply = await bob.post(`/${repo.fullName}/action/star`, { _csrf: await bob.csrf('/user/settings') })
  assert.equal(reply.status, 404)
  assert.match(reply.text, /<h1>Page not found/)
})
