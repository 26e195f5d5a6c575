import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as openid from 'openid-client'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { basicAuthorization } from '../../testing/samples.ts'

/** Tests of the basic profile of OpenID Connect, with a strict relying party. */

const callback = 'https://rp.example.com/cb'
const withQuery = 'https://rp.example.com/cb?foo=bar'

async function relyingParty(forge: Forge) {
  const { json: app } = await forge.as('dev').must('POST', '/user/applications/oauth2', {
    name: 'Relying party',
    confidential_client: true,
    redirect_uris: [callback, withQuery],
  })
  const config = (how: openid.ClientAuth) =>
    openid.discovery(new URL(forge.url), app.client_id, undefined, how, { execute: [openid.allowInsecureRequests] })
  const basic = await config(openid.ClientSecretBasic(app.client_secret))
  const post = await config(openid.ClientSecretPost(app.client_secret))
  for (const each of [basic, post]) openid.enableNonRepudiationChecks(each)
  return { app: app as { client_id: string; client_secret: string }, basic, post }
}

const start = (settings = {}) => startForge({ users: ['alice', 'bob', 'dev'], settings })

const pathOf = (config: openid.Configuration, more: Record<string, string>): string => {
  const url = openid.buildAuthorizationUrl(config, { redirect_uri: callback, scope: 'openid', state: 'st', ...more })
  return url.pathname + url.search
}

type Answer = Awaited<ReturnType<Browser['get']>>

const locationOf = ({ headers }: Answer): URL =>
  new URL(headers.get('location') ?? 'about:blank', 'http://here.invalid')

/** Classifies a reply: redirect to the relying party, sign-in page, or consent page. */
function outcomeOf(answer: Answer): string {
  if (answer.status === 200) return /name="granted"/.test(answer.text) ? 'asked' : 'page'
  const to = locationOf(answer)
  if (to.pathname === '/user/login') return 'sign in'
  if (to.origin !== 'https://rp.example.com') return `${answer.status} ${to.href}`
  return to.searchParams.get('error') ?? (to.searchParams.has('code') ? 'code' : 'neither')
}

async function agree(browser: Browser, page: Answer): Promise<Answer> {
  return browser.post('/login/oauth/grant', { ...hiddenFields(page.text, '/login/oauth/grant'), granted: 'true' })
}

/** Returns the redirect with a code, after consent if needed. */
async function codeFor(browser: Browser, config: openid.Configuration, more: Record<string, string> = {}) {
  const first = await browser.get(pathOf(config, more))
  const last = outcomeOf(first) === 'asked' ? await agree(browser, first) : first
  assert.equal(outcomeOf(last), 'code', last.text)
  return locationOf(last)
}

/** Signs in at the page to which a request redirected. Returns the next reply. */
async function signInAt(browser: Browser, page: Answer, login = 'alice'): Promise<Answer> {
  assert.equal(outcomeOf(page), 'sign in')
  const { pathname, search } = locationOf(page)
  const form = hiddenFields((await browser.get(pathname + search)).text, '/user/login')
  const sent = await browser.post('/user/login', { ...form, user_name: login, password: testPassword })
  assert.equal(sent.status, 303)
  const back = locationOf(sent)
  return browser.get(back.pathname + back.search)
}

