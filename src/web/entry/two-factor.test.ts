import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepAt, stepOfCode, totpAt } from '../../auth/totp.ts'
import { nowUnix } from '../../lib/time.ts'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'

const enrolPath = '/user/settings/security/two_factor/enroll'

const codeNow = (forge: Forge, key: string, steps = 0): string => totpAt(key, stepAt(nowUnix(forge.clock)) + steps)

/** Enables codes on the page; returns the key and the scratch code. */
async function enrol(forge: Forge, browser: Browser): Promise<{ key: string; scratch: string }> {
  const { text } = await browser.get(enrolPath)
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(text)?.[1] ?? ''
  const done = await browser.post(enrolPath, { ...hiddenFields(text, enrolPath), passcode: codeNow(forge, key) })
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/user/settings/security'])
  const shown = await browser.get('/user/settings/security')
  const scratch = /<code>([a-z2-7]{24})<\/code>/.exec(shown.text)?.[1] ?? ''
  assert.notEqual(scratch, '')
  assert.ok(!(await browser.get('/user/settings/security')).text.includes(scratch), 'shown once')
  return { key, scratch }
}

const asBasic = (password: string, headers: Record<string, string> = {}) => ({
  headers: { authorization: basicAuthorization('alice', password), ...headers },
})

test('totp: codes are those of RFC 6238, with one step of tolerance', () => {
  // The key "12345678901234567890" of the RFC in base 32; the last six digits of its table.
  const key = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  for (const [unix, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const) {
    assert.equal(totpAt(key, stepAt(unix)), code)
    assert.equal(stepOfCode(key, ` ${code.slice(0, 3)} ${code.slice(3)}`, unix), stepAt(unix))
    assert.equal(stepOfCode(key, code, unix + 30), stepAt(unix))
    assert.equal(stepOfCode(key, code, unix + 90), undefined)
  }
  for (const text of ['', '28708', '2870822', '28708x', '-87082']) assert.equal(stepOfCode(key, text, 59), undefined)
})

test('settingsPage, securitySettingsPage, enrolTwoFactorPage: guests are redirected to the sign-in and back', async () => {
  await using forge = await startForge({ users: ['alice'] })
  for (const path of ['/user/settings', '/user/settings/security', enrolPath]) {
    const { status, headers } = await new Browser(forge).get(path)
    assert.deepEqual([status, headers.get('location')], [303, `/user/login?redirect_to=${encodeURIComponent(path)}`])
    assert.equal((await (await Browser.of(forge, 'alice')).get(path)).status, 200)
  }
  assert.equal((await new Browser(forge).get('/user/two_factor')).headers.get('location'), '/user/login')
})

test('enrolTwoFactorSubmit: a code of the device confirms the key, which stays the same until it does', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const browser = await Browser.of(forge, 'alice')
  const first = await browser.get(enrolPath)
  assert.match(first.text, /data:image\/svg\+xml/)
  const fields = hiddenFields(first.text, enrolPath)
  const wrong = await browser.post(enrolPath, { ...fields, passcode: '000000' })
  assert.equal(wrong.status, 200)
  assert.equal(hiddenFields(wrong.text, enrolPath)['enrolment'], fields['enrolment'])
  const key = /<code>([A-Z2-7]{32})<\/code>/.exec(wrong.text)?.[1] ?? ''
  const bob = new Browser(forge)
  await bob.signIn('bob', testPassword)
  const theirs = await bob.post(enrolPath, {
    ...fields,
    _csrf: await bob.csrf(enrolPath),
    passcode: codeNow(forge, key),
  })
  assert.equal(theirs.status, 200, "another account's enrolment counts for nobody else")
  forge.clock.advance(1801_000)
  const late = { ...fields, passcode: codeNow(forge, key), confirm_password: testPassword }
  assert.equal((await browser.post(enrolPath, late)).status, 200, 'too late')
  await enrol(forge, browser)
  assert.equal((await browser.get(enrolPath)).status, 303, 'there is one already')
})

test('twoFactorSubmit: of many codes at once, no more count than of codes one after the other', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const { key } = await enrol(forge, await Browser.of(forge, 'alice'))
  forge.clock.advance(60_000)
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  const page = await browser.get('/user/two_factor')
  const fields = hiddenFields(page.text, 'two_factor')
  const codes = [...Array.from({ length: 60 }, (_, each) => String(100_000 + each)), codeNow(forge, key)]
  const answers = await Promise.all(codes.map((passcode) => browser.post('/user/two_factor', { ...fields, passcode })))
  assert.ok(answers.every(({ status }) => status !== 303))
  assert.equal(browser.cookies.has('ingot_session'), false)
})

