import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'
import { publicKey } from '../../../testing/samples.ts'

test('repositorySettingsPage, deployKeysPage, branchRulesPage, newBranchRulePage: administrators only', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  const [alice, bob, carol] = await Promise.all(['alice', 'bob', 'carol'].map((name) => Browser.of(forge, name)))
  for (const path of ['', '/keys', '/branches', '/branches/new']) {
    const at = `/${repo.fullName}/settings${path}`
    assert.equal((await new Browser(forge).get(at)).status, 303, at)
    assert.equal((await carol?.get(at))?.status, 404, at)
    assert.equal((await bob?.get(at))?.status, 403, at)
    assert.equal((await alice?.get(at))?.status, 200, at)
  }
})

test('editRepositoryAct, editUnitsAct, editMergingAct, visibilityAct, archiveAct: each form changes what it shows', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings`
  const alice = await Browser.of(forge, 'alice')
  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/repo/create')
  for (const path of ['', '/units', '/merging', '/mirror', '/visibility', '/archive', '/transfer', '/delete']) {
    assert.equal((await bob.post(at + path, { _csrf: csrf })).status, 403, path)
  }
  const read = async (path = repo.api) => (await forge.as('alice').get(path)).json
  const wrong = await alice.submit(at, `${at}"`, { name: 'a b', description: 'kept text' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="name_problem"/)
  assert.match(wrong.text, /value="kept text"/)

  await alice.submit(at, `${at}/units`, {
    has_issues: 'true',
    has_wiki: 'true',
    wiki_branch: 'pages',
    external_tracker_url: 'https://tracker.example',
    external_tracker_style: 'alphanumeric',
  })
  const outside = await read()
  assert.deepEqual([outside.wiki_branch, outside.external_tracker.external_tracker_style], ['pages', 'alphanumeric'])
  await alice.submit(at, `${at}/units`, { has_issues: 'true', enable_time_tracker: 'true', has_pull_requests: 'true' })
  const units = await read()
  assert.deepEqual(
    [units.has_issues, units.has_wiki, units.has_releases, units.internal_tracker.enable_issue_dependencies],
    [true, false, false, false],
  )
  await alice.submit(at, `${at}/merging`, {
    allow_squash_merge: 'true',
    default_merge_style: 'squash',
    default_update_style: 'rebase',
  })
  const merging = await read()
  assert.deepEqual(
    [merging.allow_squash_merge, merging.allow_rebase, merging.default_merge_style, merging.default_update_style],
    [true, false, 'squash', 'rebase'],
  )
  assert.equal((await alice.submit(at, `${at}/visibility`)).status, 303)
  assert.equal((await read()).private, true)
  await alice.submit(at, `${at}/archive`)
  assert.equal((await read()).archived, true)
  await alice.submit(at, `${at}/archive`)
  assert.equal((await read()).archived, false)

  const renamed = await alice.submit(at, `${at}"`, {
    name: 'renamed',
    description: 'New words',
    website: 'https://example.com',
    topics: 'one, two',
    default_branch: 'main',
    template: 'true',
  })
  assert.deepEqual([renamed.status, renamed.headers.get('location')], [303, '/alice/renamed/settings'])
  const after = await read('/repos/alice/renamed')
  assert.deepEqual(
    [after.description, after.website, after.template, after.topics],
    ['New words', 'https://example.com', true, ['one', 'two']],
  )
})

