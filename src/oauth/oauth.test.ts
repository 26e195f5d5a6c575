import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { Browser, hiddenFields } from '../testing/browser.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { basicAuthorization } from '../testing/samples.ts'

const callback = 'https://app.example.com/cb'
const verifier = 'N1Zo9-8Rfwhkt68r1r29ty8YwIraXR8eh_1Qwxg7yQXsonBt'
const challenge = {
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}

interface App {
  readonly id: number
  readonly client_id: string
  readonly client_secret: string
}

const givenApp = async (forge: Forge, more: object = {}): Promise<App> =>
  (
    await forge.as('dev').must('POST', '/user/applications/oauth2', {
      name: 'App',
      confidential_client: true,
      redirect_uris: [callback, 'http://127.0.0.1/cb'],
      ...more,
    })
  ).json

const authorizePath = (app: Pick<App, 'client_id'>, more: Record<string, string> = {}) =>
  `/login/oauth/authorize?${new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: callback,
    response_type: 'code',
    state: 'st',
    ...more,
  })}`

/** Requests a code and grants access when asked. Returns the redirect of the browser. */
async function authorize(browser: Browser, app: App, more: Record<string, string> = {}, granted = 'true') {
  const first = await browser.get(authorizePath(app, more))
  if (first.status !== 200) return { isPrompted: false, answer: first, to: targetOf(first) }
  const fields = hiddenFields(first.text, '/login/oauth/grant')
  const answer = await browser.post('/login/oauth/grant', { ...fields, granted })
  return { isPrompted: true, answer, to: targetOf(answer) }
}

const targetOf = ({ headers }: { headers: Headers }): URL =>
  new URL(headers.get('location') ?? 'about:blank', 'http://here.invalid')

