import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPage, type NamedOperation } from '../src/http/operation.ts'
import { Browser, hiddenFields } from '../src/testing/browser.ts'
import { startForge, testPassword } from '../src/testing/forge.ts'
import { publicKey } from '../src/testing/samples.ts'
import type { TwinOperation } from '../src/web/shell/page.tsx'
import { everythingOn } from './authorization-world.ts'

type Declared = NamedOperation & Partial<TwinOperation>

/** Properties of bodies and replies that contain a credential of an account, a repository or a machine. */
const credentials = /^(?:sha1|client_secret|token|key|armored_public_key|armored_signature|password|secret)$/

/** Forms with such a property and without the declaration, by the reason. */
const others = {
  'the sign-in itself': ['signInSubmit', 'signUpSubmit', 'twoFactorSubmit', 'twoFactorScratchSubmit'],
  'a mailed link or a fresh sign-in proves who it is': ['recoverAccountSubmit', 'choosePasswordSubmit'],
  'the secret signs what leaves the site, and nobody gets in by it': [
    'administrationCreateHook',
    'administrationEditHook',
    'createOrgHookSubmit',
    'editOrgHookSubmit',
    'createRepositoryHookSubmit',
    'editRepositoryHookSubmit',
    'createUserHookSubmit',
    'editUserHookSubmit',
  ],
  'the password belongs to another site': ['addPushMirrorSubmit'],
  'no act: it checks by itself, see below': ['beginLinkSubmit', 'beginPasskeySubmit', 'enrolTwoFactorSubmit'],
}

/** Forms without a property that tells, which create, show or weaken a credential. */
const untold = [
  'createTokenSubmit',
  'regenerateSecretSubmit',
  'disableTwoFactorSubmit',
  'regenerateScratchSubmit',
  'removePasskeySubmit',
  'changePasswordSubmit',
  'primaryAddressSubmit',
  'deleteAccountSubmit',
]

/** Collects the names of the properties of schemas. */
function namesIn(schema: unknown, names = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return names
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties') for (const each of Object.keys(value as object)) names.add(each)
    namesIn(value, names)
  }
  return names
}

test('act: each form that creates, shows or weakens a credential needs a recent sign-in', async () => {
  await using forge = await startForge({ settings: everythingOn })
  const operations = forge.services.operations() as readonly Declared[]
  const byId = new Map(operations.map((each) => [each.id, each]))
  const lacking = operations.filter((each) => {
    if (each.method !== 'POST' || each.recentSignIn !== undefined || !isPage(each)) return false
    const twin = byId.get(each.twin ?? '')
    const shapes = twin?.method === 'GET' || twin?.method === 'DELETE' ? [] : [twin?.body, twin?.reply]
    return [...namesIn([each.body, ...shapes])].some((name) => credentials.test(name))
  })
  const known = Object.values(others).flat()
  assert.deepEqual(
    lacking.map(({ id }) => id).filter((id) => !known.includes(id)),
    [],
  )
  assert.deepEqual(
    untold.filter((id) => byId.get(id)?.recentSignIn === undefined),
    [],
  )
})

test('act: a form that needs a recent sign-in does nothing in an old session', async () => {
  await using forge = await startForge({ users: ['alice'], settings: everythingOn, standAt: Date.now() })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  await forge.as('alice').must('POST', '/user/repos', { name: 'anvil' })
  await forge.as('alice').must('POST', '/orgs', { username: 'club' })
  const { json: app } = await forge.as('alice').must('POST', '/user/applications/oauth2', {
    name: 'Planner',
    redirect_uris: ['http://127.0.0.1/back'],
    confidential_client: true,
  })
  forge.clock.advance(901_000)
  const declared = (forge.services.operations() as readonly Declared[]).filter(
    ({ recentSignIn }) => recentSignIn !== undefined,
  )
  assert.ok(declared.length > 20, `${declared.length} forms`)
  const alsoChecked = [
    '/user/settings/security/passkeys',
    '/user/settings/security/two_factor/enroll',
    '/login/oauth/grant',
    '/login/device/answer',
  ]
  const values: Readonly<Record<string, string>> = {
    '/user/settings/applications/oauth2/{id}': String(app.id),
    '{username}': 'alice',
    '{reponame}': 'anvil',
    '{org}': 'club',
    '{kind}': 'openid',
    '{id}': '1',
  }
  for (const path of [...declared.map((each) => each.path), ...alsoChecked]) {
    const real = path.replace('oauth2/{id}', `oauth2/${app.id}`).replace(/\{[\w]+\}/g, (name) => values[name] ?? name)
    const browser = path.startsWith('/admin') || path.startsWith('/-/admin') ? root : alice
    const answer = await browser.post(real, { _csrf: await browser.csrf('/user/settings'), name: 'x', granted: 'true' })
    // A form with a field for the password is shown again.
    assert.ok([403, 422].includes(answer.status), `${path}: ${answer.status}`)
    assert.match(answer.text, /Confirm that it is you|The password is not right/, path)
  }
})

test('createTokenSubmit: after the password, the form is sent as it was typed, and the sign-in counts as recent', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const browser = await Browser.of(forge, 'alice')
  forge.clock.advance(901_000)
  const path = '/user/settings/applications'
  const sent = { name: 'say "hi" & <b>', access: 'some', scope_issue: 'write', public_only: 'on' }
  const answer = await browser.submit(path, `"${path}"`, sent)
  assert.equal(answer.status, 403)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const kept = hiddenFields(answer.text, `"${path}"`)
  assert.deepEqual({ ...sent, _csrf: kept['_csrf'] }, kept)
  const wrong = await browser.post(path, { ...kept, confirm_password: 'guess' })
  assert.equal(wrong.status, 403)
  assert.match(wrong.text, /id="confirm_password_problem">The password is not right/)
  assert.deepEqual(hiddenFields(wrong.text, `"${path}"`), kept)
  const tokenOf = async () =>
    (await forge.as('root').get('/users/alice/tokens')).json.find((each: { name: string }) => each.name === sent.name)
  assert.equal(await tokenOf(), undefined)
  assert.equal((await browser.post(path, { ...kept, confirm_password: testPassword })).status, 303)
  assert.deepEqual((await tokenOf()).scopes, ['public-only', 'write:issue'])
  const key = await browser.submit('/user/settings/keys', '/keys/ssh"', { key: publicKey, title: 'laptop' })
  assert.equal(key.status, 303, 'the sign-in is recent again')
})

test('oauthGrant: a consent in an old session asks for the password, and then leads to the application', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: Date.now() })
  const { json: app } = await forge.as('alice').must('POST', '/user/applications/oauth2', {
    name: 'Planner',
    redirect_uris: ['http://127.0.0.1/back'],
    confidential_client: true,
  })
  const browser = await Browser.of(forge, 'alice')
  forge.clock.advance(901_000)
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: 'http://127.0.0.1/back',
    response_type: 'code',
    state: 'st',
  })
  const to = '/login/oauth/grant'
  const answer = await browser.submit(`/login/oauth/authorize?${query}`, to, { granted: 'true' })
  assert.equal(answer.status, 403)
  assert.match(answer.headers.get('content-security-policy') ?? '', /form-action 'self' http:\/\/127\.0\.0\.1/)
  const done = await browser.post(to, { ...hiddenFields(answer.text, to), confirm_password: testPassword })
  assert.match(done.headers.get('location') ?? '', /^http:\/\/127\.0\.0\.1\/back\?code=.*state=st/)
})
