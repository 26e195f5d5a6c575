import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Browser, hiddenFields } from '../../testing/browser.ts'
import { startForge, testPassword, type Forge, type ForgeOptions } from '../../testing/forge.ts'
import { accountNameOf, hasRequiredClaim } from './claims.rules.ts'
import { defaultSettings } from '../source.rules.ts'

const name = 'upstream'
const callback = (forge: Forge): string => `${forge.url}/user/oauth2/${name}/callback`

/** Two forges: a provider and one whose people sign in with it. */
async function pair(options: ForgeOptions = {}, source: object = {}) {
  const provider = await startForge({ users: ['ann', 'bob'] })
  const forge = await startForge({ users: ['local'], ...options })
  const { json: app } = await provider.as('ann').must('POST', '/user/applications/oauth2', {
    name: 'Other forge',
    confidential_client: true,
    redirect_uris: [callback(forge)],
  })
  const { json } = await addSource(forge, {
    name,
    secret: app.client_secret,
    openid: {
      discovery_url: provider.url,
      client_id: app.client_id,
      scopes: ['profile', 'email', 'groups'],
      ...source,
    },
  })
  return {
    provider,
    forge,
    source: json,
    async [Symbol.asyncDispose]() {
      await forge[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

const addSource = (forge: Forge, body: object) => admin(forge, 'POST', '/admin/sources', body)

async function admin(forge: Forge, method: string, path: string, body?: object, status = 0) {
  const answer = await forge.as('root').send(method, `/api/service/v1${path}`, body, { site: true })
  assert.ok(status === 0 ? answer.status < 300 : answer.status === status, `${answer.status} ${answer.text}`)
  return answer
}

/** Returns the path that a reply redirects to. */
function leadsTo({ status, headers, text }: { status: number; headers: Headers; text: string }, forge: Forge): string {
  assert.equal(status, 303, text)
  return (headers.get('location') ?? '').replace(forge.url, '')
}

/** Goes to the provider and authorizes the forge there; returns the path of the redirect back. */
async function goThere(forge: Forge, path: string, at: Browser): Promise<string> {
  const first = await at.get(path)
  if (first.status !== 200) return leadsTo(first, forge)
  const granted = { ...hiddenFields(first.text, '/login/oauth/grant'), granted: 'true' }
  return leadsTo(await at.post('/login/oauth/grant', granted), forge)
}

/** Signs in with a provider's person; returns the browser and the target of the final redirect. */
async function signInAs(provider: Forge, forge: Forge, login: string, at = new Browser(forge)) {
  const there = await Browser.of(provider, login)
  const begun = leadsTo(await at.get(`/user/oauth2/${name}?redirect_to=%2Fuser%2Fsettings`), provider)
  const back = await goThere(forge, begun, there)
  return { browser: at, answer: await at.get(back), back, begun }
}

const whoIs = async (browser: Browser): Promise<string> =>
  /Signed in as <strong>([^<]+)</.exec((await browser.get('/')).text)?.[1] ?? ''

test('accountNameOf, hasRequiredClaim: names are made fit, claims are one or a list', () => {
  for (const [claimed, made] of [
    ['ann', 'ann'],
    ['Ann Müller@example.com', 'Ann-Muller'],
    ['..//..', ''],
    ['a--__b', 'a-b'],
    ['admin', ''],
    [`${'x'.repeat(39)}-y`, 'x'.repeat(39)],
    ['<script>', 'script'],
  ]) {
    assert.equal(accountNameOf(claimed as string, { allowDotsInUsernames: true }), made, claimed)
  }
  assert.equal(accountNameOf('a.b', { allowDotsInUsernames: false }), 'a-b')
  const settings = { ...defaultSettings.openid, required_claim_name: 'roles', required_claim_value: 'forge' }
  assert.equal(hasRequiredClaim(settings, { roles: ['a', 'forge'] }), true)
  assert.equal(hasRequiredClaim(settings, { roles: 'forge' }), true)
  assert.equal(hasRequiredClaim(settings, { roles: ['forges'] }), false)
  assert.equal(hasRequiredClaim(settings, {}), false)
  assert.equal(hasRequiredClaim({ ...settings, required_claim_name: 'toString', required_claim_value: '' }, {}), false)
})

test('sourceSignIn, sourceCallback, linkAccountPage, linkAccountSignUp: a new person creates an account and returns to it', async () => {
  await using both = await pair()
  const { provider, forge } = both
  assert.match((await new Browser(forge).get('/user/login')).text, /href="\/user\/oauth2\/upstream"/)

  const { browser, answer, back, begun } = await signInAs(provider, forge, 'ann')
  const query = new URLSearchParams(begun.split('?')[1])
  assert.equal(query.get('code_challenge_method'), 'S256')
  assert.ok((query.get('nonce') ?? '').length > 20 && (query.get('state') ?? '').length > 20)
  assert.equal(leadsTo(answer, forge), '/user/link_account')
  const page = await browser.get('/user/link_account')
  assert.match(page.text, /as <strong>ann<\/strong>/)
  const fields = { ...hiddenFields(page.text, 'link_account_signup'), email: 'other@example.com' }
  const taken = await browser.post('/user/link_account_signup', { ...fields, user_name: 'local' })
  assert.deepEqual([taken.status, taken.text.includes('is taken')], [200, true])
  assert.equal(
    leadsTo(await browser.post('/user/link_account_signup', { ...fields, user_name: 'ann2' }), forge),
    '/user/settings',
  )
  assert.equal(await whoIs(browser), 'ann2')
  const account = await forge.services.db
    .selectFrom('user')
    .selectAll()
    .where('name', '=', 'ann2')
    .executeTakeFirstOrThrow()
  assert.deepEqual(
    [account.login_source_id, account.password_hash, account.email],
    [both.source.id, null, 'ann@example.com'],
  )

  assert.equal((await browser.get(back)).status, 403, 'the answer is good for one sign-in')
  assert.equal((await new Browser(forge).get(back)).status, 403, 'and for one browser')
  const again = await signInAs(provider, forge, 'ann')
  assert.equal(leadsTo(again.answer, forge), '/user/settings')
  assert.equal(await whoIs(again.browser), 'ann2')
  const page2 = await again.browser.get('/user/settings/links')
  const removed = await again.browser.post('/user/settings/links/remove', hiddenFields(page2.text, 'links/remove'))
  assert.match(removed.text, /only way to sign in to the account/)

  await forge.as('root').must('PATCH', '/admin/users/ann2', { prohibit_login: true })
  assert.equal((await signInAs(provider, forge, 'ann')).answer.status, 403, 'who is barred is not let in')
  await forge.as('root').must('PATCH', '/admin/users/ann2', { prohibit_login: false })
  await admin(forge, 'PATCH', `/admin/sources/${both.source.id}`, { active: false })
  assert.equal((await new Browser(forge).get(`/user/oauth2/${name}`)).status, 404, 'nobody signs in by one that is off')
  assert.ok(!(await new Browser(forge).get('/user/login')).text.includes('oauth2/upstream'))
  await admin(forge, 'DELETE', `/admin/sources/${both.source.id}`, undefined, 409)
})

test('sourceCallback, confirmedPage: a sign-in at the provider confirms the session for a form in another tab', async () => {
  await using both = await pair({
    settings: { oauth2_client: { ENABLE_AUTO_REGISTRATION: true } },
    standAt: Date.now(),
  })
  const { provider, forge } = both
  const { browser } = await signInAs(provider, forge, 'ann')
  forge.clock.advance(901_000)
  const path = '/user/settings/applications'
  const answer = await browser.submit(path, `"${path}"`, { name: 'ci', access: 'all' })
  assert.equal(answer.status, 403)
  assert.match(answer.text, /href="\/user\/oauth2\/upstream\?redirect_to=\/user\/confirmed"[^>]*target="_blank"/)
  const sent = hiddenFields(answer.text, `"${path}"`)
  assert.equal((await browser.post(path, sent)).status, 403, 'before the sign-in')
  const session = browser.cookies.get('ingot_session')
  const begun = leadsTo(await browser.get(`/user/oauth2/${name}?redirect_to=/user/confirmed`), provider)
  assert.equal(new URLSearchParams(begun.split('?')[1]).get('prompt'), 'login')
  const other = await goThere(forge, begun.replace('prompt=login', ''), await Browser.of(provider, 'bob'))
  const elsewhere = new Browser(forge)
  for (const [key, value] of browser.cookies) elsewhere.cookies.set(key, value)
  await elsewhere.get(other)
  assert.equal((await browser.post(path, sent)).status, 403, 'another person of the provider')
  const again = leadsTo(await browser.get(`/user/oauth2/${name}?redirect_to=/user/confirmed`), provider)
  const back = await goThere(forge, again.replace('prompt=login', ''), await Browser.of(provider, 'ann'))
  assert.equal(leadsTo(await browser.get(back), forge), '/user/confirmed')
  assert.match((await browser.get('/user/confirmed')).text, /Your sign-in is confirmed/)
  assert.equal(browser.cookies.get('ingot_session'), session, 'the session goes on')
  assert.equal((await browser.post(path, sent)).status, 303)
})

test('linkAccountSubmit, linkedAccountsPage, beginLinkSubmit, unlinkSubmit: link accounts of a person who is signed in to both', async () => {
  await using both = await pair()
  const { provider, forge } = both
  // From the provider, with a local sign-in in between.
  const { browser } = await signInAs(provider, forge, 'ann')
  assert.equal((await browser.signIn('local', testPassword, { redirect_to: '/user/link_account' })).status, 303)
  const linkPage = await browser.get('/user/link_account')
  assert.match(linkPage.text, /Link it to local/)
  assert.equal((await browser.post('/user/link_account', { _csrf: 'x' })).status, 403)
  assert.equal(
    leadsTo(await browser.post('/user/link_account', hiddenFields(linkPage.text, 'link_account')), forge),
    '/user/settings',
  )
  assert.equal(await whoIs((await signInAs(provider, forge, 'ann')).browser), 'local')

  // From the settings, with another person of the provider.
  const page = await browser.get('/user/settings/links')
  assert.match(page.text, /<strong>ann<\/strong>/)
  const form = hiddenFields(page.text, '"/user/settings/links"')
  const refused = await browser.post('/user/settings/links', { ...form, password: 'wrong' })
  assert.match(refused.text, /password is not right/)
  const begun = await browser.post('/user/settings/links', { ...form, password: testPassword })
  const url = (/href="([^"]*login\/oauth\/authorize[^"]*)"/.exec(begun.text)?.[1] ?? '').replaceAll('&amp;', '&')
  const back = await goThere(forge, url.replace(provider.url, ''), await Browser.of(provider, 'bob'))
  const stolen = new Browser(forge)
  for (const [cookie, value] of browser.cookies) if (cookie.endsWith('_away')) stolen.cookies.set(cookie, value)
  assert.equal((await stolen.get(back)).status, 403, 'the link is for who asked for it')
  // The attempt used up the code.
  const second = await goThere(forge, url.replace(provider.url, ''), await Browser.of(provider, 'bob'))
  assert.equal(leadsTo(await browser.get(second), forge), '/user/settings/links?done=linked')
  assert.equal(await whoIs((await signInAs(provider, forge, 'bob')).browser), 'local')

  const links = await browser.get('/user/settings/links')
  await browser.post('/user/settings/links/remove', hiddenFields(links.text, 'links/remove'))
  const left = await forge.services.db.selectFrom('external_account').select('name').execute()
  assert.deepEqual(left, [{ name: 'bob' }])
  const audited = await forge.services.db
    .selectFrom('audit_entry')
    .select('action')
    .where('action', 'like', '%linked')
    .execute()
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['account.linked', 'account.linked', 'account.unlinked'],
  )
})

test('oauth2_client: accounts are made, linked or refused as the settings say; groups put people on teams', async () => {
  const settings = { oauth2_client: { ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: 'auto', UPDATE_AVATAR: true } }
  await using both = await pair(
    { settings, users: ['bob', 'boss'] },
    {
      admin_group: 'club:chiefs',
      team_map: {
        club: { guild: ['crew', 'missing'] },
        'club:chiefs': { guild: ['Crew'] },
        other: { guild: ['past'] },
      },
      team_map_removes: true,
    },
  )
  const { provider, forge } = both
  await provider.as('ann').must('POST', '/orgs', { username: 'club' })
  await forge.as('boss').must('POST', '/orgs', { username: 'guild' })
  const team = async (title: string) =>
    (await forge.as('boss').must('POST', '/orgs/guild/teams', { name: title, units: ['repo.code'] })).json.id as number
  const [crew, past] = [await team('crew'), await team('past')]
  assert.equal(leadsTo((await signInAs(provider, forge, 'ann')).answer, forge), '/user/settings')
  const { json: ann } = await forge.as('root').must('GET', '/users/ann')
  assert.deepEqual(
    [ann.email, ann.is_admin, ann.source_id, ann.login_name],
    ['ann@example.com', false, both.source.id, '2'],
  )
  await forge.as('root').must('GET', `/teams/${crew}/members/ann`)
  assert.match(ann.avatar_url, /\/avatars\/[0-9a-f]{64}/)

  // Same name, linked automatically because the administrator allowed it.
  await forge.as('root').must('PUT', `/teams/${past}/members/bob`)
  assert.equal(await whoIs((await signInAs(provider, forge, 'bob')).browser), 'bob')
  assert.equal((await forge.as('root').get(`/teams/${past}/members/bob`)).status, 404, 'no group puts bob there')
  assert.equal((await forge.as('root').get(`/teams/${crew}/members/bob`)).status, 404)

  const chiefs = await provider.as('ann').must('POST', '/orgs/club/teams', { name: 'chiefs', units: ['repo.code'] })
  await provider.as('ann').must('PUT', `/teams/${chiefs.json.id}/members/bob`)
  await signInAs(provider, forge, 'bob')
  assert.equal((await forge.as('root').must('GET', '/users/bob')).json.is_admin, true)
  await provider.as('ann').must('DELETE', `/teams/${chiefs.json.id}/members/bob`)
  await signInAs(provider, forge, 'bob')
  assert.equal((await forge.as('root').must('GET', '/users/bob')).json.is_admin, false)
})

test('oauth2_client: with linking switched off nobody takes an account by its name, and a claim may be asked for', async () => {
  const settings = { oauth2_client: { ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: 'disabled' } }
  await using both = await pair({ settings, users: ['bob'] }, {})
  const { provider, forge, source } = both
  const refused = await signInAs(provider, forge, 'bob')
  assert.deepEqual([refused.answer.status, await whoIs(refused.browser)], [403, ''])
  const change = { openid: { required_claim_name: 'groups', required_claim_value: 'staff' } }
  await admin(forge, 'PATCH', `/admin/sources/${source.id}`, change)
  assert.match((await signInAs(provider, forge, 'ann')).answer.text, /does not allow you to sign in here/)
  assert.equal((await forge.as('root').get('/users/ann')).status, 404)
  await provider.as('ann').must('POST', '/orgs', { username: 'staff' })
  assert.equal(leadsTo((await signInAs(provider, forge, 'ann')).answer, forge), '/user/settings')
})

/** A provider whose answers the test controls. */
async function startHostile(address = '127.0.0.1') {
  const answers: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {}
  const server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '', 'http://x').pathname]
    if (!answer) return void response.writeHead(404).end()
    void answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, address, listening))
  const issuer = `http://${address}:${(server.address() as AddressInfo).port}`
  const json = (value: () => unknown) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value()))
  }
  return {
    answers,
    issuer,
    json,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('sourceCallback: refuses the answers of a dishonest provider', async () => {
  using hostile = await startHostile()
  await using forge = await startForge({ settings: { oauth2_client: { ENABLE_AUTO_REGISTRATION: true } } })
  const { answers, issuer, json } = hostile
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const other = await generateKeyPair('RS256', { extractable: true })
  let key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const described = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
  let description: object = described
  let token: (nonce: string) => Promise<string> = async () => ''
  let nonce = ''
  answers['/.well-known/openid-configuration'] = json(() => description)
  answers['/keys'] = json(() => ({ keys: [key] }))
  answers['/token'] = async (_, response) => {
    const body = { access_token: 'a', token_type: 'bearer', id_token: await token(nonce) }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const { json: source } = await addSource(forge, {
    name,
    secret: 'of the client',
    openid: { discovery_url: `${issuer}/.well-known/openid-configuration`, client_id: 'us' },
  })
  assert.ok(!JSON.stringify(source).includes('of the client'), 'the secret is told nobody')

  const claims = (more: object = {}) => ({
    iss: issuer,
    sub: '7',
    aud: 'us',
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 300,
    preferred_username: 'mallory',
    email: 'mallory@example.com',
    email_verified: true,
    nonce,
    ...more,
  })
  const signed = (more: object = {}, by = privateKey, kid = 'one') =>
    new SignJWT(claims(more)).setProtectedHeader({ alg: 'RS256', kid }).sign(by)
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

  async function attempt(change: (query: URLSearchParams) => void = () => undefined) {
    const browser = new Browser(forge)
    const { status, headers, text } = await browser.get(`/user/oauth2/${name}`)
    if (status !== 303) return { status, text, browser }
    const parameters = new URL(headers.get('location') ?? '').searchParams
    nonce = parameters.get('nonce') ?? ''
    const query = new URLSearchParams({ code: 'c', state: parameters.get('state') ?? '' })
    change(query)
    return { ...(await browser.get(`/user/oauth2/${name}/callback?${query}`)), browser }
  }

  const lies: Record<string, () => Promise<string>> = {
    'no token': async () => '',
    'another nonce': () => signed({ nonce: 'x' }),
    'no nonce': () => signed({ nonce: undefined }),
    'another issuer': () => signed({ iss: 'https://elsewhere.example.com' }),
    'another audience': () => signed({ aud: 'them' }),
    'several audiences': () => signed({ aud: ['us', 'them'], azp: 'them' }),
    expired: () => signed({ exp: Math.floor(Date.now() / 1000) - 300 }),
    'of tomorrow': () => signed({ nbf: Math.floor(Date.now() / 1000) + 3600 }),
    'another key': () => signed({}, other.privateKey),
    'an unknown key': () => signed({}, other.privateKey, 'two'),
    'no signature': async () => `${encoded({ alg: 'none' })}.${encoded(claims())}.`,
    'a signature by the secret': () =>
      new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('of the client')),
    'nobody named': () => signed({ sub: '' }),
  }
  for (const [lie, made] of Object.entries(lies)) {
    token = made
    const { status, text, browser } = await attempt()
    assert.deepEqual([status, await whoIs(browser)], [403, ''], lie)
    assert.ok(!text.includes('Error') && text.includes('failed; try again'), lie)
  }
  token = () => signed()
  for (const [what, change] of Object.entries({
    'another state': (query: URLSearchParams) => query.set('state', 'x'),
    'no state': (query: URLSearchParams) => query.delete('state'),
    'two codes': (query: URLSearchParams) => query.append('code', 'd'),
    'another issuer': (query: URLSearchParams) => query.set('iss', 'https://elsewhere.example.com'),
    'a refusal': (query: URLSearchParams) => query.set('error', 'access_denied'),
  })) {
    assert.equal((await attempt(change)).status, 403, what)
  }
  assert.equal((await forge.as('root').get('/users/mallory')).status, 404)

  assert.equal((await attempt()).status, 303, 'the same with nothing wrong')
  assert.equal((await forge.as('root').must('GET', '/users/mallory')).json.email, 'mallory@example.com')
  // Its keys change; only the current ones count.
  key = { ...(await exportJWK(other.publicKey)), kid: 'two', alg: 'RS256', use: 'sig' }
  token = () => signed({}, other.privateKey, 'two')
  assert.equal((await attempt()).status, 303, 'another key')
  token = () => signed()
  assert.equal((await attempt()).status, 403, 'the former one')

  const touch = () => admin(forge, 'PATCH', `/admin/sources/${source.id}`, { openid: { client_id: 'us' } })
  let reached = 0
  const inward = await startHostile('127.0.0.2')
  inward.answers['/keys'] = () => void reached++
  token = () => signed({}, other.privateKey, 'two')
  for (const [what, change] of Object.entries({
    'the issuer of others': { issuer: 'https://elsewhere.example.com' },
    'keys within': { jwks_uri: `${inward.issuer}/keys` },
    'a description without end': { more: 'x'.repeat(2 << 20) },
  })) {
    description = { ...described, ...change }
    forge.clock.advance(1000)
    await touch()
    assert.equal((await attempt()).status, 403, what)
  }
  answers['/.well-known/openid-configuration'] = (_, response) =>
    response.writeHead(302, { location: `${inward.issuer}/keys` }).end()
  forge.clock.advance(1000)
  await touch()
  assert.equal((await attempt()).status, 403, 'a redirect')
  assert.equal(reached, 0, 'nothing within was asked')
  const { json: tested } = await admin(forge, 'POST', `/admin/sources/${source.id}/test`, {})
  assert.equal(tested.ok, false)
  inward[Symbol.dispose]()
})
