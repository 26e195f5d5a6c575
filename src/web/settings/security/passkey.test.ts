import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepAt, totpAt } from '../../../auth/totp.ts'
import { transaction } from '../../../db/database.ts'
import { nowUnix } from '../../../lib/time.ts'
import { Browser, hiddenFields, unescaped } from '../../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../../testing/forge.ts'
import { PasskeyDevice } from '../../../testing/passkey.ts'
import { basicAuthorization } from '../../../testing/samples.ts'

const path = '/user/settings/security'

/** Returns the page's request to the browser and its hidden fields. */
function requestIn(text: string, action: string) {
  const form = text.slice(text.indexOf(`action="${action}"`))
  const request = JSON.parse(unescaped(/data-request="([^"]*)"/.exec(form)?.[1] ?? '{}'))
  const fields = hiddenFields(text, `"${action}"`)
  // Disabled until the script enables it, so browsers do not send it.
  delete fields['remember']
  return { request, fields }
}

/** Starts to add a passkey; returns the request to the device. */
async function begin(browser: Browser, name = 'my key', password = testPassword) {
  const page = await browser.post(`${path}/passkeys`, { _csrf: await browser.csrf(path), name, password })
  return { text: page.text, ...requestIn(page.text, `${path}/passkeys/add`) }
}

async function add(forge: Forge, browser: Browser, device = new PasskeyDevice(forge.url)) {
  const { request, fields } = await begin(browser)
  const answer = await browser.post(`${path}/passkeys/add`, { ...fields, response: device.create(request) })
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, path])
  const shown = await browser.get(path)
  return { device, scratch: /<code>([a-z2-7]{24})<\/code>/.exec(shown.text)?.[1] }
}

const isIn = async (browser: Browser): Promise<boolean> => (await browser.get('/')).text.includes('Signed in as')

/** Signs in with a passkey. */
async function signInBy(browser: Browser, device: PasskeyDevice, more: Record<string, string> = {}, verified = true) {
  const { request, fields } = requestIn((await browser.get('/user/login')).text, '/user/passkey')
  return browser.post('/user/passkey', { ...fields, response: device.get(request, verified), ...more })
}

test('beginPasskeySubmit, addPasskeySubmit, passkeySignInSubmit: a passkey is added with the password and signs in alone', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = await Browser.of(forge, 'alice')
  assert.match((await begin(browser, 'x', 'wrong')).text, /id="add_password_problem"/)
  assert.match((await begin(browser, ' ')).text, /id="passkey_name_problem"/)
  const { device, scratch } = await add(forge, browser)
  assert.match(scratch ?? '', /^[a-z2-7]{24}$/, 'for when the device is lost')
  const page = await browser.get(path)
  assert.match(page.text, /<strong>my key<\/strong>/)
  assert.ok(!page.text.includes(scratch as string), 'shown once')
  const other = new Browser(forge)
  const answer = await signInBy(other, device, { remember: 'on', redirect_to: '/user/settings' })
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/user/settings'])
  assert.ok((await isIn(other)) && other.cookies.has('ingot_remember'))
  const away = await signInBy(new Browser(forge), device, { redirect_to: 'https://evil.example.com' })
  assert.equal(away.headers.get('location'), '/')
  assert.match((await browser.get(path)).text, /last used <relative-time/)
})

test('passkeySignInSubmit: an answer counts once, for this site, with user verification, and not from a cloned device', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.now() })
  const { device } = await add(forge, await Browser.of(forge, 'alice'))
  const browser = new Browser(forge)
  const refused = async (fields: Record<string, string>) => {
    const { status, text } = await browser.post('/user/passkey', fields)
    assert.deepEqual([status, /role="alert"/.test(text), browser.cookies.has('ingot_session')], [200, true, false])
  }
  const ask = async () => requestIn((await browser.get('/user/login')).text, '/user/passkey')
  const { request, fields } = await ask()
  await refused(fields)
  for (const response of [
    '{}',
    'null',
    '[]',
    '{"id":1}',
    `{"id":"${device.id.toString('base64url')}"}`,
    'x'.repeat(17_000),
  ]) {
    await refused({ ...fields, response })
  }
  await refused({ ...fields, response: new PasskeyDevice(forge.url).get(request) })
  await refused({ ...fields, response: device.get(request, false) })
  await refused({ ...fields, response: device.get({ ...request, rpId: 'evil.example.com' }) })
  await refused({ ...fields, response: device.get({ ...request, challenge: (await ask()).request.challenge }) })
  await refused({ ...fields, challenge: 'x', response: device.get({ ...request, challenge: 'x' }) })
  const phishing = new PasskeyDevice('https://localhost.evil.example.com')
  Object.defineProperty(phishing, 'id', { value: device.id })
  await refused({ ...fields, response: phishing.get(request) })
  const late = device.get(request)
  const again = device.get(request)
  assert.equal((await browser.post('/user/passkey', { ...fields, response: late })).status, 303)
  browser.cookies.delete('ingot_session')
  // The field against forged requests changed with the sign-in.
  const { _csrf = '' } = (await ask()).fields
  await refused({ ...fields, _csrf, response: late })
  await refused({ ...fields, _csrf, response: again })
  device.counter = 0
  const copy = await ask()
  await refused({ ...copy.fields, response: device.get(copy.request) })
  device.counter = 100
  const old = await ask()
  forge.clock.advance(601_000)
  await refused({ ...old.fields, response: device.get(old.request) })
  assert.equal((await signInBy(browser, device)).status, 303)
  forge.clock.advance(700_000)
  await forge.app.scheduler.runNow('delete_expired_sessions')
  await forge.settle()
  assert.deepEqual(await forge.services.db.selectFrom('passkey_challenge').selectAll().execute(), [])
})

