import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../../db/database.ts'
import { Browser } from '../../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../../testing/forge.ts'

const path = '/user/settings/account'
const to = `${path}/delete`

const send = async (browser: Browser, fields: Record<string, string>) =>
  browser.post(to, { _csrf: await browser.csrf(path), ...fields })

const exists = async (forge: Forge, name: string): Promise<boolean> =>
  (await forge.as('root').get(`/users/${name}`)).status === 200

test('deleteAccountSubmit: an account that owns something is kept, and the page links to what it owns', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  const browser = await Browser.of(forge, 'alice')
  const page = async () => (await browser.get(path)).text.split('id="delete_title"')[1] ?? ''
  await alice.must('POST', '/user/repos', { name: 'anvil' })
  await alice.must('POST', '/orgs', { username: 'smiths' })
  await forge.as('bob').must('POST', '/orgs', { username: 'others' })
  const upload = await alice.send('PUT', '/api/packages/alice/generic/nails/1.0.0/nails.bin', undefined, {
    site: true,
    raw: 'nails',
  })
  assert.equal(upload.status, 201)
  const shown = await page()
  for (const link of ['/alice/anvil/settings', '/org/smiths/teams', '/alice/-/packages/generic/nails']) {
    assert.ok(shown.includes(`href="${link}"`), link)
  }
  assert.doesNotMatch(shown, /others|action="[^"]*account\/delete"/)
  const refused = async () => {
    const { status, text } = await send(browser, { password: testPassword })
    return [status, /The account [^<]+/.exec(text)?.[0].trim()]
  }
  assert.deepEqual(await refused(), [422, 'The account is the last owner of an organization.'])
  await alice.must('DELETE', '/orgs/smiths')
  assert.deepEqual(await refused(), [422, 'The account still owns repositories or packages.'])
  await alice.must('DELETE', '/repos/alice/anvil')
  assert.deepEqual(await refused(), [422, 'The account still owns repositories or packages.'])
  await alice.must('DELETE', '/packages/alice/generic/nails/1.0.0')
  assert.match(await page(), /action="[^"]*account\/delete"/)
  assert.equal(await exists(forge, 'alice'), true)
})

test('deleteAccountSubmit: requires the password; guesses are limited as at sign-in', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = await Browser.of(forge, 'alice')
  const guest = await new Browser(forge).post(to, { password: testPassword })
  assert.deepEqual([guest.status, guest.headers.get('location')?.split('?')[0]], [303, '/user/login'])
  assert.equal((await browser.post(to, { password: testPassword })).status, 403, 'the form comes from the page')
  const wrong = await send(browser, { password: 'wrong' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="delete_password_problem"/)
  const answers: string[] = []
  for (let guess = 0; guess < 20; guess++) answers.push((await send(browser, { password: `wrong-${guess}` })).text)
  assert.match(answers.at(-1) ?? '', /too many/i)
  assert.match((await send(browser, { password: testPassword })).text, /too many/i, 'even with the right one')
  assert.equal(await exists(forge, 'alice'), true)
})

test('deleteAccountSubmit: deletes the account and its session; what the person wrote stays', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const bob = forge.as('bob')
  await bob.must('POST', '/user/repos', { name: 'forge' })
  const issue = (await forge.as('alice').must('POST', '/repos/bob/forge/issues', { title: 'It is cold' })).json
  const browser = await Browser.of(forge, 'alice')
  const elsewhere = await Browser.of(forge, 'alice')
  const done = await browser.submit(path, 'account/delete', { password: testPassword })
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/'])
  assert.equal(done.headers.get('clear-site-data'), '"cache", "storage"')
  assert.equal(browser.cookies.has('ingot_session'), false)
  assert.match((await browser.get('/')).text, /role="status">.*The account alice is deleted/)
  assert.equal((await elsewhere.get(path)).status, 303, 'sessions of other browsers end')
  assert.equal((await new Browser(forge).signIn('alice', testPassword)).status, 200)
  assert.equal(await exists(forge, 'alice'), false)
  const left = (await bob.must('GET', `/repos/bob/forge/issues/${issue.number}`)).json
  assert.deepEqual([left.title, left.user.login], ['It is cold', 'Ghost'])
  const audit = (await forge.as('root').must('GET', '/admin/audit?action=user.deleted')).json
  assert.deepEqual([audit.length, audit[0].object.name], [1, 'alice'])
})

test('deleteAccountSubmit: the last administrator stays', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = await Browser.of(forge, 'root')
  const refused = await browser.submit(path, 'account/delete', { password: testPassword })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /The last administrator cannot be deleted/)
  assert.equal(await exists(forge, 'root'), true)
})

test('deleteAccountSubmit: an account without a password types its name after a recent sign-in', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = await Browser.of(forge, 'alice')
  await transaction(forge.services.db, (tx) =>
    tx.updateTable('user').set({ password_hash: null }).where('name', '=', 'alice').execute(),
  )
  const wrong = await send(browser, { confirm: 'bob' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /id="confirm_problem"/)
  forge.clock.advance(16 * 60_000)
  assert.match((await send(browser, { confirm: 'alice' })).text, /You signed in too long ago/)
  assert.equal(await exists(forge, 'alice'), true)
  forge.clock.advance(-16 * 60_000)
  assert.equal((await send(browser, { confirm: 'alice' })).status, 303)
  assert.equal(await exists(forge, 'alice'), false)
})

test('deleteAccountSubmit: settings keep all people, or those of sources, from deleting their accounts', async () => {
  for (const [key, isOwnKept] of [
    ['USER_DISABLED_FEATURES', true],
    ['EXTERNAL_USER_DISABLE_FEATURES', false],
  ] as const) {
    await using forge = await startForge({ users: ['alice', 'carol'], settings: { admin: { [key]: 'deletion' } } })
    const [own, external] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'carol')]
    await transaction(forge.services.db, (tx) =>
      tx.updateTable('user').set({ login_source_id: 7, password_hash: null }).where('name', '=', 'carol').execute(),
    )
    assert.match((await external.get(path)).text, /Ask an administrator: people do not delete/)
    const kept = await send(external, { confirm: 'carol' })
    assert.equal(kept.status, 403)
    assert.match(kept.text, /Only administrators delete accounts here/)
    assert.equal(await exists(forge, 'carol'), true)
    assert.equal((await send(own, { password: testPassword })).status, isOwnKept ? 403 : 303, key)
    assert.equal(await exists(forge, 'alice'), isOwnKept)
  }
})
