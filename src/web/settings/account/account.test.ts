import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../../db/database.ts'
import { Browser, hiddenFields } from '../../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../../testing/forge.ts'
import { linkOf, withMail } from '../../../testing/mail.ts'

const path = '/user/settings/account'
const next = 'An0ther-Pass!'

const addressesOf = async (forge: Forge, name: string): Promise<[string, boolean, boolean][]> =>
  (await forge.as(name).get('/user/emails')).json.map(
    (each: { email: string; primary: boolean; verified: boolean }) => [each.email, each.primary, each.verified],
  )

test('accountSettingsPage, changePasswordSubmit: requires the current password; only other browsers are signed out', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [browser, other] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'alice')]
  const before = browser.cookies.get('ingot_session')
  const change = async (old: string, password: string) =>
    browser.post(path, { _csrf: await browser.csrf(path), old_password: old, password })
  assert.match((await change('wrong', next)).text, /id="old_password_problem"/)
  assert.match((await change(testPassword, 'short')).text, /id="password_problem"/)
  assert.match((await other.get('/')).text, /Signed in/)
  const done = await change(testPassword, next)
  assert.deepEqual([done.status, done.headers.get('location')], [303, path])
  assert.match((await browser.get(path)).text, /role="status">.*The password is changed/)
  assert.notEqual(browser.cookies.get('ingot_session'), before, 'a session that somebody may know has ended')
  assert.doesNotMatch((await other.get('/')).text, /Signed in/)
  assert.equal((await other.signIn('alice', next)).status, 303)
})

test('addAddressSubmit, primaryAddressSubmit, removeAddressSubmit: require the password', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const browser = await Browser.of(forge, 'alice')
  const send = async (to: string, fields: Record<string, string>) =>
    browser.post(`${path}/email${to}`, { _csrf: await browser.csrf(path), ...fields })
  const work = { email: 'alice@work.example.com' }
  assert.match((await send('', { ...work, password: 'wrong' })).text, /id="add_password_problem"/)
  assert.match((await send('', { email: 'no', password: testPassword })).text, /id="email_problem"/)
  assert.match((await send('', { email: 'bob@example.com', password: testPassword })).text, /already in use/)
  assert.equal((await send('', { ...work, password: testPassword })).status, 303)
  assert.match((await send('/primary', { ...work, password: 'wrong' })).text, /id="primary_password_problem"/)
  assert.equal((await send('/primary', { email: 'bob@example.com', password: testPassword })).status, 404)
  assert.equal((await send('/primary', { ...work, password: testPassword })).status, 303)
  assert.deepEqual(await addressesOf(forge, 'alice'), [
    ['alice@example.com', false, true],
    ['alice@work.example.com', true, true],
  ])
  assert.equal((await forge.as('alice').get('/user')).json.email, 'alice@work.example.com')
  assert.equal((await send('/delete', work)).status, 422, 'not the primary one')
  assert.equal((await send('/delete', { email: 'bob@example.com' })).status, 404)
  assert.equal((await send('/delete', { email: 'Alice@example.com' })).status, 303)
  assert.equal((await addressesOf(forge, 'alice')).length, 1)
})

test('hideAddressSubmit: the primary address is hidden and shown', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const browser = await Browser.of(forge, 'alice')
  const seen = async () => (await forge.as('bob').get('/users/alice')).json.email as string
  assert.equal((await browser.submit(path, 'email/visibility', { hide_email: 'true' })).status, 303)
  assert.notEqual(await seen(), 'alice@example.com')
  assert.equal((await browser.submit(path, 'email/visibility')).status, 303)
  assert.equal((await forge.as('alice').get('/user/settings')).json.hide_email, false)
})

