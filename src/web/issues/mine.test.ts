import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('myIssuesPage, myPullsPage: show what concerns the person, and nothing of repositories that they may not read', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('bob').must('POST', `${repo.api}/issues`, { title: 'By bob' })
  await forge.as('alice').must('POST', `${repo.api}/issues`, { title: 'For alice', assignees: ['alice'] })
  assert.equal((await new Browser(forge).get('/issues')).status, 303)
  const alice = await Browser.of(forge, 'alice')
  const assigned = (await alice.get('/issues')).text
  assert.match(assigned, /For alice/)
  assert.doesNotMatch(assigned, /By bob/)
  const bob = await Browser.of(forge, 'bob')
  assert.match((await bob.get('/issues?type=created')).text, /By bob/)
  assert.doesNotMatch((await bob.get('/issues?type=created&state=closed')).text, /By bob/)
  assert.match((await bob.get('/pulls')).text, /Nothing here/)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.doesNotMatch((await bob.get('/issues?type=created')).text, /By bob/)
})
