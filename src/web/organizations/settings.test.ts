import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'

const base = '/org/smiths/settings'
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** An organization of alice, where bob is a member. */
async function smiths(forge: Forge): Promise<void> {
  await forge.given.org({ owner: 'alice', name: 'smiths' })
  const { json } = await forge
    .as('alice')
    .must('POST', '/orgs/smiths/teams', { name: 'makers', permission: 'admin', units: ['repo.code'] })
  await forge.as('alice').must('PUT', `/teams/${json.id}/members/bob`)
}

const settings = { quota: { ENABLED: true } }
const users = ['alice', 'bob', 'mallory']

test('orgSettingsPage: guests sign in, strangers and members who own nothing are refused everywhere', async () => {
  await using forge = await startForge({ users, settings })
  await smiths(forge)
  const parts = [
    '',
    '/labels',
    '/hooks',
    '/hooks/forgejo/new',
    '/actions',
    '/blocked_users',
    '/packages',
    '/storage_overview',
  ]
  const [guest, alice, bob, mallory] = [
    new Browser(forge),
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'mallory'),
  ]
  for (const part of parts) {
    assert.equal((await guest.get(base + part)).status, 303, part)
    assert.equal((await mallory.get(base + part)).status, 403, part)
    assert.equal((await bob.get(base + part)).status, 403, part)
    assert.equal((await alice.get(base + part)).status, 200, part)
  }
  const csrf = { _csrf: await bob.csrf('/smiths') }
  const acts = [
    ['', 'rename', 'delete', 'avatar/delete', 'blocked_users', 'blocked_users/unblock', 'labels/new', 'labels/1/edit'],
    ['labels/1/delete', 'hooks/forgejo/new', 'hooks/1', 'hooks/1/delete', 'actions/secrets', 'actions/variables'],
    ['actions/runners/token', 'actions/runners/registration', 'packages', 'packages/rules/1', 'packages/rules/1/run'],
  ].flat()
  for (const act of acts) {
    const to = act === '' ? base : `${base}/${act}`
    assert.equal((await bob.post(to, { ...csrf, name: 'alice', confirm: 'smiths', new_name: 'bobs' })).status, 403, act)
  }
  await forge.as('alice').must('PATCH', '/orgs/smiths', { visibility: 'private' })
  assert.equal((await mallory.get(base)).status, 404)
})

