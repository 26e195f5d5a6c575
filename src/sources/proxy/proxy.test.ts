import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { clientAddresses } from '../../http/client-address.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'

const believed = { REVERSE_PROXY_TRUSTED_PROXIES: '127.0.0.1' }

const start = (service: Record<string, boolean> = {}, security: Record<string, string> = believed) =>
  startForge({
    users: ['alice', 'bob'],
    settings: { service: { ENABLE_REVERSE_PROXY_AUTHENTICATION: true, ...service }, security },
  })

/** Returns who is signed in according to the home page. */
async function whoIs(forge: Forge, headers: Record<string, string>, browser = new Browser(forge)) {
  const { text } = await browser.send('GET', '/', undefined, headers)
  return /Signed in as <strong>([^<]+)</.exec(text)?.[1]
}

const named = (name: string) => ({ 'x-webauth-user': name })

test('home: the person named by a trusted proxy is signed in on pages without a session', async () => {
  await using forge = await start()
  assert.equal(await whoIs(forge, named('ALICE')), 'alice')
  assert.equal(await whoIs(forge, {}), undefined)
  const browser = new Browser(forge)
  await browser.signIn('bob', testPassword)
  assert.equal(await whoIs(forge, {}, browser), 'bob')
  assert.equal(await whoIs(forge, named('alice'), browser), 'alice', 'the proxy knows who sits there now')
  const settings = await new Browser(forge).send('GET', '/user/settings', undefined, named('alice'))
  assert.equal(settings.status, 200)
  const rows = await forge.services.db.selectFrom('session').selectAll().execute()
  assert.equal(rows.length, 1, "bob's alone")
  const { json } = await forge.as('root').must('GET', '/admin/audit?action=session.begun&actor=alice')
  assert.deepEqual(
    json.map((each: { details: object }) => each.details),
    [{ by: 'reverse proxy' }],
    'written down once an hour',
  )
  const csrf = await browser.csrf()
  const ended = await browser.send('POST', '/user/settings/sessions/end_others', { _csrf: csrf }, named('bob'))
  assert.equal(ended.status, 303)
  assert.equal((await forge.services.db.selectFrom('session').selectAll().execute()).length, 0)

  await using off = await startForge({ users: ['alice'], settings: { security: believed } })
  assert.equal(await whoIs(off, named('alice')), undefined)
})

test('home: headers from an untrusted address are ignored', async () => {
  await using forge = await start(
    { ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true, ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true },
    { REVERSE_PROXY_TRUSTED_PROXIES: '192.0.2.7,10.0.0.0/8' },
  )
  const tries: readonly Record<string, string>[] = [
    {},
    { 'x-forwarded-for': '192.0.2.7' },
    { 'x-forwarded-for': '127.0.0.1, 10.0.0.1' },
    { 'x-real-ip': '192.0.2.7' },
    { forwarded: 'for=192.0.2.7' },
  ]
  for (const more of tries) {
    assert.equal(await whoIs(forge, { ...named('root'), ...more }), undefined, JSON.stringify(more))
    assert.equal((await forge.guest.get('/user', { headers: { ...named('root'), ...more } })).status, 401)
  }
  assert.equal(await whoIs(forge, named('mallory')), undefined)
  assert.equal((await forge.guest.get('/users/mallory')).status, 404, 'nor is an account made')
})

test('home: invalid names are refused', async () => {
  await using forge = await start({
    ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true,
    ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true,
    ENABLE_REVERSE_PROXY_EMAIL: true,
  })
  const before = await forge.as('root').must('GET', '/admin/users')
  for (const name of [
    'alice, root',
    'alice,root',
    'alice root',
    'alice\troot',
    'аlice',
    'alice\u00e9',
    'alice\u200b',
    '../root',
    'alice/x',
    '-alice',
    'ghost',
    'gitea-actions',
    'admin',
    'x.keys',
    'x'.repeat(41),
    'alice%00',
    'alice@example.com',
  ]) {
    const value = Buffer.from(name, 'utf8').toString('latin1')
    assert.equal(await whoIs(forge, named(value)), undefined, name)
    const reply = await forge.guest.get('/user', { headers: named(value) })
    assert.deepEqual([reply.status, reply.json.code], [401, 'proxied_malformed'], name)
  }
  const address = await forge.guest.get('/user', { headers: { ...named('carol'), 'x-webauth-email': 'a@b, c@d' } })
  assert.equal(address.json.code, 'proxied_malformed')
  const after = await forge.as('root').must('GET', '/admin/users')
  assert.equal(after.json.length, before.json.length)
})

