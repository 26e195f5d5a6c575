import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'

interface App {
  readonly id: number
  readonly client_id: string
  readonly client_secret: string
}

interface Asked {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

const givenApp = async (forge: Forge, more: object = {}): Promise<App> =>
  (
    await forge.as('dev').must('POST', '/user/applications/oauth2', {
      name: 'Television',
      confidential_client: false,
      redirect_uris: ['http://127.0.0.1/'],
      ...more,
    })
  ).json

const send = (forge: Forge, path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  forge.guest.send('POST', path, undefined, {
    site: true,
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

async function ask(forge: Forge, fields: Record<string, string>): Promise<Asked> {
  const { status, json, text } = await send(forge, '/login/oauth/device_authorization', fields)
  assert.equal(status, 200, text)
  return json
}

const poll = (forge: Forge, { client_id }: Pick<App, 'client_id'>, device_code: string) =>
  send(forge, '/login/oauth/access_token', { grant_type: grantType, client_id, device_code })

/** Enters a code. Returns the page, and the fields of its form. */
async function type(browser: Browser, user_code: string) {
  const page = await browser.post('/login/device', { _csrf: await browser.csrf('/login/device'), user_code })
  return { page, fields: hiddenFields(page.text, '/login/device/answer') }
}

async function answer(browser: Browser, user_code: string, granted = 'true') {
  const { fields } = await type(browser, user_code)
  return browser.post('/login/device/answer', { ...fields, granted })
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const start = (settings = {}) => startForge({ users: ['alice', 'dev'], settings })

test('oauthDeviceAuthorization, devicePage, deviceSubmit, deviceAnswer, oauthToken: a person grants a device access, once', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const request = await ask(forge, { client_id: app.client_id, scope: 'openid read:user' })
  assert.match(request.device_code, /^iod_[a-z2-7]{52}$/)
  assert.match(request.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  assert.equal(request.verification_uri, `${forge.url}/login/device`)
  const stored = JSON.stringify(await forge.services.db.selectFrom('oauth_device').selectAll().execute())
  assert.ok(!stored.includes(request.device_code) && !stored.includes(request.user_code.replace('-', '')))
  assert.equal((await poll(forge, app, request.device_code)).json.error, 'authorization_pending')

  const complete = new URL(request.verification_uri_complete)
  const guest = await new Browser(forge).get(complete.pathname + complete.search)
  assert.deepEqual(
    [guest.status, new URL(guest.headers.get('location') ?? '', forge.url).searchParams.get('redirect_to')],
    [303, complete.pathname + complete.search],
  )
  const browser = await Browser.of(forge, 'alice')
  const filledIn = await browser.get(complete.pathname + complete.search)
  assert.match(filledIn.text, new RegExp(`value="${request.user_code}"`))
  const { page, fields } = await type(browser, request.user_code.toLowerCase().replace('-', ' '))
  assert.match(page.text, /Authorize “Television” on a device\?/)
  assert.match(page.text, new RegExp(`shows the code <strong>${request.user_code}</strong>`))
  assert.match(page.text, /belongs to dev/)
  assert.match(page.text, /Read your account and its settings/)
  assert.equal(page.headers.get('x-frame-options'), 'DENY')
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  const forged = { ...fields, _csrf: 'other', granted: 'true' }
  assert.equal((await browser.post('/login/device/answer', forged)).status, 403)
  const granted = await browser.post('/login/device/answer', { ...fields, granted: 'true' })
  assert.match(granted.text, /The device is signed in/)
  const again = await browser.post('/login/device/answer', { ...fields, granted: 'false' })
  assert.match(again.text, /no device waits with this code/i)

  const tokens = await poll(forge, app, request.device_code)
  assert.deepEqual(
    [tokens.status, tokens.json.scope, tokens.headers.get('cache-control')],
    [200, 'openid read:user', 'no-store'],
  )
  assert.equal(typeof tokens.json.id_token, 'string')
  const who = await forge.guest.get('/user', bearer(tokens.json.access_token))
  assert.equal(who.json.login, 'alice')
  const settings = await forge.guest.send('PATCH', '/user/settings', {}, bearer(tokens.json.access_token))
  assert.equal(settings.status, 403, 'no more than was asked for')
  assert.equal((await poll(forge, app, request.device_code)).json.error, 'invalid_grant')
  const { json: grants } = await forge.as('alice').get('/api/service/v1/user/oauth2/grants', { site: true })
  assert.deepEqual(
    grants.map(({ name, scope }: { name: string; scope: string }) => [name, scope]),
    [['Television', 'openid read:user']],
  )
  await forge.as('alice').delete(`/api/service/v1/user/oauth2/grants/${grants[0].id}`, undefined, { site: true })
  assert.equal((await forge.guest.get('/user', bearer(tokens.json.access_token))).status, 401)
  const { json: audit } = await forge.as('root').must('GET', '/admin/audit?action=device.*')
  assert.deepEqual(
    audit.map((each: { action: string; outcome: string; actor: { login: string } }) => [each.action, each.outcome]),
    [
      ['device.codeTyped', 'refused'],
      ['device.granted', 'done'],
    ],
  )
})

test('oauthDeviceAuthorization, oauthToken: client credentials are checked, and a code works only for its client', async () => {
  await using forge = await start()
  const [app, other] = [await givenApp(forge), await givenApp(forge, { name: 'Other' })]
  const server = await givenApp(forge, { name: 'Server', confidential_client: true })
  const asking = (fields: Record<string, string>, headers = {}) =>
    send(forge, '/login/oauth/device_authorization', fields, headers)
  for (const [fields, error] of [
    [{}, 'invalid_client'],
    [{ client_id: 'nope' }, 'invalid_client'],
    [{ client_id: server.client_id }, 'unauthorized_client'],
    [{ client_id: server.client_id, client_secret: 'nope' }, 'unauthorized_client'],
    [{ client_id: app.client_id, scope: 'x'.repeat(5000) }, 'invalid_request'],
  ] as const) {
    const { status, json } = await asking(fields)
    assert.deepEqual([status, json.error], [400, error], JSON.stringify(fields))
  }
  const authorization = basicAuthorization(server.client_id, server.client_secret)
  assert.equal((await asking({ client_id: server.client_id }, { authorization })).status, 200)

  const request = await ask(forge, { client_id: app.client_id })
  await answer(await Browser.of(forge, 'alice'), request.user_code)
  assert.equal((await poll(forge, other, request.device_code)).json.error, 'invalid_grant')
  for (const code of ['', 'iod_nope', request.user_code]) {
    assert.equal((await poll(forge, app, code)).json.error, 'invalid_grant', code)
  }
  assert.equal((await poll(forge, app, request.device_code)).status, 200, 'mistakes do not spend it')
})

test('oauthToken: a device that polls too often waits longer; denied and expired devices get an error', async () => {
  await using forge = await startForge({ users: ['alice', 'dev'], standAt: Date.UTC(2030, 0, 1) })
  const app = await givenApp(forge)
  const { client_id } = app
  const errorOf = async (code: string): Promise<string> => (await poll(forge, app, code)).json.error
  const hasty = await ask(forge, { client_id })
  assert.equal(await errorOf(hasty.device_code), 'authorization_pending')
  assert.equal(await errorOf(hasty.device_code), 'slow_down')
  forge.clock.advance(6000)
  assert.equal(await errorOf(hasty.device_code), 'slow_down', 'five seconds are not enough any more')
  forge.clock.advance(15_000)
  assert.equal(await errorOf(hasty.device_code), 'authorization_pending')
  const many = await Promise.all(Array.from({ length: 20 }, () => errorOf(hasty.device_code)))
  assert.deepEqual([...new Set(many)], ['slow_down'])
  const { interval_seconds } = await forge.services.db
    .selectFrom('oauth_device')
    .select('interval_seconds')
    .executeTakeFirstOrThrow()
  assert.ok(interval_seconds > 15 && interval_seconds <= 60, `${interval_seconds}`)

  const browser = await Browser.of(forge, 'alice')
  const refused = await ask(forge, { client_id })
  assert.match((await answer(browser, refused.user_code, 'false')).text, /The device is not signed in/)
  assert.equal(await errorOf(refused.device_code), 'access_denied')
  const late = await ask(forge, { client_id })
  forge.clock.advance(901_000)
  assert.equal(await errorOf(late.device_code), 'expired_token')
  assert.match((await type(browser, late.user_code)).page.text, /No device waits with this code/)
  forge.clock.advance(3_601_000)
  await forge.as('root').must('POST', '/admin/cron/delete_expired_oauth_tokens')
  await forge.settle()
  assert.equal((await forge.services.db.selectFrom('oauth_device').selectAll().execute()).length, 0)
})

test('deviceAnswer, oauthToken: one of several concurrent answers counts, and one of several concurrent polls gets tokens', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const [alice, dev] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'dev')]
  const request = await ask(forge, { client_id: app.client_id, scope: 'read:user' })
  const forms = [
    [alice, 'true'],
    [alice, 'false'],
    [dev, 'true'],
    [dev, 'false'],
  ] as const
  const typed = await Promise.all(forms.map(async ([browser]) => (await type(browser, request.user_code)).fields))
  const answers = await Promise.all(
    forms.map(([browser, granted], index) => browser.post('/login/device/answer', { ...typed[index], granted })),
  )
  const won = answers.flatMap(({ text }, index) =>
    /The device is (?:not )?signed in/.test(text) ? [forms[index]] : [],
  )
  assert.equal(won.length, 1)
  const [[who, how]] = won as unknown as [(typeof forms)[number]]
  const polls = await Promise.all(Array.from({ length: 5 }, () => poll(forge, app, request.device_code)))
  if (how === 'false') {
    assert.deepEqual([...new Set(polls.map(({ json }) => json.error))], ['access_denied'])
  } else {
    const given = polls.filter(({ status }) => status === 200)
    assert.equal(given.length, 1)
    const { json } = await forge.guest.get('/user', bearer(given[0]!.json.access_token))
    assert.equal(json.login, who === alice ? 'alice' : 'dev', 'and keeps them')
  }
  const grants = await forge.services.db.selectFrom('oauth_grant').selectAll().execute()
  assert.equal(grants.length, how === 'true' ? 1 : 0, 'who came too late granted nothing')

  const sure = await ask(forge, { client_id: app.client_id, scope: 'read:user' })
  await answer(alice, sure.user_code)
  const codes = await Promise.all(Array.from({ length: 5 }, () => poll(forge, app, sure.device_code)))
  assert.equal(codes.filter(({ status }) => status === 200).length, 1)
})

test('deviceAnswer: an existing grant keeps its scope, and only the shown scope is granted', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const browser = await Browser.of(forge, 'alice')
  const first = await ask(forge, { client_id: app.client_id, scope: 'read:user' })
  await answer(browser, first.user_code)
  const wider = await ask(forge, { client_id: app.client_id, scope: 'write:user write:repository' })
  const { page, fields } = await type(browser, wider.user_code)
  assert.match(page.text, /Read your account/)
  assert.ok(!page.text.includes('Read and change'))
  const { json: grants } = await forge.as('alice').get('/api/service/v1/user/oauth2/grants', { site: true })
  await forge.as('alice').delete(`/api/service/v1/user/oauth2/grants/${grants[0].id}`, undefined, { site: true })
  const changed = await browser.post('/login/device/answer', { ...fields, granted: 'true' })
  assert.match(changed.text, /has changed meanwhile/)
  assert.equal((await poll(forge, app, wider.device_code)).json.error, 'authorization_pending')
  await answer(browser, wider.user_code)
  assert.equal((await poll(forge, app, wider.device_code)).json.scope, 'write:user write:repository')

  const barred = await ask(forge, { client_id: app.client_id })
  await answer(browser, barred.user_code)
  const bar = { login_name: 'alice', source_id: 0, prohibit_login: true }
  await forge.as('root').must('PATCH', '/admin/users/alice', bar)
  assert.equal((await poll(forge, app, barred.device_code)).json.error, 'unauthorized_client')
})

test('deviceSubmit: entered and requested codes are rate-limited', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const browser = await Browser.of(forge, 'alice')
  const request = await ask(forge, { client_id: app.client_id })
  const csrf = { _csrf: await browser.csrf('/login/device') }
  for (const user_code of ['', 'BCDF-GHJ', 'AEIO-UAEI', '<b>x</b>', `${request.user_code}Z`, 'x'.repeat(4000)]) {
    const page = await browser.post('/login/device', { ...csrf, user_code })
    assert.match(page.text, /No device waits with this code/, user_code)
    assert.ok(!page.text.includes('<b>'))
  }
  let last = ''
  for (let index = 0; index < 60; index += 1) {
    last = (await browser.post('/login/device', { ...csrf, user_code: 'BBBB-BBBB' })).text
  }
  assert.match(last, /too often/)
  const right = await browser.post('/login/device', { ...csrf, user_code: request.user_code })
  assert.match(right.text, /too often/, 'nor by the right one now')
  const other = await type(await Browser.of(forge, 'dev'), request.user_code)
  assert.match(other.page.text, /Authorize “Television” on a device/, 'others are not held up')
  let refused
  for (let index = 0; index < 120; index += 1) {
    refused = await send(forge, '/login/oauth/device_authorization', { client_id: app.client_id })
  }
  assert.deepEqual([refused?.status, refused?.json.error], [429, 'temporarily_unavailable'])
})

test('openidConfiguration: a client library uses the device flow, which [oauth2].ENABLED disables', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const config = await openid.discovery(new URL(forge.url), app.client_id, undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  })
  assert.ok(config.serverMetadata().grant_types_supported?.includes(grantType))
  const request = await openid.initiateDeviceAuthorization(config, { scope: 'openid' })
  await answer(await Browser.of(forge, 'alice'), request.user_code)
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...request, interval: 0 })
  const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()!.sub)
  assert.equal(info.preferred_username, 'alice')
  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token!)
  assert.equal(renewed.claims()!.sub, tokens.claims()!.sub)

  await using off = await start({ oauth2: { ENABLED: false } })
  assert.equal((await send(off, '/login/oauth/device_authorization', {})).status, 403)
  assert.equal((await (await Browser.of(off, 'alice')).get('/login/device')).status, 403)
})