const exchange = (config: openid.Configuration, to: URL, checks: openid.AuthorizationCodeGrantChecks = {}) =>
  openid.authorizationCodeGrant(config, to, { expectedState: 'st', idTokenExpected: true, ...checks })

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('openidConfiguration: the configuration is complete and correct', async () => {
  await using forge = await start()
  const { basic } = await relyingParty(forge)
  const known = basic.serverMetadata()
  assert.equal(known.issuer, forge.url.replace(/\/$/, ''))
  const endpoints = Object.entries(known).flatMap(([name, value]) =>
    /_endpoint$|^jwks_uri$/.test(name) && typeof value === 'string' ? [value] : [],
  )
  assert.equal(endpoints.length, 7)
  for (const endpoint of endpoints) {
    assert.ok(endpoint.startsWith(`${known.issuer}/`), endpoint)
    const path = endpoint.slice(known.issuer.length)
    const answers = await Promise.all(
      ['GET', 'POST'].map((method) => forge.guest.send(method, path, undefined, { site: true })),
    )
    assert.ok(!answers.every(({ status }) => [404, 405].includes(status)), endpoint)
  }
  const { json } = await forge.guest.get('/.well-known/openid-configuration', { site: true })
  assert.deepEqual(json.response_types_supported, ['code'])
  assert.deepEqual(json.subject_types_supported, ['public'])
  assert.deepEqual(
    [json.claims_parameter_supported, json.request_parameter_supported, json.request_uri_parameter_supported],
    [false, false, false],
  )
  const { json: keys } = await forge.guest.get('/login/oauth/keys', { site: true })
  assert.deepEqual(keys.keys[0].alg, json.id_token_signing_alg_values_supported[0])
})

test('oauthAuthorize, oauthToken: an identity token is signed and has the standard claims', async () => {
  await using forge = await start()
  const { app, basic, post } = await relyingParty(forge)
  const browser = await Browser.of(forge, 'alice')
  const subjects = new Set<string>()
  for (const config of [basic, post]) {
    const nonce = openid.randomNonce()
    const tokens = await exchange(config, await codeFor(browser, config, { nonce, max_age: '10000' }), {
      expectedNonce: nonce,
      maxAge: 10_000,
    })
    const claims = tokens.claims()!
    subjects.add(claims.sub)
    assert.deepEqual([claims.iss, [claims.aud].flat(), claims.nonce], [forge.url, [app.client_id], nonce])
    assert.ok(claims.exp > claims.iat && claims.auth_time! <= claims.iat, JSON.stringify(claims))
    assert.ok(decodeProtectedHeader(tokens.id_token!).kid)
    assert.equal(tokens.token_type.toLowerCase(), 'bearer')
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token!)
    const again = renewed.claims()!
    assert.deepEqual(
      [again.sub, again.iss, again.aud, again.auth_time],
      [claims.sub, claims.iss, claims.aud, claims.auth_time],
    )
  }
  assert.equal(subjects.size, 1)
  const { basic: other } = await relyingParty(forge)
  const plain = await codeFor(browser, other, { scope: 'read:user' })
  const tokens = await openid.authorizationCodeGrant(other, plain, { expectedState: 'st' })
  assert.equal(tokens.id_token, undefined, 'without openid no identity token is issued')

  const to = await codeFor(browser, basic)
  const first = await exchange(basic, to)
  assert.equal((await forge.guest.get('/user', bearer(first.access_token))).status, 200)
  await assert.rejects(exchange(basic, to))
  assert.equal((await forge.guest.get('/user', bearer(first.access_token))).status, 401, 'a code that comes twice')

  const before = decodeProtectedHeader(first.id_token!).kid
  forge.clock.advance(91 * 86_400_000)
  const later = await relyingPartyAgain(forge, app)
  const rotated = await exchange(later, await codeFor(await Browser.of(forge, 'alice'), later))
  const { json: keys } = await forge.guest.get('/login/oauth/keys', { site: true })
  const kids = keys.keys.map((key: { kid: string }) => key.kid)
  assert.deepEqual(kids, [decodeProtectedHeader(rotated.id_token!).kid, before], 'the one before is still shown')
})

const relyingPartyAgain = (forge: Forge, app: { client_id: string; client_secret: string }) =>
  openid.discovery(new URL(forge.url), app.client_id, app.client_secret, undefined, {
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
  })