/** Sends raw bytes and returns the reply. */
async function raw(forge: Forge, text: string): Promise<string> {
  const { hostname, port } = new URL(forge.url)
  const socket = connect({ host: hostname, port: Number(port) })
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  socket.write(text)
  await once(socket, 'close')
  return answer
}

test('home: repeated, folded and truncated headers sign nobody in', async () => {
  await using forge = await start({ ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true })
  const ask = (lines: string) =>
    raw(forge, `GET /api/v1/user HTTP/1.1\r\nHost: x\r\n${lines}\r\nConnection: close\r\n\r\n`)
  assert.match(await ask('X-WebAuth-User: alice'), /^HTTP\/1\.1 200/)
  assert.match(await ask('X-WebAuth-User: bob\r\nX-WebAuth-User: root'), /^HTTP\/1\.1 401/)
  assert.match(await ask('X-WebAuth-User: alice\r\nx-webauth-user: alice'), /^HTTP\/1\.1 401/)
  assert.match(await ask('X-WebAuth-User:\r\n root'), /^HTTP\/1\.1 40[01]/)
  assert.match(await ask('X-WebAuth-User: al\rice'), /^HTTP\/1\.1 400/)
  assert.match(await ask('X_WebAuth_User: root'), /^HTTP\/1\.1 401/)
  assert.match(await ask('X-WebAuth-User : root'), /^HTTP\/1\.1 40[01]/)
})