async function exchange(forge: Forge, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return forge.guest.send('POST', '/login/oauth/access_token', undefined, {
    site: true,
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

const withSecret = ({ client_id, client_secret }: App) => ({ client_id, client_secret })

async function tokensOf(forge: Forge, browser: Browser, app: App, scope?: string) {
  const { to } = await authorize(browser, app, scope === undefined ? {} : { scope })
  const answer = await exchange(forge, {
    ...withSecret(app),
    grant_type: 'authorization_code',
    code: to.searchParams.get('code') ?? '',
    redirect_uri: callback,
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.json as { access_token: string; refresh_token: string; id_token?: string }
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

const start = (settings = {}) => startForge({ users: ['alice', 'dev'], settings })

test('userCreateOAuth2Application: bad redirect addresses are refused', async () => {
  await using forge = await start()
  const dev = forge.as('dev')
  for (const uri of [
    '',
    '/cb',
    'app.example.com/cb',
    'https://app.example.com/cb#part',
    'https://*.example.com/cb',
    'https://user:pass@app.example.com/',
    'https://app.example.com/\r\nset-cookie: x=1',
    'https://äpp.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    `https://app.example.com/${'x'.repeat(3000)}`,
  ]) {
    const { status, json } = await dev.post('/user/applications/oauth2', { name: 'a', redirect_uris: [callback, uri] })
    assert.deepEqual([status, json.code], [422, 'redirect_uri_invalid'], uri)
  }
  for (const body of [{ redirect_uris: [callback] }, { name: 'a' }]) {
    assert.equal((await dev.post('/user/applications/oauth2', body)).status, 422, JSON.stringify(body))
  }
  const without = await dev.post('/user/applications/oauth2', { name: 'a', redirect_uris: [] })
  assert.deepEqual([without.status, without.json.redirect_uris], [201, []])
  assert.equal((await forge.guest.get('/user/applications/oauth2')).status, 401)
})

test('userGetOAuth2Applications, userGetOAuth2Application, userUpdateOAuth2Application, userDeleteOAuth2Application: secrets are shown once, only to the owner', async () => {
  await using forge = await start()
  const dev = forge.as('dev')
  const app = await givenApp(forge)
  assert.match(app.client_secret, /^gto_[a-z2-7]{52}$/)
  const path = `/user/applications/oauth2/${app.id}`
  assert.equal((await dev.must('GET', path)).json.client_secret, '')
  assert.equal((await dev.must('GET', '/user/applications/oauth2')).json[0].client_secret, '')
  for (const method of ['GET', 'DELETE', 'PATCH']) {
    const body = method === 'PATCH' ? { name: 'mine', redirect_uris: [callback] } : undefined
    assert.equal((await forge.as('alice').send(method, path, body)).status, 404, method)
  }
  const { json } = await dev.must('PATCH', path, { name: 'Other', redirect_uris: ['myapp:/cb'] })
  assert.deepEqual([json.name, json.client_id, json.confidential_client], ['Other', app.client_id, false])
  assert.notEqual(json.client_secret, app.client_secret)
  assert.equal((await dev.delete(path)).status, 204)
  assert.equal((await dev.get(path)).status, 404)
})

test('oauthAuthorize, oauthGrant, oauthToken: a person grants an application access', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const guest = await new Browser(forge).get(authorizePath(app))
  assert.equal(guest.status, 303)
  assert.match(guest.headers.get('location') ?? '', /^\/user\/login\?redirect_to=%2Flogin%2Foauth%2Fauthorize/)

  const browser = await Browser.of(forge, 'alice')
  const page = await browser.get(authorizePath(app, { scope: 'openid read:repository' }))
  assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.example\.com;/)
  assert.match(page.text, /belongs to dev/)
  assert.match(page.text, /Read repositories that you may reach/)
  const refusal = await authorize(browser, app, {}, 'false')
  assert.deepEqual(
    [refusal.to.origin, refusal.to.searchParams.get('error')],
    ['https://app.example.com', 'access_denied'],
  )

  const tokens = await tokensOf(forge, browser, app)
  const who = await forge.guest.get('/user', bearer(tokens.access_token))
  assert.deepEqual([who.status, who.json.login], [200, 'alice'])
  const again = await authorize(browser, app)
  assert.deepEqual([again.isPrompted, again.to.searchParams.get('state')], [false, 'st'])
  assert.equal((await forge.guest.get('/user', bearer(tokens.refresh_token))).status, 401)
})

test('oauthAuthorize: errors of application and address are shown to the person, others are sent to the application', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const native = await givenApp(forge, { name: 'Native', confidential_client: false })
  const browser = await Browser.of(forge, 'alice')
  for (const redirect_uri of [
    'https://evil.example.com/',
    'https://app.example.com/cb/',
    'https://app.example.com/cb?x=1',
    'https://app.example.com.evil.example.com/cb',
    'https://APP.example.com/cb',
    'http://127.0.0.1:4321/cb',
    '',
  ]) {
    assert.equal((await browser.get(authorizePath(app, { redirect_uri }))).status, 400, redirect_uri)
  }
  for (const redirect_uri of [
    'http://127.0.0.1:4321/other',
    'http://localhost:4321/cb',
    'http://127.0.0.1.evil.example.com:80/cb',
    'http://127.0.0.1:80@evil.example.com/cb',
    'http://127.0.0.1:99999/cb',
  ]) {
    assert.equal((await browser.get(authorizePath(native, { redirect_uri, ...challenge }))).status, 400, redirect_uri)
  }
  const loopback = await authorize(browser, native, { redirect_uri: 'http://127.0.0.1:4321/cb', ...challenge })
  assert.equal(loopback.to.origin, 'http://127.0.0.1:4321')
  assert.equal((await browser.get(authorizePath({ client_id: 'nope' }))).status, 400)
  const errorOf = async (of: App, more: Record<string, string>) =>
    targetOf(await browser.get(authorizePath(of, more))).searchParams.get('error')
  assert.equal(await errorOf(app, { response_type: 'token' }), 'unsupported_response_type')
  assert.equal(await errorOf(app, { ...challenge, code_challenge_method: 'S512' }), 'invalid_request')
  assert.equal(await errorOf(app, { code_challenge: 'short' }), 'invalid_request')
  assert.equal(await errorOf(app, { nonce: 'x'.repeat(5000) }), 'invalid_request')
  assert.equal(await errorOf(native, {}), 'invalid_request', 'a public client needs a challenge')
  const csrfless = await browser.post('/login/oauth/grant', {
    client_id: app.client_id,
    redirect_uri: callback,
    granted: 'true',
  })
  assert.equal(csrfless.status, 403)
})

test('oauthToken: secret, verifier and address are checked, and a wrong request does not spend the code', async () => {
  await using forge = await start()
  const [app, other] = [await givenApp(forge), await givenApp(forge, { name: 'Other' })]
  const browser = await Browser.of(forge, 'alice')
  const { to } = await authorize(browser, app, challenge)
  const code = to.searchParams.get('code') ?? ''
  const right = {
    ...withSecret(app),
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    code_verifier: verifier,
  }
  const { code_verifier: _, ...withoutVerifier } = right
  for (const [fields, error] of [
    [withoutVerifier, 'unauthorized_client'],
    [{ ...right, code_verifier: `${verifier}x` }, 'unauthorized_client'],
    [{ ...right, client_secret: 'nope' }, 'unauthorized_client'],
    [{ ...right, client_secret: '' }, 'unauthorized_client'],
    [{ ...right, client_id: 'nope' }, 'invalid_client'],
    [{ ...right, ...withSecret(other) }, 'invalid_grant'],
    [{ ...right, redirect_uri: 'http://127.0.0.1/cb' }, 'unauthorized_client'],
    [{ ...right, code: 'nope' }, 'unauthorized_client'],
    [{ ...right, grant_type: 'password' }, 'unsupported_grant_type'],
    [{ ...right, code: 'x'.repeat(5000) }, 'invalid_request'],
  ] as const) {
    const { status, json } = await exchange(forge, fields)
    assert.deepEqual([status, json.error], [400, error], JSON.stringify(fields))
  }
  const both = await exchange(forge, right, { authorization: basicAuthorization(app.client_id, 'other') })
  assert.equal(both.json.error, 'invalid_request', 'header and body differ')
  const bought = await exchange(forge, right)
  assert.deepEqual([bought.status, bought.headers.get('cache-control')], [200, 'no-store'])
  assert.equal((await forge.guest.get('/user', bearer(bought.json.access_token))).status, 200)
  assert.equal((await exchange(forge, right)).json.error, 'unauthorized_client')
  const ended = await forge.guest.get('/user', bearer(bought.json.access_token))
  assert.equal(ended.status, 401, 'what was bought with a code that comes twice ends')

  const late = (await authorize(browser, app)).to.searchParams.get('code') ?? ''
  forge.clock.advance(301_000)
  assert.equal((await exchange(forge, { ...withoutVerifier, code: late })).status, 400, 'codes expire')
})

test('oauthToken: the challenge is checked also after a consent page', async () => {
  await using forge = await start()
  const native = await givenApp(forge, { confidential_client: false })
  const browser = await Browser.of(forge, 'alice')
  const code = async () => {
    const { isPrompted, to } = await authorize(browser, native, challenge)
    assert.equal(isPrompted, true, 'a public client asks every time')
    return to.searchParams.get('code') ?? ''
  }
  const fields = { client_id: native.client_id, grant_type: 'authorization_code', redirect_uri: callback }
  assert.equal((await exchange(forge, { ...fields, code: await code() })).status, 400)
  assert.equal(
    (await exchange(forge, { ...fields, code: await code(), code_verifier: challenge.code_challenge })).status,
    400,
  )
  assert.equal((await exchange(forge, { ...fields, code: await code(), code_verifier: verifier })).status, 200)
})

test('oauthToken: one of several concurrent uses of a code or refresh token succeeds', async () => {
  await using forge = await start()
  const app = await givenApp(forge)
  const browser = await Browser.of(forge, 'alice')
  const code = (await authorize(browser, app)).to.searchParams.get('code') ?? ''
  const codes = await Promise.all(
    Array.from({ length: 6 }, () => exchange(forge, { ...withSecret(app), grant_type: 'authorization_code', code })),
  )
  assert.equal(codes.filter(({ status }) => status === 200).length, 1)
  const { refresh_token } = await tokensOf(forge, browser, app)
  const refreshed = await Promise.all(
    Array.from({ length: 6 }, () =>
      exchange(forge, { ...withSecret(app), grant_type: 'refresh_token', refresh_token }),
    ),
  )
  const [winner, ...more] = refreshed.filter(({ status }) => status === 200)
  assert.equal(more.length, 0)
  assert.equal((await forge.guest.get('/user', bearer(winner!.json.access_token))).status, 200, 'and keeps its tokens')
})

test('oauthToken: a refresh token works once, for its own client, and its reuse revokes the family', async () => {
  await using forge = await start()
  const [app, other] = [await givenApp(forge), await givenApp(forge, { name: 'Other' })]
  const browser = await Browser.of(forge, 'alice')
  const [first, apart] = [await tokensOf(forge, browser, app), await tokensOf(forge, browser, app)]
  const refresh = (of: App, refresh_token: string) =>
    exchange(forge, { ...withSecret(of), grant_type: 'refresh_token', refresh_token })
  assert.equal((await refresh(other, first.refresh_token)).status, 400)
  assert.equal((await refresh(app, first.access_token)).status, 400, 'an access token is not a refresh token')
  const second = (await refresh(app, first.refresh_token)).json
  forge.clock.advance(60_000)
  assert.equal((await forge.guest.get('/user', bearer(second.access_token))).status, 200)
  assert.equal((await refresh(app, first.refresh_token)).status, 400)
  assert.equal((await forge.guest.get('/user', bearer(second.access_token))).status, 401)
  assert.equal((await refresh(app, second.refresh_token)).status, 400)
  assert.equal(
    (await forge.guest.get('/user', bearer(apart.access_token))).status,
    200,
    'what came of another code stays',
  )
  forge.clock.advance(3600_000)
  assert.equal((await forge.guest.get('/user', bearer(apart.access_token))).status, 401, 'an hour later')
  assert.equal((await refresh(app, apart.refresh_token)).status, 200)
  forge.clock.advance(731 * 3600_000)
  assert.equal((await refresh(app, apart.refresh_token)).status, 400)
})

test('oauthToken: without [oauth2].INVALIDATE_REFRESH_TOKENS confidential clients can reuse refresh tokens', async () => {
  await using forge = await start({ oauth2: { INVALIDATE_REFRESH_TOKENS: false } })
  const app = await givenApp(forge)
  const { refresh_token } = await tokensOf(forge, await Browser.of(forge, 'alice'), app)
  const fields = { ...withSecret(app), grant_type: 'refresh_token', refresh_token }
  assert.equal((await exchange(forge, fields)).status, 200)
  assert.equal((await exchange(forge, fields)).status, 200)
})

test('oauthToken: scopes limit a token also as a password, and it cannot manage tokens', async () => {
  await using forge = await start()
  const browser = await Browser.of(forge, 'alice')
  const app = await givenApp(forge)
  const repo = await forge.given.repo({ private: true })
  const { access_token } = await tokensOf(forge, browser, app, 'openid read:user')
  const asPassword = { headers: { authorization: basicAuthorization('alice', access_token) } }
  for (const how of [bearer(access_token), asPassword, { headers: { authorization: `token ${access_token}` } }]) {
    assert.equal((await forge.guest.get('/user', how)).status, 200)
    assert.equal((await forge.guest.get(repo.api, how)).status, 403)
    assert.equal((await forge.guest.send('PATCH', '/user/settings', {}, how)).status, 403)
  }
  const whole = await tokensOf(forge, browser, await givenApp(forge, { name: 'Whole' }))
  for (const how of [
    bearer(whole.access_token),
    { headers: { authorization: basicAuthorization('alice', whole.access_token) } },
  ]) {
    const made = await forge.guest.send('POST', '/users/alice/tokens', { name: 'x', scopes: ['all'] }, how)
    assert.equal(made.status, 401, 'it is no password')
  }
  const publicOnly = await tokensOf(forge, browser, await givenApp(forge, { name: 'Public' }), 'public-only')
  assert.equal((await forge.guest.get(repo.api, bearer(publicOnly.access_token))).status, 403)
  const kept = await tokensOf(forge, browser, app, 'write:repository')
  assert.equal((await forge.guest.get(repo.api, bearer(kept.access_token))).status, 403, 'what was granted first stays')
})

test('oauthToken: a barred account, a revoked grant and a deleted application end tokens', async () => {
  await using forge = await start()
  const browser = await Browser.of(forge, 'alice')
  const [app, other] = [await givenApp(forge), await givenApp(forge, { name: 'Other' })]
  const [tokens, others] = [await tokensOf(forge, browser, app), await tokensOf(forge, browser, other)]
  const list = await forge
    .as('alice')
    .must('GET', '/../service/v1/user/oauth2/grants'.replace('/..', ''), undefined)
    .catch(() => undefined)
  assert.equal(list, undefined, 'the addresses are below the vendor prefix')
  const grants = '/api/service/v1/user/oauth2/grants'
  const mine = (await forge.as('alice').get(grants, { site: true })).json
  assert.deepEqual(
    mine.map((grant: { name: string }) => grant.name),
    ['Other', 'App'],
  )
  assert.equal((await forge.as('dev').delete(`${grants}/${mine[0].id}`, undefined, { site: true })).status, 404)
  assert.equal((await forge.as('alice').delete(`${grants}/${mine[0].id}`, undefined, { site: true })).status, 204)
  assert.equal((await forge.guest.get('/user', bearer(others.access_token))).status, 401)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, prohibit_login: true })
  assert.equal((await forge.guest.get('/user', bearer(tokens.access_token))).status, 403)
  const fields = { ...withSecret(app), grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  assert.equal((await exchange(forge, fields)).status, 400)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { login_name: 'alice', source_id: 0, prohibit_login: false })
  await forge.as('dev').must('DELETE', `/user/applications/oauth2/${app.id}`)
  assert.equal((await forge.guest.get('/user', bearer(tokens.access_token))).status, 401)
})

test('oauthIntrospect, oauthRevoke: an application introspects and revokes only its own tokens', async () => {
  await using forge = await start()
  const browser = await Browser.of(forge, 'alice')
  const [app, other] = [await givenApp(forge), await givenApp(forge, { name: 'Other' })]
  const tokens = await tokensOf(forge, browser, app, 'openid read:user')
  const ask = (path: string, token: string, of: App | undefined) =>
    forge.guest.send('POST', path, undefined, {
      site: true,
      raw: new URLSearchParams({ token }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(of ? { authorization: basicAuthorization(of.client_id, of.client_secret) } : {}),
      },
    })
  const introspect = async (token: string, of: App | undefined = app) => ask('/login/oauth/introspect', token, of)
  const { json } = await introspect(tokens.access_token)
  assert.deepEqual(
    [json.active, json.username, json.scope, json.aud],
    [true, 'alice', 'openid read:user', [app.client_id]],
  )
  assert.equal((await introspect(tokens.refresh_token)).json.active, true)
  assert.deepEqual((await introspect('nope')).json, { active: false })
  assert.deepEqual((await introspect(tokens.access_token, other)).json, { active: false }, "another application's")
  assert.equal((await ask('/login/oauth/introspect', tokens.access_token, undefined)).status, 401)
  assert.equal((await introspect(tokens.access_token, { ...app, client_secret: 'nope' })).status, 401)
  assert.equal((await ask('/login/oauth/revoke', tokens.access_token, other)).status, 200)
  assert.equal((await introspect(tokens.access_token)).json.active, true, 'not by another application')
  assert.equal((await ask('/login/oauth/revoke', tokens.refresh_token, app)).status, 200)
  assert.deepEqual((await introspect(tokens.access_token)).json, { active: false })
})

test('openidConfiguration, oauthKeys, oauthUserInfo, oauthUserInfoPost: a relying party signs a person in', async () => {
  await using forge = await start()
  await forge.as('alice').must('PATCH', '/user/settings', { full_name: 'Ada L' })
  const org = await forge.given.org()
  const app = await givenApp(forge)
  const config = await openid.discovery(new URL(forge.url), app.client_id, app.client_secret, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const pkce = openid.randomPKCECodeVerifier()
  const nonce = openid.randomNonce()
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid profile email groups',
    code_challenge: await openid.calculatePKCECodeChallenge(pkce),
    code_challenge_method: 'S256',
    nonce,
    state: 'st',
  })
  const browser = await Browser.of(forge, 'alice')
  const page = await browser.get(url.pathname + url.search)
  const fields = hiddenFields(page.text, '/login/oauth/grant')
  const sent = await browser.post('/login/oauth/grant', { ...fields, granted: 'true' })
  const tokens = await openid.authorizationCodeGrant(config, targetOf(sent), {
    pkceCodeVerifier: pkce,
    expectedNonce: nonce,
    expectedState: 'st',
    idTokenExpected: true,
  })
  const claims = tokens.claims()!
  assert.deepEqual(
    [claims.name, claims.preferred_username, claims.email, claims.email_verified, claims.groups],
    ['Ada L', 'alice', 'alice@example.com', true, [org, `${org}:owners`]],
  )
  const info = await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
  assert.deepEqual([info.email, info.groups], ['alice@example.com', [org, `${org}:owners`]])
  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token!)
  assert.equal(renewed.claims()!.sub, claims.sub)
  await openid.tokenRevocation(config, renewed.access_token)
  await assert.rejects(openid.fetchUserInfo(config, renewed.access_token, claims.sub))

  const refused = await forge.guest.get('/login/oauth/userinfo', { site: true })
  assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer realm=""'])
  const basic = { site: true, headers: { authorization: basicAuthorization('alice', tokens.access_token) } }
  assert.equal((await forge.guest.get('/login/oauth/userinfo', basic)).status, 401)
  const cross = { site: true, headers: { origin: 'https://spa.example.com', 'access-control-request-method': 'POST' } }
  const preflight = await forge.guest.send('OPTIONS', '/login/oauth/userinfo', undefined, cross)
  assert.deepEqual(
    [
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-credentials'),
    ],
    [200, 'https://spa.example.com', null],
  )
})