test('oauthAuthorize: prompt controls sign-in and consent', async () => {
  await using forge = await start()
  const { basic } = await relyingParty(forge)
  const guest = new Browser(forge)
  assert.equal(outcomeOf(await guest.get(pathOf(basic, { prompt: 'none' }))), 'login_required')
  assert.equal(locationOf(await guest.get(pathOf(basic, { prompt: 'none' }))).searchParams.get('state'), 'st')
  assert.equal((await guest.get(pathOf(basic, { prompt: 'none', redirect_uri: 'https://evil.example' }))).status, 400)
  const browser = await Browser.of(forge, 'alice')
  const ask = async (more: Record<string, string>) => outcomeOf(await browser.get(pathOf(basic, more)))
  assert.equal(await ask({ prompt: 'none' }), 'consent_required')
  assert.equal(await ask({ prompt: 'none login' }), 'invalid_request')
  const granted = await exchange(basic, await codeFor(browser, basic))
  assert.equal(await ask({ prompt: 'none' }), 'code')
  assert.equal(await ask({ prompt: 'consent' }), 'asked')
  assert.equal(await ask({ prompt: 'whatever' }), 'code', 'unknown words are ignored')
  assert.equal(await ask({ prompt: 'select_account' }), 'sign in')

  forge.clock.advance(5000)
  const login = await browser.get(pathOf(basic, { prompt: 'login' }))
  const { pathname, search } = locationOf(login)
  assert.equal(
    outcomeOf(await browser.get(locationOf(login).searchParams.get('redirect_to')!)),
    'sign in',
    'not left out',
  )
  const back = await signInAt(browser, login)
  const anew = await exchange(basic, locationOf(back))
  assert.ok(anew.claims()!.auth_time! > granted.claims()!.auth_time!)
  assert.equal(outcomeOf(await browser.get(pathOf(basic, { prompt: 'login' }))), 'sign in', 'each time')
  const ticket = new URLSearchParams(new URL(`${pathname}${search}`, forge.url).searchParams.get('redirect_to')!).get(
    'again',
  )
  assert.equal(await ask({ prompt: 'login', state: 'other', again: ticket! }), 'sign in', 'for this request alone')
  const first = new Browser(forge)
  const once = await signInAt(first, await first.get(pathOf(basic, { prompt: 'login consent' })))
  assert.equal(outcomeOf(once), 'asked', 'a guest signs in once')
  assert.equal(outcomeOf(await agree(first, once)), 'code')
})

test('oauthAuthorize: max_age, id_token_hint and login_hint control the sign-in', async () => {
  await using forge = await start()
  const { basic } = await relyingParty(forge)
  const browser = await Browser.of(forge, 'alice')
  const ask = async (more: Record<string, string>) => outcomeOf(await browser.get(pathOf(basic, more)))
  const { id_token: ofAlice = '' } = await exchange(basic, await codeFor(browser, basic))
  forge.clock.advance(20_000)
  assert.equal(await ask({ max_age: '10000' }), 'code')
  assert.equal(await ask({ max_age: '10' }), 'sign in')
  assert.equal(await ask({ max_age: '10', prompt: 'none' }), 'login_required')
  assert.equal(await ask({ max_age: '0' }), 'sign in')
  for (const wrong of ['-1', '1.5', 'x', '1'.repeat(20)]) assert.equal(await ask({ max_age: wrong }), 'invalid_request')
  const anew = await exchange(
    basic,
    locationOf(await signInAt(browser, await browser.get(pathOf(basic, { max_age: '0' })))),
  )
  assert.ok(anew.claims()!.auth_time! >= Number(decodeJwt(ofAlice)['auth_time']) + 20)

  assert.equal(await ask({ prompt: 'none', id_token_hint: ofAlice }), 'code')
  const bob = await Browser.of(forge, 'bob')
  await codeFor(bob, basic)
  const hinted = async (more: Record<string, string>) => bob.get(pathOf(basic, { id_token_hint: ofAlice, ...more }))
  assert.equal(outcomeOf(await hinted({ prompt: 'none' })), 'login_required', 'another person')
  assert.equal(outcomeOf(await signInAt(bob, await hinted({}), 'bob')), 'login_required')
  assert.equal(outcomeOf(await signInAt(bob, await hinted({}), 'alice')), 'code')
  const forged = `${ofAlice.slice(0, -8)}AAAAAAAA`
  for (const hint of [forged, 'x', 'a.b.c', 'x'.repeat(9000)]) {
    assert.equal(await ask({ id_token_hint: hint }), 'code', 'an unverifiable hint does not refuse the person')
    assert.equal(await ask({ id_token_hint: hint, prompt: 'none' }), 'login_required')
  }

  const guest = new Browser(forge)
  const { pathname, search } = locationOf(await guest.get(pathOf(basic, { login_hint: 'al"ice@example.com' })))
  assert.match((await guest.get(pathname + search)).text, /value="al&quot;ice@example\.com"/)
})

