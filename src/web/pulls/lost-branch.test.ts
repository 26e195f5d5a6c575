import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'
import { collaborator, commitFiles, givenPull } from '../../testing/given-pull.ts'

test('pullPage, restoreTheBranch: a deleted head is named, restored by writers, and the pull request goes on', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  const pull = await givenPull(forge, { repo, branch: 'topic' })
  await collaborator(forge, repo, 'bob')
  const at = `/${repo.fullName}/pulls/${pull.number}`
  await forge.as('alice').must('DELETE', `${repo.api}/branches/topic`)
  await forge.settle()
  const [bob, carol] = [await Browser.of(forge, 'bob'), await Browser.of(forge, 'carol')]
  const reader = await carol.get(at)
  assert.match(reader.text, /The branch topic was deleted/)
  assert.doesNotMatch(reader.text, /branch\/restore/)
  assert.doesNotMatch(reader.text, /href="[^"]*src\/branch\/topic"/)
  const csrf = await carol.csrf('/user/settings')
  assert.equal((await carol.post(`${at}/branch/restore`, { _csrf: csrf, side: 'head' })).status, 403)
  assert.equal((await bob.submit(at, 'branch/restore')).status, 303)
  const { json } = await forge.guest.get(`${repo.api}/branches/topic`)
  assert.equal(json.commit.id, pull.head)
  assert.doesNotMatch((await bob.get(at)).text, /was deleted</)
  assert.equal((await bob.post(`${at}/branch/restore`, { _csrf: await bob.csrf('/user/settings') })).status, 409)
  await bob.submit(at, '/comments', { state: 'open' })
  await bob.submit(at, '/merge', { style: 'merge' })
  assert.equal((await forge.guest.get(pull.api)).json.merged, true)
})

test('pullPage: without its base a pull request offers no merge, but restoring and another base', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  await commitFiles(forge, repo, 'next', { 'n.txt': 'n\n' })
  const pull = await givenPull(forge, { repo, branch: 'topic', base: 'next' })
  const at = `/${repo.fullName}/pulls/${pull.number}`
  await forge.as('alice').must('DELETE', `${repo.api}/branches/next`)
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const closed = await alice.get(at)
  assert.match(closed.text, /The base next was deleted/)
  assert.match(closed.text, /Restore next at [0-9a-f]{10}/)
  assert.match(closed.text, /restore it or choose another one first/)
  await forge.as('alice').must('PATCH', pull.api, { state: 'open' })
  await forge.settle()
  const open = await alice.get(at)
  assert.match(open.text, /The base next was deleted/)
  assert.doesNotMatch(open.text, /class="merge-form|The branches could not be compared|Update branch/)
  assert.equal((await alice.submit(at, 'branch/restore')).status, 303)
  await forge.settle()
  const restored = await alice.get(at)
  assert.match(restored.text, /This pull request can be merged/)
  assert.match(restored.text, /class="merge-form/)
})

test('pullPage: a deleted fork is named; its commits can still be merged', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'ingot' })
  const { json } = await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { ...repo, owner: 'bob', fullName: json.full_name, api: `/repos/${json.full_name}` }
  await commitFiles(forge, fork, 'topic', { 'a.txt': 'a\n' })
  const { json: pull } = await forge
    .as('bob')
    .must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'Take it' })
  await forge.as('bob').must('DELETE', fork.api)
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}/pulls/${pull.number}`
  const shown = await alice.get(at)
  assert.match(shown.text, /The repository of the branch was deleted/)
  assert.match(shown.text, /git fetch origin pull\/1\/head/)
  assert.doesNotMatch(shown.text, /branch\/restore/)
  await alice.submit(at, '/comments', { state: 'open' })
  const open = await alice.get(at)
  assert.doesNotMatch(open.text, /Delete the branch topic afterwards/)
  assert.equal((await alice.submit(at, '/merge', { style: 'merge' })).status, 303)
  assert.equal((await forge.guest.get(`${repo.api}/pulls/${pull.number}`)).json.merged, true)
})
