import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow } from '../../../actions/actions.test-support.ts'
import { cacheCalls } from '../../../actions/caches/caches.test-support.ts'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'

test('repositorySecretsPage, repositoryVariablePage, repositoryRunnersPage, actionsSettingsPage: for owners and administrators', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const repo = await forge.given.repo({ private: true })
  await collaborator(forge, repo, 'bob', 'write')
  await collaborator(forge, repo, 'dave', 'admin')
  const at = `/${repo.fullName}/settings/actions`
  const as = (name: string) => Browser.of(forge, name)
  const [alice, bob, carol, dave] = [await as('alice'), await as('bob'), await as('carol'), await as('dave')]
  for (const path of ['/secrets', '/variables/X', '/runners', '/general']) {
    assert.equal((await new Browser(forge).get(at + path)).status, 303, path)
    assert.equal((await carol.get(at + path)).status, 404, path)
    assert.equal((await bob.get(at + path)).status, 403, path)
  }
  for (const path of ['/secrets', '/runners']) {
    assert.equal((await dave.get(at + path)).status, 403, 'secrets and runners are the business of owners')
  }
  const general = await dave.get(`${at}/general`)
  assert.equal(general.status, 200)
  assert.doesNotMatch(general.text, /settings\/actions\/secrets/)
  assert.match((await alice.get(`${at}/general`)).text, /settings\/actions\/secrets/)
  const csrf = { _csrf: await bob.csrf('/repo/create') }
  const paths = [
    'secrets',
    'secrets/delete',
    'variables',
    'variables/delete',
    'variables/X',
    'general',
    'caches/delete',
  ]
  for (const path of [...paths, 'runners/token', 'runners/token/delete', 'runners/registration', 'runners/delete']) {
    const isForWriters = path === 'caches/delete'
    assert.equal((await bob.post(`${at}/${path}`, csrf)).status, isForWriters ? 404 : 403, path)
  }
})

test('putRepositorySecretSubmit, deleteRepositorySecretSubmit, addRepositoryVariableSubmit, editRepositoryVariableSubmit, deleteRepositoryVariableSubmit: values change', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/settings/actions`
  const page = `${at}/secrets`
  const alice = await Browser.of(forge, 'alice')
  const wrong = await alice.submit(page, `action="${at}/secrets"`, { name: '1 bad', data: 'hush' })
  assert.match(wrong.text, /id="secret_name_problem"/)
  const put = await alice.submit(page, `action="${at}/secrets"`, { name: 'token', data: 'hush' })
  assert.equal(put.headers.get('location'), page)
  const { text } = await alice.get(page)
  assert.match(text, /<code>TOKEN<\/code>/)
  assert.ok(!text.includes('hush'))
  assert.equal((await forge.as('alice').get(`${repo.api}/actions/secrets`)).json[0].name, 'TOKEN')
  await alice.submit(page, 'secrets/delete')
  assert.deepEqual((await forge.as('alice').get(`${repo.api}/actions/secrets`)).json, [])

  await alice.submit(page, `action="${at}/variables"`, { name: 'level', data: 'one' })
  const edit = `${at}/variables/LEVEL`
  assert.equal((await alice.submit(edit, `action="${edit}"`, { name: 'grade', data: 'two' })).status, 303)
  assert.equal((await forge.as('alice').get(`${repo.api}/actions/variables/grade`)).json.data, 'two')
  assert.equal((await alice.submit(page, 'variables/delete')).headers.get('location'), page)
  assert.equal((await forge.as('alice').get(`${repo.api}/actions/variables/grade`)).status, 404)
})

test('newRepositoryRunnerTokenSubmit, endRepositoryRunnerTokenSubmit, repositoryRunnerRegistrationSubmit, deleteRepositoryRunnerSubmit: registration is controlled', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const path = `/${repo.fullName}/settings/actions/runners`
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(path, 'runners/token"')).headers.get('location'), path)
  assert.match((await alice.get(path)).text, /--token \w{20,}/)
  assert.doesNotMatch((await alice.get(path)).text, /--token/, 'once')
  assert.equal((await alice.submit(path, 'runners/token/delete')).status, 303)
  assert.equal((await alice.submit(path, 'runners/registration')).status, 303)
  const token = `${repo.api}/actions/runners/registration-token`
  assert.equal((await forge.as('alice').get(token)).status, 403)
  assert.equal((await alice.submit(path, 'runners/registration')).status, 303)
  assert.equal((await forge.as('alice').get(token)).status, 200)
  const csrf = { _csrf: await alice.csrf(path) }
  assert.equal((await alice.post(`${path}/delete`, { ...csrf, id: '7' })).status, 404)
})

test('switchActionsSubmit, deleteCacheSubmit: workflows are switched off, and caches of jobs deleted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/settings/actions/general`
  const alice = await Browser.of(forge, 'alice')
  const has = async () => (await forge.as('alice').get(repo.api)).json.has_actions
  assert.equal(await has(), true)
  await alice.submit(at, `action="${at}"`)
  assert.equal(await has(), false)
  assert.match((await alice.get(at)).text, /Workflows are off/)
  await alice.submit(at, `action="${at}"`)
  assert.equal(await has(), true)

  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  assert.equal(await cacheCalls(forge, await runner.must()).save('deps-1', 'one'), true)
  assert.match((await alice.get(at)).text, /deps-1/)
  assert.match((await alice.get(`${at}?key=other`)).text, /No cache has such a key/)
  assert.equal((await alice.submit(at, 'caches/delete')).headers.get('location'), at)
  assert.equal((await forge.as('alice').get(`${repo.api}/actions/caches`)).json.total_count, 0)
})