test('oauthAuthorize, oauthAuthorizePost: unknown parameters are ignored, unsupported ones are refused, and addresses must be registered', async () => {
  await using forge = await start()
  const { app, basic } = await relyingParty(forge)
  const browser = await Browser.of(forge, 'alice')
  await codeFor(browser, basic)
  const ask = async (more: Record<string, string>) => outcomeOf(await browser.get(pathOf(basic, more)))
  const ignored = {
    ui_locales: 'fr',
    claims_locales: 'fr',
    acr_values: '1 2',
    display: 'page',
    login_hint: 'x',
    extra: 'foobar',
  }
  assert.equal(await ask({ ...ignored, claims: '{"userinfo":{"name":{"essential":true}}}' }), 'code')
  assert.equal(await ask({ request: 'e30.e30.' }), 'request_not_supported')
  assert.equal(await ask({ request_uri: 'https://rp.example.com/r' }), 'request_uri_not_supported')
  assert.equal(await ask({ registration: '{}' }), 'registration_not_supported')
  assert.equal(await ask({ response_mode: 'query' }), 'code')
  assert.equal(await ask({ response_mode: 'form_post' }), 'invalid_request')
  assert.equal(await ask({ response_type: 'id_token' }), 'unsupported_response_type')
  const without = (name: string) => {
    const url = new URL(pathOf(basic, {}), forge.url)
    url.searchParams.delete(name)
    return url.pathname + url.search
  }
  assert.equal(outcomeOf(await browser.get(without('response_type'))), 'unsupported_response_type')
  for (const name of ['redirect_uri', 'client_id']) assert.equal((await browser.get(without(name))).status, 400, name)
  for (const [more, outcome] of [
    ['&scope=openid', 'invalid_request'],
    ['&state=other', 'invalid_request'],
    [`&redirect_uri=${encodeURIComponent(callback)}`, '400'],
    ['&client_id=other', '400'],
  ]) {
    const answer = await browser.get(pathOf(basic, {}) + more)
    assert.equal(answer.status === 400 ? '400' : outcomeOf(answer), outcome, more)
  }
  for (const redirect_uri of [
    `${callback}#frag`,
    `${callback}?foo=bar&x=1`,
    `${callback}/../evil`,
    'https://rp.example.com.evil.example/cb',
    'https://rp.example.com@evil.example/cb',
    'https://rp.еxample.com/cb',
    'https://*.example.com/cb',
    `${callback}%0d%0aset-cookie:x`,
  ]) {
    assert.equal((await browser.get(pathOf(basic, { redirect_uri }))).status, 400, redirect_uri)
  }
  const kept = await codeFor(browser, basic, { redirect_uri: withQuery, state: 'a b&c=d"' })
  assert.deepEqual([kept.searchParams.get('foo'), kept.searchParams.get('state')], ['bar', 'a b&c=d"'])

  const url = new URL(pathOf(basic, { nonce: 'n' }), forge.url)
  const posted = await browser.post(url.pathname, Object.fromEntries(url.searchParams))
  assert.equal(posted.status, 303)
  const to = locationOf(posted)
  assert.equal(outcomeOf(await browser.get(to.pathname + to.search)), 'code')

  const verifier = openid.randomPKCECodeVerifier()
  const challenged = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  await exchange(basic, await codeFor(browser, basic, challenged), { pkceCodeVerifier: verifier })
  await assert.rejects(exchange(basic, await codeFor(browser, basic, challenged)))
  const { json: other } = await forge.as('dev').must('POST', '/user/applications/oauth2', {
    name: 'Other',
    confidential_client: true,
    redirect_uris: [callback],
  })
  const mixed = await relyingPartyAgain(forge, other)
  await assert.rejects(exchange(mixed, await codeFor(browser, basic)), { error: 'invalid_grant' })
  const wrong = await relyingPartyAgain(forge, { ...app, client_secret: other.client_secret })
  await assert.rejects(exchange(wrong, await codeFor(browser, basic)), { error: 'unauthorized_client' })
})