test('confirmAddressPage, confirmAddressSubmit, confirmAddressAgainSubmit: an unconfirmed address belongs to nobody', async () => {
  await withMail(
    () => 0,
    async (forge, caught) => {
      const browser = await Browser.of(forge, 'alice')
      const send = async (to: string, fields: Record<string, string>) =>
        browser.post(`${path}/email${to}`, { _csrf: await browser.csrf(path), ...fields })
      const add = (email: string) => send('', { email, password: testPassword })
      const known = await add('bob@example.com')
      const unknown = await add('new@example.com')
      const statusAndTarget = (answer: typeof known) => [answer.status, answer.headers.get('location')]
      assert.deepEqual(statusAndTarget(known), [303, path])
      assert.deepEqual(statusAndTarget(unknown), statusAndTarget(known), 'whether somebody has it is not told')
      assert.deepEqual(await addressesOf(forge, 'alice'), [
        ['alice@example.com', true, true],
        ['bob@example.com', false, false],
        ['new@example.com', false, false],
      ])
      assert.match((await browser.get(path)).text, /new@example\.com.*?not confirmed yet/)
      assert.equal((await new Browser(forge).signIn('new@example.com', testPassword)).status, 200)
      assert.equal((await send('/primary', { email: 'new@example.com', password: testPassword })).status, 404)
      // Mails are sent concurrently; hers must come last.
      await forge.settle()
      const mallory = await forge.as('mallory').post('/user/emails', { emails: ['new@example.com'] })
      assert.deepEqual([mallory.status, mallory.json.at(-1).verified], [201, false], 'a claim keeps nobody else out')
      await forge.settle()
      const mailTo = (email: string, index = 0) => caught.filter(({ to }) => to[0] === email)[index]
      const confirm = async (link: string) => {
        const guest = new Browser(forge)
        const page = await guest.get(link)
        return page.status === 200
          ? guest.post('/user/activate_email', hiddenFields(page.text, 'activate_email'))
          : page
      }
      const link = linkOf(forge, mailTo('new@example.com'), '/user/activate_email')
      const theirs = linkOf(forge, mailTo('new@example.com', 1), '/user/activate_email')
      const bobs = linkOf(forge, mailTo('bob@example.com'), '/user/activate_email')
      assert.equal((await send('/again', { email: 'stranger@example.com' })).status, 404)
      assert.equal((await send('/again', { email: 'new@example.com' })).status, 303)
      assert.equal((await confirm(link)).status, 404, 'the newest mail counts')
      await forge.settle()
      const again = linkOf(forge, mailTo('new@example.com', 2), '/user/activate_email')
      const done = await confirm(again)
      assert.deepEqual([done.status, done.headers.get('location')], [303, '/user/login?done=address'])
      assert.equal((await confirm(again)).status, 404)
      assert.equal((await confirm(theirs)).status, 422, 'it is taken by now')
      assert.equal((await confirm(bobs)).status, 422)
      assert.equal((await new Browser(forge).signIn('new@example.com', testPassword)).status, 303)
      assert.equal((await send('/delete', { email: 'bob@example.com' })).status, 303, 'a claim is taken back')
      assert.equal((await confirm(bobs)).status, 404)
      assert.equal((await addressesOf(forge, 'alice')).length, 2)
    },
    { users: ['alice', 'bob', 'mallory'], settings: { service: { REGISTER_EMAIL_CONFIRM: true } } },
  )
})

test('userAddEmail: an account has at most ten waiting addresses', async () => {
  await withMail(
    () => 0,
    async (forge) => {
      const add = (from: number, count: number) =>
        forge.as('alice').post('/user/emails', {
          emails: Array.from({ length: count }, (_, index) => `a${from + index}@example.com`),
        })
      assert.equal((await add(0, 11)).status, 422)
      assert.equal((await add(0, 9)).status, 201)
      assert.equal((await add(0, 1)).json.code, 'email_taken')
      assert.equal((await add(9, 2)).json.code, 'email_too_many')
      assert.equal((await add(9, 1)).status, 201)
    },
    { users: ['alice'], settings: { service: { REGISTER_EMAIL_CONFIRM: true } } },
  )
})