test('twoFactorPage, twoFactorSubmit: the password leads to a page for the code, which is valid once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { key } = await enrol(forge, await Browser.of(forge, 'alice'))
  const browser = new Browser(forge)
  const half = await browser.signIn('alice', testPassword, { redirect_to: '/user/settings' })
  assert.deepEqual(
    [half.status, half.headers.get('location')],
    [303, '/user/two_factor?redirect_to=%2Fuser%2Fsettings'],
  )
  assert.equal(browser.cookies.has('ingot_session'), false)
  assert.equal((await browser.get('/user/settings')).status, 303, 'no session yet')
  const page = await browser.get('/user/two_factor?redirect_to=%2Fuser%2Fsettings')
  const fields = hiddenFields(page.text, 'two_factor')
  const wrong = await browser.post('/user/two_factor', { ...fields, passcode: '12345' })
  assert.match(wrong.text, /role="alert"/)
  const passcode = codeNow(forge, key)
  const done = await browser.post('/user/two_factor', { ...fields, passcode })
  assert.deepEqual([done.status, done.headers.get('location')], [303, '/user/settings'])
  assert.equal((await browser.get('/user/settings')).status, 200)

  const other = new Browser(forge)
  await other.signIn('alice', testPassword)
  const again = { ...hiddenFields((await other.get('/user/two_factor')).text, 'two_factor'), passcode }
  assert.equal((await other.post('/user/two_factor', again)).status, 200, 'a code that was seen signs nobody in')
  assert.equal((await other.post('/user/two_factor', { ...again, passcode: codeNow(forge, key, 1) })).status, 303)
})

test('twoFactorScratchPage, twoFactorScratchSubmit: the scratch code signs in once', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { scratch } = await enrol(forge, await Browser.of(forge, 'alice'))
  const withScratch = async (token: string) => {
    const browser = new Browser(forge)
    await browser.signIn('alice', testPassword)
    const fields = hiddenFields((await browser.get('/user/two_factor/scratch')).text, 'scratch')
    return (await browser.post('/user/two_factor/scratch', { ...fields, token })).status
  }
  assert.equal(await withScratch(''), 200)
  assert.equal(await withScratch('abcdefghabcdefghabcdefgh'), 200)
  assert.equal(await withScratch(` ${scratch.toUpperCase()} `), 303)
  assert.equal(await withScratch(scratch), 200)
})

test('twoFactorSubmit: a ticket ends with its time, with another password, and with the account', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { key } = await enrol(forge, await Browser.of(forge, 'alice'))
  const half = async () => {
    const browser = new Browser(forge)
    await browser.signIn('alice', testPassword)
    return { browser, fields: hiddenFields((await browser.get('/user/two_factor')).text, 'two_factor') }
  }
  const complete = async ({ browser, fields }: Awaited<ReturnType<typeof half>>) =>
    (await browser.post('/user/two_factor', { ...fields, passcode: codeNow(forge, key) })).headers.get('location')
  const late = await half()
  forge.clock.advance(601_000)
  assert.equal(await complete(late), '/user/login')
  const [barred, changed] = [await half(), await half()]
  const edit = (change: object) =>
    forge.as('root').must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, ...change })
  await edit({ prohibit_login: true })
  assert.equal(await complete(barred), '/user/login')
  await edit({ prohibit_login: false })
  await edit({ password: 'An0ther-Pass!' })
  assert.equal(await complete(changed), '/user/login')
})

test('getAuthenticatedUser: with a second factor a password needs a code, and tokens do not', async () => {
  await using forge = await startForge({ users: ['alice'] })
  assert.equal((await forge.guest.get('/user', asBasic(testPassword))).status, 200)
  const { key } = await enrol(forge, await Browser.of(forge, 'alice'))
  const { status, json } = await forge.guest.get('/user', asBasic(testPassword))
  assert.deepEqual([status, json.code], [401, 'two_factor_missing'])
  for (const name of ['X-SERVICE-OTP', 'X-Forgejo-OTP', 'X-Gitea-OTP']) {
    assert.equal(
      (await forge.guest.get('/user', asBasic(testPassword, { [name]: codeNow(forge, key) }))).status,
      200,
      name,
    )
    assert.equal((await forge.guest.get('/user', asBasic(testPassword, { [name]: '000000' }))).status, 401, name)
    assert.equal((await forge.guest.get('/user', asBasic('wrong', { [name]: codeNow(forge, key) }))).status, 401, name)
  }
  const { token } = await forge.account('alice')
  assert.equal((await forge.guest.get('/user', asBasic(token))).status, 200)
  const make = (headers: Record<string, string>) =>
    forge.guest.send(
      'POST',
      '/users/alice/tokens',
      { name: 'x', scopes: ['read:user'] },
      asBasic(testPassword, headers),
    )
  assert.equal((await make({})).status, 401)
  assert.equal((await make({ 'X-SERVICE-OTP': codeNow(forge, key) })).status, 201)
  const repo = await forge.given.repo({ private: true })
  const refs = `/${repo.fullName}.git/info/refs?service=git-upload-pack`
  const git = (password: string) => forge.guest.get(refs, { site: true, ...asBasic(password) })
  assert.deepEqual([(await git(testPassword)).status, (await git(token)).status], [401, 200])
})

