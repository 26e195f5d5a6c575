import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('branchesPage, createBranchAct, renameBranchAct, deleteBranchAct: writers manage branches, others see them', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const web = `/${repo.fullName}/branches`
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(web)).text, />main<\/a>/)
  assert.doesNotMatch((await bob.get(web)).text, /New branch/)
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(web, { _csrf: csrf, name: 'x' })).status, 403)
  assert.equal((await bob.post(`${web}/delete`, { _csrf: csrf, name: 'main' })).status, 403)
  assert.equal((await bob.post(`${web}/rename`, { _csrf: csrf, from: 'main', to: 'x' })).status, 403)

  const alice = await Browser.of(forge, 'alice')
  const wrong = await alice.submit(web, 'branches"', { name: 'a..b' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /A\.\.b is not a valid branch name/)
  assert.equal((await alice.submit(web, 'branches"', { name: 'topic/one' })).status, 303)
  assert.equal((await alice.submit(web, 'branches"', { name: 'topic/one' })).status, 409)
  const renamed = await alice.post(`${web}/rename`, { _csrf: await alice.csrf(web), from: 'topic/one', to: 'two' })
  assert.equal(renamed.status, 303)
  const names = async () =>
    (await forge.guest.get(`${repo.api}/branches`)).json.map((branch: { name: string }) => branch.name).sort()
  assert.deepEqual(await names(), ['main', 'two'])
  assert.equal((await alice.submit(web, 'branches/delete', { name: 'two' })).status, 303)
  assert.deepEqual(await names(), ['main'])
  assert.equal((await alice.submit(web, 'branches/delete', { name: 'main' })).status, 403)

  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await bob.get(web)).status, 404)
})

test('tagsPage, createTagAct, deleteTagAct: writers manage tags', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const web = `/${repo.fullName}/tags`
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get(web)).text, /No tags yet/)
  const csrf = await bob.csrf('/user/settings')
  assert.equal((await bob.post(web, { _csrf: csrf, name: 'v1' })).status, 403)
  assert.equal((await bob.post(`${web}/delete`, { _csrf: csrf, name: 'v1' })).status, 403)
  const alice = await Browser.of(forge, 'alice')
  const wrong = await alice.submit(web, 'tags"', { name: 'v1', target: 'nothing' })
  assert.equal(wrong.status, 404)
  assert.equal((await alice.submit(web, 'tags"', { name: 'v1', message: 'first' })).status, 303)
  assert.match((await bob.get(web)).text, />v1<\/a>/)
  assert.equal((await forge.guest.get(`${repo.api}/tags/v1`)).json.message, 'first')
  assert.equal((await alice.submit(web, 'tags/delete', { name: 'v1' })).status, 303)
  assert.equal((await forge.guest.get(`${repo.api}/tags/v1`)).status, 404)
})