test('choosePasswordPage, choosePasswordSubmit: an account that must change its password sees no other page', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const change = '/user/settings/change_password'
  await forge.addUser('alice', { mustChangePassword: true })
  const app = { name: 'App', confidential_client: true, redirect_uris: ['https://app.example.com/cb'] }
  const { client_id: id } = (await forge.as('bob').must('POST', '/user/applications/oauth2', app)).json
  const browser = await Browser.of(forge, 'alice')
  const authorize = `/login/oauth/authorize?client_id=${id}&response_type=code&redirect_uri=https://app.example.com/cb`
  for (const page of ['/', '/user/settings', path, '/user/settings/security', authorize, '/user/login']) {
    const { status, headers } = await browser.get(page)
    assert.deepEqual([status, headers.get('location')], [303, change], page)
  }
  const fields = hiddenFields((await browser.get(change)).text, change)
  assert.equal((await browser.post(path, { ...fields, old_password: testPassword, password: next })).status, 303)
  assert.equal((await new Browser(forge).signIn('alice', next)).status, 200, 'by this form alone')
  assert.match((await browser.post(change, { ...fields, password: testPassword })).text, /that you were given/)
  assert.match((await browser.post(change, { ...fields, password: 'short' })).text, /id="password_problem"/)
  assert.equal((await browser.post(change, { ...fields, password: next })).headers.get('location'), '/')
  assert.match((await browser.get('/')).text, /Signed in as <strong>alice/)
  assert.equal((await browser.get(change)).headers.get('location'), path)
  const csrf = { _csrf: await browser.csrf(path) }
  assert.equal((await browser.post(change, { ...csrf, password: testPassword })).headers.get('location'), path)
  assert.equal(
    (await new Browser(forge).signIn('alice', next)).status,
    303,
    'later the password until now is asked for',
  )
})

test('forms that change something are taken from pages of this site alone', async () => {
  await using forge = await startForge({ settings: { quota: { ENABLED: true } }, users: ['alice'] })
  const browser = await Browser.of(forge, 'alice')
  const csrf = await browser.csrf(path)
  const pages = forge.services
    .operations()
    .filter(({ base, method, accepts }) => base === 'site' && method === 'POST' && accepts.includes('session'))
    // Applications may start with a form too; it redirects to the consent page (OpenID Connect Core, 3.1.2.1).
    .filter(({ id }) => id !== 'oauthAuthorizePost')
    // The token in the address of a mail is the credential.
    .filter(({ id }) => id !== 'unsubscribeSubmit')
  assert.ok(pages.length > 15)
  for (const { path: to, id, requires } of pages) {
    assert.ok(
      requires.some(({ codes }) => codes.includes('csrf')),
      id,
    )
    // Which refusal comes first below a repository depends on the person.
    if (to.includes('{')) continue
    const fields = { _csrf: csrf, password: testPassword, email: 'x@example.com' }
    for (const [sent, headers] of [
      [{ ...fields, _csrf: `${csrf}x` }, {}],
      [{ password: testPassword }, {}],
      [fields, { origin: 'https://evil.example.com' }],
      [fields, { origin: 'null' }],
      [fields, { 'sec-fetch-site': 'cross-site' }],
      [fields, { 'sec-fetch-site': 'same-site' }],
    ] as const) {
      const { status } = await browser.send('POST', to, sent, headers)
      assert.equal(status, 403, `${id} ${JSON.stringify(headers)}`)
    }
  }
  assert.match((await browser.get('/')).text, /Signed in/)
})

test('addAddressSubmit: an account without a password needs a recent sign-in', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword, { remember: 'on' })
  await transaction(forge.services.db, (tx) =>
    tx.updateTable('user').set({ password_hash: null }).where('name', '=', 'alice').execute(),
  )
  const add = async (email: string) => {
    const page = await browser.get(path)
    assert.doesNotMatch(page.text, /type="password"/)
    return browser.post(`${path}/email`, { ...hiddenFields(page.text, `"${path}/email"`), email })
  }
  assert.equal((await add('first@example.com')).status, 303)
  forge.clock.advance(901_000)
  assert.match((await add('second@example.com')).text, /You signed in too long ago/)
  browser.cookies.delete('ingot_session')
  assert.match((await add('second@example.com')).text, /You signed in too long ago/, 'a browser that stays signed in')
})
