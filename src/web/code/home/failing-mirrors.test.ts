import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

const settings = { migrations: { ALLOW_LOCALNETWORKS: true } }

test('repositoryHomePage, syncMirrorSubmit: a mirror says that its synchronization fails, and why to those who may try again', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  const repo = await forge.given.repo()
  const how = { clone_addr: `${forge.url}/${repo.fullName}.git`, repo_name: 'follower', mirror: true, service: 'git' }
  await forge.as('alice').must('POST', '/repos/migrate', how)
  await forge.settle()
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const at = '/alice/follower'
  const failure = /last synchronization with the other repository failed\. The last success was <relative-time/
  const reason = /The other server asks for other credentials\./
  assert.doesNotMatch((await alice.get(at)).text, failure)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  await forge.as('alice').must('POST', '/repos/alice/follower/mirror-sync')
  await forge.settle()

  const [ofOwner, ofReader, ofGuest] = [await alice.get(at), await bob.get(at), await new Browser(forge).get(at)]
  for (const { text } of [ofOwner, ofReader, ofGuest]) assert.match(text, failure)
  assert.match(ofOwner.text, reason)
  for (const { text } of [ofReader, ofGuest]) {
    assert.doesNotMatch(text, reason)
    assert.ok(!text.includes('mirror/sync'), 'readers cannot try again')
  }

  await forge.as('alice').must('PATCH', repo.api, { private: false })
  const retried = await alice.submit(at, `${at}/settings/mirror/sync`)
  assert.deepEqual([retried.status, retried.headers.get('location')], [303, at])
  await forge.settle()
  assert.doesNotMatch((await alice.get(at)).text, failure)
})

test('repositoryHomePage, syncPushMirrorsSubmit: administrators see which push mirror fails', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], settings })
  const repo = await forge.given.repo()
  const remote_address = `${forge.url}/alice/gone.git`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const at = `/${repo.fullName}`
  const { token } = await forge.account('alice')
  const login = { remote_username: 'alice', remote_password: token }
  await forge.as('alice').must('POST', `${repo.api}/push_mirrors`, { remote_address, interval: '0s', ...login })
  const failure = `The last push to ${remote_address} failed. None has succeeded yet.`
  assert.ok(!(await alice.get(at)).text.includes(failure))
  await forge.as('alice').must('POST', `${repo.api}/push_mirrors-sync`)
  const shown = (await alice.get(at)).text
  assert.ok(shown.includes(failure))
  const { json: mirrors } = await forge.as('alice').must('GET', `${repo.api}/push_mirrors`)
  // The page has the message as a sentence, with escaped quotation marks.
  const words = /\w[\w ]{8,}/.exec(mirrors[0].last_error.slice(1))?.[0]
  assert.ok(words !== undefined && shown.includes(words), mirrors[0].last_error)
  assert.ok(!shown.includes(token))
  assert.ok(!(await bob.get(at)).text.includes(remote_address))

  await forge.as('alice').must('POST', '/user/repos', { name: 'gone' })
  const retried = await alice.submit(at, `${at}/settings/mirrors/sync`)
  assert.equal(retried.headers.get('location'), at)
  assert.ok(!(await alice.get(at)).text.includes(remote_address))
})