test('userGetCurrent: the API and git accept the proxy only when configured, and not from other sites', async () => {
  const basic = { authorization: basicAuthorization('bob', testPassword) }
  await using pages = await start()
  const hidden = await pages.given.repo({ owner: 'alice', private: true })
  const refs = `/${hidden.fullName}.git/info/refs?service=git-upload-pack`
  assert.equal((await pages.guest.get('/user', { headers: named('alice') })).status, 401)
  assert.equal((await pages.guest.get(refs, { site: true, headers: named('alice') })).status, 401)

  await using forge = await start({ ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const git = `/${repo.fullName}.git/info/refs?service=git-upload-pack`
  const loginOf = async (headers: Record<string, string>) => (await forge.guest.get('/user', { headers })).json.login
  assert.equal(await loginOf(named('alice')), 'alice')
  assert.equal(await loginOf({ ...named('alice'), ...basic }), 'bob', 'credentials of its own win')
  assert.equal((await forge.guest.get(git, { site: true, headers: named('alice') })).status, 200)
  assert.notEqual((await forge.guest.get(git, { site: true, headers: named('bob') })).status, 200)
  const elsewhere: readonly Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]
  for (const more of elsewhere) {
    const star = await forge.guest.send('PUT', '/user/following/bob', undefined, {
      headers: { ...named('alice'), ...more },
    })
    assert.equal(star.status, 401, JSON.stringify(more))
  }
  const made = await forge.guest.send(
    'POST',
    '/users/alice/tokens',
    { name: 'x', scopes: ['read:user'] },
    { headers: named('alice') },
  )
  assert.equal(made.status, 201, 'the account itself')
  assert.equal((await forge.guest.get('/user', { headers: named('nobody') })).status, 401)
})

test('home: barred accounts stay barred; the proxy replaces the second factor', async () => {
  await using forge = await start({ ENABLE_REVERSE_PROXY_AUTHENTICATION_API: true })
  const bar = (change: object) =>
    forge.as('root').must('PATCH', '/admin/users/bob', { login_name: 'bob', source_id: 0, ...change })
  for (const change of [{ prohibit_login: true }, { prohibit_login: false, active: false }]) {
    await bar(change)
    assert.equal(await whoIs(forge, named('bob')), undefined)
    assert.equal((await forge.guest.get('/user', { headers: named('bob') })).status, 403)
  }
  const org = await forge.given.org()
  assert.equal(await whoIs(forge, named(org)), undefined, 'an organization is nobody')
})

test('home: creates accounts for unknown people when configured', async () => {
  await using none = await start()
  assert.equal(await whoIs(none, named('carol')), undefined)
  await using plain = await start({ ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true })
  const headers = { 'x-webauth-email': 'carol@example.com', 'x-webauth-fullname': 'Carol' }
  assert.equal(await whoIs(plain, { ...named('Carol'), ...headers }), 'Carol')
  const { json: carol } = await plain.as('root').must('GET', '/users/carol')
  assert.deepEqual([carol.full_name, carol.email.endsWith('@localhost')], ['', true], 'nothing else is believed')

  await using forge = await start({
    ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true,
    ENABLE_REVERSE_PROXY_EMAIL: true,
    ENABLE_REVERSE_PROXY_FULL_NAME: true,
  })
  const zoe = {
    ...named('zoe'),
    'x-webauth-email': 'zoe@example.com',
    'x-webauth-fullname': Buffer.from('Zoë Ç', 'utf8').toString('latin1'),
  }
  const all = await Promise.all(Array.from({ length: 6 }, () => whoIs(forge, zoe)))
  assert.deepEqual([...new Set(all)], ['zoe'], 'many requests at once make one account')
  const { json } = await forge.as('root').must('GET', '/users/zoe')
  assert.deepEqual([json.full_name, json.email, json.is_admin], ['Zoë Ç', 'zoe@example.com', false])
  assert.equal(await whoIs(forge, { 'x-webauth-email': 'ALICE@example.com' }), 'alice', 'by a confirmed address')
  const taken = { ...named('mallory'), 'x-webauth-email': 'alice@example.com' }
  assert.equal(await whoIs(forge, taken), undefined, 'an address of somebody else')
  assert.equal((await forge.guest.get('/users/mallory')).status, 404)
  const rude = { ...named('rude'), 'x-webauth-email': 'rude@example.com', 'x-webauth-fullname': 'a\u009bb' }
  assert.equal(await whoIs(forge, rude), 'rude')
  assert.equal((await forge.as('root').must('GET', '/users/rude')).json.full_name, '')
})

test('addAddressSubmit: who has no password here may change what opens the account while the proxy vouches for them', async () => {
  await using forge = await start({ ENABLE_REVERSE_PROXY_AUTO_REGISTRATION: true })
  const browser = new Browser(forge)
  await whoIs(forge, named('carol'), browser)
  const form = { _csrf: await browser.csrf(), email: 'carol@example.com', password: '' }
  const path = '/user/settings/account/email'
  assert.equal((await browser.send('POST', path, form, named('carol'))).status, 303)
  const { text } = await browser.send('GET', '/user/settings/account', undefined, named('carol'))
  assert.match(text, /carol@example\.com/)
  const alice = await browser.send('POST', path, { ...form, email: 'other@example.com' }, named('alice'))
  assert.match(alice.text, /The password is not right/, 'who has one is asked for it')
})

test('a closed connection is not a proxy; each connection to a Unix socket is', () => {
  const from = (remoteAddress: string | undefined) => ({ socket: { remoteAddress } }) as unknown as IncomingMessage
  const addresses = clientAddresses(['127.0.0.0/8', '::1'])
  for (const [address, isLocal, expected] of [
    ['127.0.0.1', false, true],
    ['::1', false, true],
    ['::ffff:127.0.0.1', false, true],
    ['192.0.2.1', false, false],
    [undefined, false, false],
    [undefined, true, true],
  ] as const) {
    assert.equal(addresses.isFromProxy(from(address), isLocal), expected, `${address}`)
  }
  assert.equal(clientAddresses([]).isFromProxy(from('127.0.0.1'), false), false)
  assert.equal(clientAddresses([]).isFromProxy(from(undefined), true), false)
})

test('an empty or unlimited list of proxies stops the start', () => {
  const load = (env: Record<string, string>) =>
    loadConfig({ cwd: '/nowhere', env: { INGOT__service__ENABLE_REVERSE_PROXY_AUTHENTICATION: 'true', ...env } })
  const proxies = 'INGOT__security__REVERSE_PROXY_TRUSTED_PROXIES'
  assert.throws(() => load({}), /REVERSE_PROXY_TRUSTED_PROXIES/)
  for (const all of ['*', '0.0.0.0/0', '10.0.0.1,::/0']) {
    assert.throws(() => load({ [proxies]: all }), /must list only the proxies/)
  }
  assert.throws(() => load({ [proxies]: '10.0.0.1', INGOT__security__REVERSE_PROXY_LIMIT: '0' }), /REVERSE_PROXY/)
  for (const header of ['Authorization', 'Cookie', 'Host', 'From', 'a b', 'X-User:']) {
    const env = { [proxies]: '10.0.0.1', INGOT__security__REVERSE_PROXY_AUTHENTICATION_USER: header }
    assert.throws(() => load(env), /name of a header/, header)
  }
  for (const header of [
    'Remote-User',
    'X-WEBAUTH-USER',
    'X-Forwarded-User',
    'Tailscale-User-Login',
    'OIDC_CLAIM_sub',
  ]) {
    load({ [proxies]: '10.0.0.1', INGOT__security__REVERSE_PROXY_AUTHENTICATION_USER: header })
  }
})