test('passkeySignInSubmit: one of concurrent uses of an answer signs in', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { device } = await add(forge, await Browser.of(forge, 'alice'))
  const browser = new Browser(forge)
  const { request, fields } = requestIn((await browser.get('/user/login')).text, '/user/passkey')
  const response = device.get(request)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => browser.post('/user/passkey', { ...fields, response })),
  )
  assert.equal(answers.filter(({ status }) => status === 303).length, 1)
})

test('passkeySignInSubmit: a barred account cannot sign in with a passkey', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { device } = await add(forge, await Browser.of(forge, 'alice'))
  for (const change of [{ prohibit_login: true }, { prohibit_login: false, active: false }]) {
    await forge.as('root').must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, ...change })
    assert.equal((await signInBy(new Browser(forge), device)).status, 200)
  }
})

test('twoFactorPasskeySubmit: the password leads to a page that asks for the passkey, of that account and no other', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { device, scratch = '' } = await add(forge, await Browser.of(forge, 'alice'))
  const { device: bobs } = await add(forge, await Browser.of(forge, 'bob'))
  const half = async () => {
    const browser = new Browser(forge)
    assert.equal((await browser.signIn('alice', testPassword)).headers.get('location'), '/user/two_factor')
    const { text } = await browser.get('/user/two_factor')
    assert.doesNotMatch(text, /name="passcode"/, 'there are no codes')
    return { browser, ...requestIn(text, '/user/two_factor/passkey') }
  }
  const { browser, request, fields } = await half()
  assert.deepEqual(request.allow, [device.id.toString('base64url')])
  const send = (response: string, more: Record<string, string> = {}) =>
    browser.post('/user/two_factor/passkey', { ...fields, response, ...more })
  assert.equal((await send(bobs.get(request))).status, 200)
  const { request: alone } = requestIn((await browser.get('/user/login')).text, '/user/passkey')
  assert.equal((await send(device.get(alone), { challenge: alone.challenge })).status, 200, 'asked for something else')
  assert.equal(await isIn(browser), false)
  const alsoAlone = await browser.post('/user/passkey', { ...fields, response: device.get(request) })
  assert.equal(alsoAlone.status, 200, 'nor the other way round')
  assert.equal((await send(device.get(request, false))).status, 303, 'the password is the other factor')
  assert.ok(await isIn(browser))
  const lost = await half()
  const other = await lost.browser.post('/user/two_factor', { _csrf: fields['_csrf'] ?? '', passcode: '123456' })
  assert.equal(other.status, 403)
  const form = hiddenFields((await lost.browser.get('/user/two_factor/scratch')).text, 'scratch')
  assert.equal((await lost.browser.post('/user/two_factor', { ...form, passcode: '123456' })).status, 200)
  assert.equal((await lost.browser.post('/user/two_factor/scratch', { ...form, token: scratch })).status, 303)
})

test('getAuthenticatedUser: with a passkey a password alone is refused altogether, and tokens are not', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = await Browser.of(forge, 'alice')
  await add(forge, browser)
  const enrol = `${path}/two_factor/enroll`
  const { text } = await browser.get(enrol)
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? ''
  const code = totpAt(key, stepAt(nowUnix(forge.clock)))
  assert.equal((await browser.post(enrol, { ...hiddenFields(text, enrol), passcode: code })).status, 303)
  const ask = (password: string, headers: Record<string, string> = {}) =>
    forge.guest.get('/user', { headers: { authorization: basicAuthorization('alice', password), ...headers } })
  for (const headers of [{}, { 'x-service-otp': code }] as Record<string, string>[]) {
    const { status, json } = await ask(testPassword, headers)
    assert.deepEqual([status, json.code], [401, 'passkey_enrolled'])
  }
  assert.equal((await ask((await forge.account('alice')).token)).status, 200)
})