test('oauthGrant: only the shown scope is granted', async () => {
  await using forge = await start()
  const { basic } = await relyingParty(forge)
  const browser = await Browser.of(forge, 'alice')
  await codeFor(browser, basic, { scope: 'read:user' })
  const page = await browser.get(pathOf(basic, { scope: 'write:user write:repository', prompt: 'consent' }))
  assert.match(page.text, /Read your account/)
  const grants = '/api/service/v1/user/oauth2/grants'
  const { json } = await forge.as('alice').get(grants, { site: true })
  await forge.as('alice').delete(`${grants}/${json[0].id}`, undefined, { site: true })
  assert.equal((await agree(browser, page)).status, 409)
  assert.deepEqual((await forge.as('alice').get(grants, { site: true })).json, [])
})

test('oauthUserInfo, oauthUserInfoPost: claims follow the scopes, and the token comes in a header or a form', async () => {
  await using forge = await start()
  await forge.as('alice').must('PATCH', '/user/settings', { full_name: 'Ada L', website: 'https://ada.example' })
  const browser = await Browser.of(forge, 'alice')
  const scopes: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['openid read:repository', [], ['email', 'email_verified', 'website', 'updated_at', 'groups']],
    ['openid profile read:repository', ['name', 'profile', 'website', 'updated_at', 'picture'], ['email', 'groups']],
    ['openid email read:repository', ['email', 'email_verified'], ['website', 'groups']],
    ['openid profile email groups', ['name', 'email', 'email_verified', 'website', 'groups'], []],
  ]
  let token = ''
  for (const [scope, given, kept] of scopes) {
    const { basic } = await relyingParty(forge)
    const tokens = await exchange(basic, await codeFor(browser, basic, { scope }))
    const info = await openid.fetchUserInfo(basic, tokens.access_token, tokens.claims()!.sub)
    for (const claim of given) assert.ok(info[claim] !== undefined, `${claim} with ${scope}`)
    for (const claim of kept) assert.ok(info[claim] === undefined, `${claim} without it: ${scope}`)
    token = tokens.access_token
  }
  const form = (raw: string, headers: Record<string, string> = {}) =>
    forge.guest.send('POST', '/login/oauth/userinfo', undefined, {
      site: true,
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  const byForm = await form(`access_token=${token}`)
  assert.deepEqual([byForm.status, byForm.json.preferred_username], [200, 'alice'])
  const byHeader = await form('', { authorization: `Bearer ${token}` })
  assert.deepEqual(byHeader.json, byForm.json)
  assert.equal((await form(`access_token=${token}`, { authorization: `Bearer ${token}` })).status, 400, 'not both')
  const inAddress = await forge.guest.get(`/login/oauth/userinfo?access_token=${token}`, { site: true })
  assert.equal(inAddress.status, 200, 'unless [security].DISABLE_QUERY_AUTH_TOKEN says that no token counts there')
  for (const raw of ['', 'access_token=', 'access_token=ioa_nope', 'token=x']) {
    const refused = await form(raw)
    assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer realm=""'], raw)
  }
  const basic = await form(`access_token=${token}`, { authorization: basicAuthorization('alice', token) })
  assert.equal(basic.status, 400)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, prohibit_login: true })
  assert.equal((await form(`access_token=${token}`)).status, 403)
})
