import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, testPassword } from '../../testing/forge.ts'
import { administrationTexts } from '../languages/en/administration.tsx'

const pages = [
  '/admin',
  '/admin/users',
  '/admin/users/new',
  '/admin/users/alice',
  '/admin/jobs',
  '/admin/monitor/cron',
  '/admin/audit',
  '/admin/unadopted',
]

test('administrationPage, administrationPeoplePage, administrationNewUserPage, administrationPersonPage, administrationJobsPage, administrationTasksPage, administrationAuditPage, administrationUnadoptedPage: only administrators see them', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [guest, alice, root] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  for (const path of pages) {
    assert.equal((await guest.get(path)).status, 303, path)
    assert.equal((await alice.get(path)).status, 403, path)
    const seen = await root.get(path)
    assert.equal(seen.status, 200, `${path}: ${seen.text.slice(0, 300)}`)
    assert.match(seen.text, /<h1>/)
  }
})

test('administrationCreateUser, administrationEditUser, administrationRenameUser, administrationDeleteUser: an account from its creation to its end', async () => {
  await using forge = await startForge()
  const root = await Browser.of(forge, 'root')
  const wanted = { user_name: 'bob', email: 'bob@example.com', password: 'short', visibility: 'public' }
  const weak = await root.submit('/admin/users/new', '/admin/users/new', wanted)
  assert.equal(weak.status, 400)
  assert.match(weak.text, /id="password_problem"/)
  assert.match(weak.text, /value="bob@example.com"/)
  const made = await root.submit('/admin/users/new', '/admin/users/new', { ...wanted, password: testPassword })
  assert.deepEqual([made.status, made.headers.get('location')], [303, '/admin/users/bob'])
  const kept = { full_name: 'Bob B', email: 'bob@example.com', visibility: 'limited', is_active: 'true' }
  await root.submit('/admin/users/bob', 'action="/admin/users/bob"', { ...kept, is_restricted: 'true' })
  const { json } = await forge.as('root').get('/users/bob')
  assert.deepEqual([json.full_name, json.visibility, json.restricted, json.active], ['Bob B', 'limited', true, true])
  const renamed = await root.submit('/admin/users/bob', '/rename', { new_name: 'robert' })
  assert.equal(renamed.headers.get('location'), '/admin/users/robert')
  const deleted = await root.submit('/admin/users/robert', '/delete')
  assert.equal(deleted.headers.get('location'), '/admin/users')
  assert.equal((await forge.as('root').get('/users/robert')).status, 404)
})

test('administrationEditUser: the last administrator stays one', async () => {
  await using forge = await startForge()
  const root = await Browser.of(forge, 'root')
  const { json } = await forge.as('root').get('/user')
  const edited = await root.submit('/admin/users/root', 'action="/admin/users/root"', {
    email: json.email,
    visibility: 'public',
    is_active: 'true',
  })
  assert.equal(edited.status, 400)
  assert.equal((await forge.as('root').get('/user')).json.is_admin, true)
})

test('administrationEndSessions: the account is signed out everywhere', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  assert.equal((await alice.get('/user/settings')).status, 200)
  await root.submit('/admin/users/alice', '/sessions/end')
  assert.equal((await alice.get('/user/settings')).status, 303)
})

test('administrationTasksPage: each task has a title', async () => {
  await using forge = await startForge()
  const { json } = await forge.as('root').must('GET', '/admin/cron?limit=100')
  const names = json.map(({ name }: { name: string }) => name) as string[]
  const titles: Readonly<Record<string, string>> = administrationTexts.task.titles
  assert.deepEqual(
    names.filter((name) => !(name in titles)),
    [],
  )
  const page = (await (await Browser.of(forge, 'root')).get('/admin/monitor/cron')).text
  for (const name of names) assert.ok(page.includes(titles[name] ?? name), name)
})

test('administrationRunTask: a task runs at once; an unknown one does not exist', async () => {
  await using forge = await startForge()
  const root = await Browser.of(forge, 'root')
  const started = await root.submit('/admin/monitor/cron', '/admin/monitor/cron/check_repo_stats')
  assert.equal(started.status, 303)
  assert.match((await root.get('/admin/monitor/cron')).text, /The task check_repo_stats was started\./)
  const unknown = await root.post('/admin/monitor/cron/nothing', { _csrf: await root.csrf('/admin/users/new') })
  assert.equal(unknown.status, 404)
})

test('administrationRetryJob, administrationForgetJob, administrationAdoptFolder, administrationDeleteFolder: what does not exist is not found', async () => {
  await using forge = await startForge()
  const root = await Browser.of(forge, 'root')
  const csrf = await root.csrf('/admin/users/new')
  for (const path of [
    '/admin/jobs/999/retry',
    '/admin/jobs/999/delete',
    '/admin/unadopted/root/nothing/adopt',
    '/admin/unadopted/root/nothing/delete',
  ]) {
    assert.equal((await root.post(path, { _csrf: csrf })).status, 404, path)
  }
})

test('administrationAddKey, administrationDeleteKey: an administrator adds and removes an SSH key of an account', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const path = '/admin/users/alice'
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILqV2hWvzbfKPgO0sVAJ7s5xk0lFZ5hq3wXyPp1lQ4kN laptop'
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  for (const act of ['/keys', '/keys/delete']) {
    assert.equal((await alice.post(path + act, { ...csrf, key })).status, 403)
  }
  const add = (text: string) => root.submit(path, `action="${path}/keys"`, { key: text })
  assert.match((await add('nonsense a b')).text, /id="key_problem"/)
  assert.equal((await add(key)).status, 303)
  const titles = async () =>
    (await forge.as('alice').get('/user/keys')).json.map(({ title }: { title: string }) => title)
  assert.deepEqual(await titles(), ['laptop'])
  assert.equal((await root.submit(path, `${path}/keys/delete`)).status, 303)
  assert.deepEqual(await titles(), [])
})

test('administrationCreateRepository: an administrator creates a repository for an account', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const at = '/admin/users/alice/repos'
  assert.equal((await alice.post(at, { _csrf: await alice.csrf('/user/settings'), repo_name: 'x' })).status, 403)
  const create = (name: string) =>
    root.submit('/admin/users/alice', `action="${at}"`, { repo_name: name, is_private: 'true' })
  assert.match((await create('a b')).text, /id="repo_name_problem"/)
  assert.equal((await create('tools')).headers.get('location'), '/alice/tools')
  const { json } = await forge.as('alice').get('/repos/alice/tools')
  assert.deepEqual([json.owner.login, json.private], ['alice', true])
  assert.match((await create('tools')).text, /id="repo_name_problem"/)
})