test('removePasskeySubmit, disableTwoFactorSubmit: codes and passkeys are independent; the last one also ends the scratch code', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const browser = await Browser.of(forge, 'alice')
  const { device } = await add(forge, browser)
  const enrol = `${path}/two_factor/enroll`
  const { text } = await browser.get(enrol)
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? ''
  const passcode = totpAt(key, stepAt(nowUnix(forge.clock)))
  await browser.post(enrol, { ...hiddenFields(text, enrol), passcode })
  const send = async (to: string, more: Record<string, string> = {}, who = browser) =>
    who.post(`${path}/${to}`, { _csrf: await who.csrf(path), password: testPassword, ...more })
  assert.equal((await send('two_factor/disable')).status, 303)
  assert.equal((await new Browser(forge).signIn('alice', testPassword)).headers.get('location'), '/user/two_factor')
  const id = /name="id" value="(\d+)"/.exec((await browser.get(path)).text)?.[1] ?? ''
  assert.match((await send('passkeys/remove', { id, password: 'wrong' })).text, /id="remove_password_\d+_problem"/)
  assert.equal((await send('passkeys/remove', { id }, await Browser.of(forge, 'bob'))).status, 404)
  assert.equal((await send('passkeys/remove', { id })).status, 303)
  assert.equal((await signInBy(new Browser(forge), device)).status, 200)
  assert.equal((await new Browser(forge).signIn('alice', testPassword)).headers.get('location'), '/')
  assert.deepEqual(await forge.services.db.selectFrom('two_factor').selectAll().execute(), [])
})

test('addPasskeySubmit: a passkey is added once, for the requesting account, up to twenty', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const device = new PasskeyDevice(forge.url)
  const { request, fields } = await begin(alice)
  const response = device.create(request)
  const send = (browser: Browser, sent: Record<string, string>) => browser.post(`${path}/passkeys/add`, sent)
  const csrf = { _csrf: await bob.csrf(path) }
  assert.match((await send(bob, { ...fields, ...csrf, response })).text, /role="alert"/)
  const far = new PasskeyDevice('https://evil.example.com')
  assert.match(
    (await send(alice, { ...fields, response: far.create(request) })).text,
    /answer of the device is invalid/,
  )
  assert.equal((await send(alice, { ...fields, response })).status, 303)
  assert.match((await send(alice, { ...fields, response })).text, /exists already/)
  const theirs = await begin(bob)
  const stolen = await send(bob, { ...theirs.fields, response: device.create(theirs.request) })
  assert.match(stolen.text, /exists already/)
  for (let count = 1; count < 20; count += 1) await add(forge, alice)
  assert.match((await begin(alice)).text, /at most 20 passkeys/)
})

test('passkeyScript: is loaded when the site has a host name', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { server: { ROOT_URL: 'http://127.0.0.1:3000/' } },
  })
  const port = forge.services.config.server.httpPort
  const login = await (await fetch(`http://127.0.0.1:${port}/user/login`)).text()
  assert.doesNotMatch(login, /passkey/)
  const script = await fetch(`http://127.0.0.1:${port}/assets/passkey.js`)
  assert.equal(script.headers.get('content-type'), 'text/javascript;charset=utf-8')
})

test('createTokenSubmit: a passkey confirms who it is, of that account and once', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.now() })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const { device } = await add(forge, alice)
  const { device: other } = await add(forge, bob)
  await transaction(forge.services.db, (tx) =>
    tx.updateTable('user').set({ password_hash: null }).where('name', '=', 'alice').execute(),
  )
  forge.clock.advance(901_000)
  const to = '/user/settings/applications'
  const sent = { name: 'ci', access: 'all' }
  const answer = await alice.submit(to, `"${to}"`, sent)
  assert.equal(answer.status, 403)
  assert.doesNotMatch(answer.text, /type="password"/)
  const { request, fields } = requestIn(answer.text, to)
  assert.equal((await alice.post(to, { ...fields, response: other.get(request) })).status, 403)
  const response = device.get(request)
  const done = await alice.post(to, { ...fields, response })
  assert.deepEqual([done.status, done.headers.get('location')], [303, to])
  forge.clock.advance(901_000)
  assert.equal((await alice.post(to, { ...fields, name: 'second', response })).status, 403, 'an answer counts once')
})