test('editOrgSubmit, renameOrgSubmit, deleteOrgSubmit: an owner changes the profile, renames and deletes', async () => {
  await using forge = await startForge({ users })
  await smiths(forge)
  const alice = await Browser.of(forge, 'alice')
  const save = (fields: Record<string, string>) => alice.submit(base, `action="${base}"`, fields)
  const wrong = await save({ full_name: 'The Smiths', website: 'javascript:alert(1)' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="The Smiths"[\s\S]*id="website_problem"/)
  assert.match((await save({ email: 'nowhere' })).text, /id="email_problem"/)
  const fields = {
    full_name: 'The Smiths',
    description: 'They forge',
    website: 'https://smiths.example',
    location: 'Brno',
    email: 'smiths@example.com',
    visibility: 'limited',
    repo_admin_change_team_access: 'true',
  }
  assert.equal((await save(fields)).headers.get('location'), base)
  const { json } = await forge.as('alice').must('GET', '/orgs/smiths')
  assert.partialDeepStrictEqual(json, { ...fields, repo_admin_change_team_access: true })
  assert.equal((await save({ full_name: 'The Smiths' })).status, 303)
  const again = await forge.as('alice').must('GET', '/orgs/smiths')
  assert.equal(again.json.repo_admin_change_team_access, false, 'a box without a tick')
  assert.equal(again.json.visibility, 'limited')

  const taken = await alice.submit(base, '/rename', { new_name: 'bob' })
  assert.match(taken.text, /id="new_name_problem"/)
  const renamed = await alice.submit(base, '/rename', { new_name: 'bakers' })
  assert.equal(renamed.headers.get('location'), '/org/bakers/settings')
  assert.equal((await alice.get('/org/smiths/members')).status, 307, 'the former name redirects')

  const now = '/org/bakers/settings'
  await forge.as('alice').must('POST', '/orgs/bakers/repos', { name: 'oven', auto_init: false })
  assert.match((await alice.submit(now, '/delete', { confirm: 'smiths' })).text, /id="confirm_problem"/)
  assert.equal((await alice.submit(now, '/delete', { confirm: 'bakers' })).status, 422, 'it owns a repository')
  await forge.as('alice').must('DELETE', '/repos/bakers/oven')
  assert.equal((await alice.submit(now, '/delete', { confirm: 'bakers' })).headers.get('location'), '/')
  assert.equal((await forge.as('alice').get('/orgs/bakers')).status, 404)
})

test('orgAvatarSubmit, deleteOrgAvatarSubmit: an owner uploads a picture and removes it', async () => {
  await using forge = await startForge({ users })
  await smiths(forge)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const upload = async (browser: Browser, csrf: string, content: Buffer) => {
    const form = new FormData()
    form.set('_csrf', csrf)
    form.set('avatar', new Blob([new Uint8Array(content)]), 'us.png')
    return fetch(`${forge.url}${base}/avatar`, {
      method: 'POST',
      body: form,
      headers: { cookie: browser.cookieHeader() },
      redirect: 'manual',
    })
  }
  const picture = Buffer.from(onePixel, 'base64')
  const avatar = async () => (await forge.as('alice').must('GET', '/orgs/smiths')).json.avatar_url as string
  const drawn = await avatar()
  assert.equal((await upload(bob, await bob.csrf('/smiths'), picture)).status, 403)
  const csrf = await alice.csrf(base)
  assert.equal((await upload(alice, `${csrf}x`, picture)).status, 403)
  const wrong = await upload(alice, csrf, Buffer.from('no picture'))
  assert.equal(wrong.status, 422)
  assert.match(await wrong.text(), /id="avatar_problem"/)
  assert.equal(await avatar(), drawn)
  assert.equal((await upload(alice, csrf, picture)).status, 303)
  assert.notEqual(await avatar(), drawn)
  assert.equal((await alice.submit(base, 'avatar/delete')).status, 303)
  assert.equal(await avatar(), drawn)
})

test('orgLabelsPage, addOrgLabelSubmit, editOrgLabelSubmit, deleteOrgLabelSubmit: labels of all repositories', async () => {
  await using forge = await startForge({ users })
  await smiths(forge)
  await forge.given.org({ owner: 'bob', name: 'bakers' })
  const path = `${base}/labels`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.match((await alice.submit(path, '/labels/new', { name: ' ' })).text, /id="name_problem"|Write a name/)
  const fields = { name: 'hot/iron', color: '#ff0000', exclusive: 'true' }
  assert.equal((await alice.submit(path, '/labels/new', fields)).status, 303)
  const labels = async () => (await forge.as('alice').must('GET', '/orgs/smiths/labels')).json
  const [label] = await labels()
  assert.deepEqual([label.name, label.color, label.exclusive], ['hot/iron', 'ff0000', true])
  const foreign = await bob.post(`/org/bakers/settings/labels/${label.id}/edit`, {
    _csrf: await bob.csrf('/org/bakers/settings'),
    name: 'mine',
  })
  assert.equal(foreign.status, 404, 'a label of another organization')
  const edit = `${path}?edit=${label.id}`
  assert.equal((await alice.submit(edit, `/${label.id}/edit`, { name: 'cold', archived: 'true' })).status, 303)
  const [edited] = await labels()
  assert.deepEqual([edited.name, edited.is_archived], ['cold', true])
  assert.equal((await alice.submit(path, `/${label.id}/delete`)).status, 303)
  assert.deepEqual(await labels(), [])
})

test('orgBlockedPage, orgBlockSubmit, orgUnblockSubmit: an organization blocks people by name', async () => {
  await using forge = await startForge({ users })
  await smiths(forge)
  const path = `${base}/blocked_users`
  const alice = await Browser.of(forge, 'alice')
  const block = (name: string) => alice.submit(path, `action="${path}"`, { name })
  assert.match((await block('nobody')).text, /id="name_problem">Nobody here has this name/)
  assert.equal((await block('smiths')).status, 422, 'no person')
  assert.equal((await block('mallory')).status, 303)
  const blocked = async () => (await forge.as('alice').must('GET', '/orgs/smiths/list_blocked')).json.length
  assert.equal(await blocked(), 1)
  assert.match((await alice.get(path)).text, /href="\/mallory" class="person"/)
  assert.equal((await alice.submit(path, 'unblock')).status, 303)
  assert.equal(await blocked(), 0)
})

test('orgStoragePage: shows the usage when quotas are on', async () => {
  await using forge = await startForge({ users, settings })
  await smiths(forge)
  const alice = await Browser.of(forge, 'alice')
  assert.match((await alice.get(`${base}/storage_overview`)).text, /smiths stores 0 B\./)
})
