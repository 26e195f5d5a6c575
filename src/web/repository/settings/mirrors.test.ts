import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'

test('mirrorsPage, addPushMirrorSubmit, syncPushMirrorsSubmit, deletePushMirrorSubmit, syncMirrorSubmit: administrators manage push mirrors', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob', 'carol'],
    settings: { migrations: { ALLOW_LOCALNETWORKS: true } },
  })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/mirrors`
  const as = (name: string) => Browser.of(forge, name)
  const [alice, bob, carol] = [await as('alice'), await as('bob'), await as('carol')]
  assert.equal((await new Browser(forge).get(at)).status, 303)
  assert.equal((await carol.get(at)).status, 404)
  assert.equal((await bob.get(at)).status, 403)
  const csrf = { _csrf: await bob.csrf('/repo/create') }
  for (const path of ['', '/delete', '/sync']) assert.equal((await bob.post(at + path, csrf)).status, 403, path)
  const fetched = `/${repo.fullName}/settings/mirror/sync`
  assert.equal((await carol.post(fetched, { _csrf: await carol.csrf('/repo/create') })).status, 404)
  const wrong = await alice.submit(at, `action="${at}"`, { address: 'nowhere', username: 'kept' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /value="kept"/)
  const mirrors = async () => (await forge.as('alice').get(`${repo.api}/push_mirrors`)).json
  assert.deepEqual(await mirrors(), [])

  await forge.as('alice').must('POST', '/user/repos', { name: 'copy' })
  const { token } = await forge.account('alice')
  const address = `${forge.url}/alice/copy.git`
  await alice.submit(at, `action="${at}"`, { address, username: 'alice', password: token, interval: '0s' })
  assert.equal((await mirrors())[0].remote_address, address)
  const shown = await alice.get(at)
  assert.ok(!shown.text.includes(token), 'the password is never shown')
  assert.equal((await alice.submit(at, `${at}/sync`)).headers.get('location'), at)
  const branches = (await forge.as('alice').get('/repos/alice/copy/branches')).json
  assert.deepEqual(
    branches.map((each: { name: string }) => each.name),
    ['main'],
  )
  assert.equal((await alice.submit(at, `${at}/delete`)).status, 303)
  assert.deepEqual(await mirrors(), [])
})

test('syncPushMirrorsSubmit: the page says which push mirrors failed', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { migrations: { ALLOW_LOCALNETWORKS: true } } })
  const repo = await forge.given.repo()
  await forge.as('alice').must('POST', '/user/repos', { name: 'copy' })
  const { token } = await forge.account('alice')
  const login = { remote_username: 'alice', remote_password: token, interval: '0s' }
  for (const name of ['copy', 'gone']) {
    const remote_address = `${forge.url}/alice/${name}.git`
    await forge.as('alice').must('POST', `${repo.api}/push_mirrors`, { remote_address, ...login })
  }
  const at = `/${repo.fullName}/settings/mirrors`
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(at, `${at}/sync`)).headers.get('location'), at)
  const { text } = await alice.get(at)
  const said = /<div class="flash warning" role="status">.*?<div>(.*?)<\/div>/s.exec(text)?.[1]
  assert.equal(said, `Sending failed for 1 of 2 push mirrors: ${forge.url}/alice/gone.git.`)
  assert.ok(!text.includes('The repository was sent.'))
  assert.ok(!(await alice.get(at)).text.includes('Sending failed'), 'it is said once')
  await forge.as('alice').must('POST', '/user/repos', { name: 'gone' })
  await alice.submit(at, `${at}/sync`)
  assert.match((await alice.get(at)).text, /class="flash done"[^]*The repository was sent\./)
})

test('mirrorsPage, repositorySettingsPage: a mirror says what it follows, how often, and why its last update failed', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { migrations: { ALLOW_LOCALNETWORKS: true } } })
  const repo = await forge.given.repo()
  const clone_addr = `${forge.url}/${repo.fullName}.git`
  const how = { clone_addr, repo_name: 'follower', mirror: true, mirror_interval: '90m', service: 'git' }
  await forge.as('alice').must('POST', '/repos/migrate', how)
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const at = '/alice/follower/settings'
  const before = (await alice.get(`${at}/mirrors`)).text
  assert.ok(before.includes(clone_addr))
  assert.match(before, /every 1h30m/)
  assert.doesNotMatch(before, /The last update failed/)
  assert.match((await alice.get(at)).text, /name="mirror_interval"[^>]*value="1h30m"/)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await alice.submit(`${at}/mirrors`, `${at}/mirror/sync`)).status, 303)
  await forge.settle()
  assert.match((await alice.get(`${at}/mirrors`)).text, /aria-label="The last update failed"/)
  assert.match((await alice.get(at)).text, /The last update failed: the other server asks for other credentials/)
})

test('tagRulesPage, addTagRuleSubmit, tagRulePage, editTagRuleSubmit, deleteTagRuleSubmit: a rule has what its form says', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/tags`
  const as = (name: string) => Browser.of(forge, name)
  const [alice, bob, carol] = [await as('alice'), await as('bob'), await as('carol')]
  assert.equal((await new Browser(forge).get(at)).status, 303)
  const csrf = { _csrf: await bob.csrf('/repo/create') }
  for (const path of ['', '/1']) {
    assert.equal((await carol.get(at + path)).status, 404, path)
    assert.equal((await bob.get(at + path)).status, 403, path)
    assert.equal((await bob.post(at + path, csrf)).status, 403, path)
  }
  assert.equal((await bob.post(`${at}/1/delete`, csrf)).status, 403)
  const nobody = await alice.submit(at, `action="${at}"`, { name_pattern: 'v*' })
  assert.equal(nobody.status, 400)
  assert.match(nobody.text, /id="users_problem"/)
  assert.match(nobody.text, /value="v\*"/)
  assert.equal((await alice.submit(at, `action="${at}"`, { name_pattern: 'v*', users: 'alice, bob' })).status, 303)
  const rules = async () => (await forge.as('alice').get(`${repo.api}/tag_protections`)).json
  const [rule] = await rules()
  assert.deepEqual([rule.name_pattern, rule.whitelist_usernames], ['v*', ['alice', 'bob']])
  const own = `${at}/${rule.id}`
  await alice.submit(own, `action="${own}"`, { name_pattern: 'w*', users: 'alice' })
  const [changed] = await rules()
  assert.deepEqual([changed.name_pattern, changed.whitelist_usernames], ['w*', ['alice']])
  await alice.submit(at, `${own}/delete`)
  assert.deepEqual(await rules(), [])
})