test('oauthKeys: keys rotate, and previous keys stay published', async () => {
  await using forge = await start()
  const kids = async () =>
    (await forge.guest.get('/login/oauth/keys', { site: true })).json.keys.map((key: { kid: string }) => key.kid)
  const [first] = await Promise.all([kids(), kids(), kids()])
  assert.equal(first.length, 1)
  assert.deepEqual(await kids(), first)
  forge.clock.advance(91 * 86_400_000)
  const later = await kids()
  assert.deepEqual([later.length, later[1]], [2, first[0]])
  const { text } = await forge.guest.get('/login/oauth/keys', { site: true })
  assert.ok(!/"(?:d|p|q)"/.test(text), 'no private part')
})

test('oauthAuthorize: it is 403 when OAuth2 is disabled, and applications can still be listed', async () => {
  await using forge = await start({ oauth2: { ENABLED: false } })
  const app = await givenApp(forge)
  for (const path of [authorizePath(app), '/.well-known/openid-configuration', '/login/oauth/keys']) {
    assert.equal((await forge.guest.get(path, { site: true })).status, 403, path)
  }
  assert.equal((await exchange(forge, { grant_type: 'refresh_token' })).status, 403)
  assert.equal((await forge.as('dev').must('GET', '/user/applications/oauth2')).json.length, 1)
})

test('userListOAuth2Grants, userRevokeOAuth2Grant: built-in applications are public clients that follow the setting', async () => {
  await using forge = await start()
  const tea = { id: 0, client_id: 'd57cb8c4-630c-4168-8324-ec79935e18d4', client_secret: '' }
  const browser = await Browser.of(forge, 'alice')
  const { isPrompted, to } = await authorize(browser, tea, { redirect_uri: 'http://127.0.0.1:5432/', ...challenge })
  assert.deepEqual([isPrompted, to.origin], [true, 'http://127.0.0.1:5432'])
  await using none = await start({ oauth2: { DEFAULT_APPLICATIONS: '' } })
  assert.equal((await (await Browser.of(none, 'alice')).get(authorizePath(tea))).status, 400)
})
