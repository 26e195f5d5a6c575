import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, unescaped } from '../../../testing/browser.ts'
import { startForge, testPassword } from '../../../testing/forge.ts'

const path = '/user/settings/applications'
const valueOf = (text: string, id: string): string | undefined =>
  new RegExp(`<input[^>]*value="([^"]*)"[^>]*id="${id}"`).exec(text)?.[1]

test('applicationsPage, createTokenSubmit, deleteTokenSubmit: a token has the chosen scopes and is shown once', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  assert.equal((await new Browser(forge).get(path)).status, 303)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const create = (fields: Record<string, string>) => alice.submit(path, `action="${path}"`, fields)
  const empty = await create({ name: 'build', access: 'chosen', scope_issue: 'write-all' })
  assert.equal(empty.status, 422)
  assert.match(empty.text, /role="alert".*Choose what the token may do\./)
  assert.match((await create({ name: ' ', access: 'all' })).text, /id="name_problem">Give the token a name\./)
  const made = await create({
    name: 'build <1>',
    access: 'chosen',
    scope_issue: 'read',
    scope_repository: 'write',
    public_only: 'true',
  })
  assert.deepEqual([made.status, made.headers.get('location')], [303, path])
  const shown = await alice.get(path)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  const token = valueOf(shown.text, 'new_token') ?? ''
  assert.match(token, /^[0-9a-f]{40}$/)
  assert.match(shown.text, /build &lt;1/)
  assert.ok(!(await alice.get(path)).text.includes(token), 'once')
  const basic = { basic: { login: 'alice', password: testPassword } }
  const tokens = async () =>
    (await forge.as('alice', basic).get('/users/alice/tokens')).json as { id: number; name: string; scopes: string[] }[]
  const listed = (await tokens()).find(({ name }) => name === 'build <1>')
  assert.deepEqual(listed?.scopes, ['public-only', 'read:issue', 'write:repository'])
  assert.equal((await forge.as('alice', { token }).get('/user')).status, 403, 'not the account')
  assert.match((await create({ name: 'build <1>', access: 'all' })).text, /id="name_problem">There is already/)
  const fields = { _csrf: await bob.csrf(path), id: String(listed?.id) }
  assert.equal((await bob.post(`${path}/delete`, fields)).status, 404, 'not those of others')
  const own = { _csrf: await alice.csrf(path), id: String(listed?.id) }
  assert.equal((await alice.post(`${path}/delete`, own)).status, 303)
  assert.equal((await forge.as('alice', { token }).get('/repos/search')).status, 401)
})

test('newApplicationPage, createApplicationSubmit, applicationPage, editApplicationSubmit, regenerateSecretSubmit, deleteApplicationSubmit: the owner manages an application', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const create = (fields: Record<string, string>) => alice.submit(`${path}/oauth2`, `action="${path}/oauth2"`, fields)
  assert.match((await create({ name: '', redirect_uris: 'https://a.example/cb' })).text, /id="name_problem"/)
  assert.match((await create({ name: 'App', redirect_uris: ' ' })).text, /id="redirect_uris_problem"/)
  const bad = await create({ name: 'App', redirect_uris: 'javascript:alert(1)', confidential_client: 'true' })
  assert.equal(bad.status, 422)
  const made = await create({
    name: 'App',
    redirect_uris: 'https://a.example/cb\r\nhttps://b.example/cb',
    confidential_client: 'true',
  })
  const at = made.headers.get('location') ?? ''
  const secretAt = async () => valueOf((await alice.get(at)).text, 'new_secret')
  const first = await secretAt()
  assert.match(first ?? '', /^gto_/)
  assert.equal(await secretAt(), undefined, 'once')
  const id = Number(at.split('/').at(-1))
  const stored = async () => (await forge.as('alice').get(`/user/applications/oauth2/${id}`)).json
  assert.deepEqual((await stored()).redirect_uris, ['https://a.example/cb', 'https://b.example/cb'])
  const secretHash = async () =>
    (await forge.services.db.selectFrom('oauth_application').select(['name', 'secret_hash']).execute()).find(
      ({ name }) => name.startsWith('App'),
    )?.secret_hash

  assert.equal((await bob.get(at)).status, 404)
  const csrf = { _csrf: await bob.csrf(path) }
  for (const act of ['', '/regenerate_secret', '/delete']) {
    const reply = await bob.post(`${at}${act}`, { ...csrf, name: 'Mine', redirect_uris: 'https://m.example' })
    assert.equal(reply.status, 404, act)
  }
  const before = await secretHash()
  const edited = await alice.submit(at, `action="${at}"`, { name: 'App 2', redirect_uris: 'https://a.example/cb' })
  assert.equal(edited.status, 303)
  assert.deepEqual([(await stored()).name, (await stored()).confidential_client], ['App 2', false])
  assert.equal(await secretHash(), before, 'the secret stays')
  assert.equal((await alice.submit(at, 'regenerate_secret')).status, 303)
  const second = await secretAt()
  assert.ok(second !== undefined && second !== first)
  assert.notEqual(await secretHash(), before)
  assert.match(unescaped((await alice.get(at)).text), /App 2/)
  assert.equal((await alice.submit(at, `${at}/delete`)).headers.get('location'), path)
  assert.equal((await alice.get(at)).status, 404)
})
