import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'

const leaked = 'correct horse battery'
const digest = hash('sha1', leaked).toUpperCase()

/** Serves a list of leaked passwords in the format of haveibeenpwned.com; `status` is mutable. */
async function withRanges(use: (forge: Forge, list: { status: number; readonly requests: string[] }) => Promise<void>) {
  const list = { status: 200, requests: [] as string[] }
  const server = createServer((request, response) => {
    list.requests.push(request.url ?? '')
    const padding = hash('sha1', testPassword).toUpperCase().slice(5)
    response.statusCode = list.status
    response.end(`${digest.slice(5)}:37\r\n0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n${padding}:0\r\n`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`
    await using forge = await startForge({
      settings: { security: { PASSWORD_CHECK_PWN: true }, ingot: { PASSWORD_RANGE_URL: url, SIGN_UP_WORK: 0 } },
    })
    await use(forge, list)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const account = (password: string) => ({ username: 'bob', email: 'bob@example.com', password })

test('adminCreateUser, adminEditUser, signUpSubmit, changePasswordSubmit: a leaked password is refused; the list server receives five digits only', async () => {
  await withRanges(async (forge, list) => {
    const root = forge.as('root')
    const made = await root.post('/admin/users', account(leaked))
    assert.deepEqual([made.status, made.json.code], [400, 'password_leaked'])
    await root.must('POST', '/admin/users', { ...account(testPassword), must_change_password: false })
    const edited = await root.patch('/admin/users/bob', { login_name: 'bob', source_id: 0, password: leaked })
    assert.equal(edited.json.code, 'password_leaked')
    const guest = new Browser(forge)
    const signedUp = await guest.post('/user/sign_up', {
      _csrf: await guest.csrf('/user/sign_up'),
      user_name: 'eve',
      email: 'eve@example.com',
      password: leaked,
    })
    assert.match(signedUp.text, /id="password_problem">This password is on a list of leaked/)
    const browser = new Browser(forge)
    assert.equal((await browser.signIn('bob', testPassword)).status, 303)
    const changed = await browser.post('/user/settings/account', {
      _csrf: await browser.csrf('/user/settings/account'),
      old_password: testPassword,
      password: leaked,
    })
    assert.match(changed.text, /id="password_problem">This password is on a list of leaked/)
    assert.ok(list.requests.includes(`/range/${digest.slice(0, 5)}`))
    for (const request of list.requests) assert.match(request, /^\/range\/[0-9A-F]{5}$/)
  })
})

test('adminCreateUser: without an answer of the list server no password is accepted', async () => {
  await withRanges(async (forge, list) => {
    list.status = 500
    const { status, json } = await forge.as('root').post('/admin/users', account(testPassword))
    assert.deepEqual([status, json.code], [503, 'password_unknown'])
    list.status = 200
    assert.equal((await forge.as('root').post('/admin/users', account(testPassword))).status, 201)
  })
})

test('adminCreateUser, orgCreate, adminRenameUser: names cannot have dots when the settings forbid them', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { service: { ALLOW_DOTS_IN_USERNAMES: false } } })
  const root = forge.as('root')
  const dotted = { ...account(testPassword), username: 'b.ob' }
  for (const [path, body] of [
    ['/admin/users', dotted],
    ['/orgs', { username: 'our.org' }],
    ['/admin/users/alice/rename', { new_username: 'al.ice' }],
  ] as const) {
    const { status, json } = await root.post(path, body)
    assert.deepEqual([status, json.message], [422, 'names have no dots here'], path)
  }
})

test('signInPage, signInSubmit, getAuthenticatedUser: passwords can be disabled; tokens and passkeys keep working', async () => {
  const service = { ENABLE_INTERNAL_SIGNIN: false, ENABLE_BASIC_AUTHENTICATION: false }
  await using forge = await startForge({ users: ['alice'], settings: { service } })
  const browser = new Browser(forge)
  const { text } = await browser.get('/user/login')
  assert.doesNotMatch(text, /name="password"/)
  assert.match(text, /Sign in with a passkey/)
  assert.equal((await browser.signIn('alice', testPassword)).status, 403)
  const ask = (password: string) =>
    forge.guest.get('/user', { headers: { authorization: basicAuthorization('alice', password) } })
  const refused = await ask(testPassword)
  assert.deepEqual([refused.status, refused.json.code], [401, 'basic_authentication_off'])
  assert.equal((await ask((await forge.account('alice')).token)).status, 200)
})