test('twoFactorSubmit: codes cannot be guessed on pages or the API with the password', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { key } = await enrol(forge, await Browser.of(forge, 'alice'))
  for (let guess = 0; guess < 10; guess += 1) {
    const code = { 'X-SERVICE-OTP': String(guess).padStart(6, '0') }
    assert.equal((await forge.guest.get('/user', asBasic(testPassword, code))).status, 401)
  }
  const right = { 'X-SERVICE-OTP': codeNow(forge, key) }
  const { status, headers } = await forge.guest.get('/user', asBasic(testPassword, right))
  assert.equal(status, 429)
  assert.ok(Number(headers.get('retry-after')) > 0)
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  const fields = hiddenFields((await browser.get('/user/two_factor')).text, 'two_factor')
  const page = await browser.post('/user/two_factor', { ...fields, passcode: codeNow(forge, key) })
  assert.match(page.text, /too many wrong codes/i)
  forge.clock.advance(601_000)
  const later = { 'X-SERVICE-OTP': codeNow(forge, key) }
  assert.equal((await forge.guest.get('/user', asBasic(testPassword, later))).status, 200)
})

test('disableTwoFactorSubmit, regenerateScratchSubmit: the password is asked for', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const browser = await Browser.of(forge, 'alice')
  const { scratch } = await enrol(forge, browser)
  const base = '/user/settings/security/two_factor'
  const csrf = { _csrf: await browser.csrf('/user/settings/security') }
  const wrong = await browser.post(`${base}/disable`, { ...csrf, password: 'wrong' })
  assert.match(wrong.text, /id="disable_password_problem"[^>]*>The password is not right/)
  const none = await browser.post(`${base}/regenerate_scratch`, csrf)
  assert.match(none.text, /id="scratch_password_problem"/)
  assert.equal((await forge.guest.get('/user', asBasic(testPassword))).status, 401, 'it is still there')
  assert.equal((await browser.post(`${base}/regenerate_scratch`, { ...csrf, password: testPassword })).status, 303)
  const shown = await browser.get('/user/settings/security')
  assert.match(shown.text, /<code>[a-z2-7]{24}<\/code>/)
  assert.ok(!shown.text.includes(scratch))
  assert.equal((await browser.post(`${base}/disable`, { ...csrf, password: testPassword })).status, 303)
  assert.equal((await forge.guest.get('/user', asBasic(testPassword))).status, 200)
})

test('revokeGrantSubmit: the settings revoke an application', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const redirect_uri = 'https://app.example.com/cb'
  const body = { name: 'App <b>', confidential_client: true, redirect_uris: [redirect_uri] }
  const app = (await forge.as('bob').must('POST', '/user/applications/oauth2', body)).json
  const browser = await Browser.of(forge, 'alice')
  const query = new URLSearchParams({ client_id: app.client_id, redirect_uri, response_type: 'code' })
  const page = await browser.get(`/login/oauth/authorize?${query}`)
  await browser.post('/login/oauth/grant', { ...hiddenFields(page.text, 'grant'), granted: 'true' })
  const settings = await browser.get('/user/settings/applications')
  assert.match(settings.text, /Revoke access of App &lt;b/)
  const fields = hiddenFields(settings.text, 'applications/revoke')
  const other = new Browser(forge)
  await other.signIn('bob', testPassword)
  const theirs = { ...fields, _csrf: await other.csrf() }
  assert.equal((await other.post('/user/settings/applications/revoke', theirs)).status, 404, 'not by others')
  assert.equal((await browser.post('/user/settings/applications/revoke', fields)).status, 303)
  assert.ok(!(await browser.get('/user/settings/applications')).text.includes('Shut out'))
})