test('transferAct, deleteRepositoryAct: the name must be typed', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.as('alice').must('POST', '/orgs', { username: 'acme' })
  const repo = await forge.given.repo()
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}/settings`
  const wrong = await alice.submit(at, `${at}/transfer`, { new_owner: 'acme', confirm_transfer: 'other' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="confirm_transfer_problem"/)
  const moved = await alice.submit(at, `${at}/transfer`, { new_owner: 'acme', confirm_transfer: repo.name })
  assert.equal(moved.headers.get('location'), `/acme/${repo.name}`)
  const there = `/acme/${repo.name}/settings`
  assert.equal((await alice.submit(there, `${there}/delete`, { confirm_delete: 'no' })).status, 422)
  assert.equal((await forge.as('alice').get(`/repos/acme/${repo.name}`)).status, 200)
  const gone = await alice.submit(there, `${there}/delete`, { confirm_delete: repo.name })
  assert.equal(gone.headers.get('location'), '/acme')
  assert.equal((await forge.as('alice').get(`/repos/acme/${repo.name}`)).status, 404)
})

test('newBranchRuleAct, branchRulePage, editBranchRuleAct, deleteBranchRuleAct: a rule has what its form says', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/branches`
  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/repo/create')
  for (const path of ['/new', '/edit/main', '/delete/main']) {
    assert.equal((await bob.post(at + path, { _csrf: csrf })).status, 403, path)
  }
  const alice = await Browser.of(forge, 'alice')
  const made = await alice.submit(`${at}/new`, `${at}/new`, {
    rule_name: 'release/*',
    enable_push: 'true',
    enable_push_whitelist: 'true',
    push_users: 'bob, alice',
    required_approvals: '2',
    enable_status_check: 'true',
    status_contexts: 'build\r\ntest',
    apply_to_admins: 'true',
  })
  assert.deepEqual([made.status, made.headers.get('location')], [303, at])
  const read = async () => (await forge.as('alice').get(`${repo.api}/branch_protections`)).json
  const [rule] = await read()
  assert.deepEqual(
    [
      rule.rule_name,
      rule.push_whitelist_usernames,
      rule.required_approvals,
      rule.status_check_contexts,
      rule.apply_to_admins,
    ],
    ['release/*', ['alice', 'bob'], 2, ['build', 'test'], true],
  )
  const edit = `${at}/edit/release/*`
  assert.equal((await bob.get(edit)).status, 403)
  await alice.submit(edit, `${at}/edit/`, { required_approvals: '0' })
  const [changed] = await read()
  assert.deepEqual([changed.enable_push, changed.required_approvals, changed.apply_to_admins], [false, 0, false])
  await alice.submit(at, `${at}/delete/`)
  assert.deepEqual(await read(), [])
})

test('addDeployKeyAct, deleteDeployKeyAct: a wrong key is shown again', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/keys`
  const bob = await Browser.of(forge, 'bob')
  const csrf = await bob.csrf('/repo/create')
  for (const path of ['', '/1/delete']) assert.equal((await bob.post(at + path, { _csrf: csrf })).status, 403, path)
  const alice = await Browser.of(forge, 'alice')
  const wrong = await alice.submit(at, `${at}"`, { title: 'machine', content: 'nothing' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="machine"/)
  assert.equal((await alice.submit(at, `${at}"`, { title: 'machine', content: publicKey })).status, 303)
  const [key] = (await forge.as('alice').get(`${repo.api}/keys`)).json
  assert.deepEqual([key.title, key.read_only], ['machine', true])
  assert.equal((await alice.submit(at, `${at}/${key.id}/delete`)).status, 303)
  assert.deepEqual((await forge.as('alice').get(`${repo.api}/keys`)).json, [])
})

test('editMirrorAct: only administrators of the repository change how often it is fetched', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  const bob = await Browser.of(forge, 'bob')
  const sent = { _csrf: await bob.csrf('/repo/create'), mirror_interval: '1h' }
  assert.equal((await bob.post(`/${repo.fullName}/settings/mirror`, sent)).status, 403)
})

test('branchRulesPage, newBranchRulePage, tagRulesPage: nothing can be added in an archived repository', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}/settings`
  assert.match((await alice.get(`${at}/branches`)).text, /settings\/branches\/new/)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.doesNotMatch((await alice.get(`${at}/branches`)).text, /settings\/branches\/new/)
  assert.equal((await alice.get(`${at}/branches/new`)).status, 423)
  assert.match((await alice.get(`${at}/tags`)).text, /<button[^>]*disabled[^>]*title="The repository is archived"/)
})
