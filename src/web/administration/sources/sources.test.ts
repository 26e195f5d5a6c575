import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge, type Forge } from '../../../testing/forge.ts'

const path = '/admin/auths'
const at = `${path}/openid/new`
const wanted = {
  name: 'corporate',
  active: 'true',
  discovery_url: 'http://127.0.0.1:9/',
  client_id: 'forge',
  scopes: 'profile  email groups',
  secret: 'hush-hush',
}

const sources = async (forge: Forge) =>
  (await forge.as('root').get('/api/service/v1/admin/sources', { site: true })).json as readonly {
    readonly id: number
    readonly name: string
    readonly active: boolean
    readonly has_secret: boolean
    readonly openid: Readonly<Record<string, unknown>> | null
    readonly ldap: Readonly<Record<string, unknown>> | null
  }[]

test('administrationSourcesPage, administrationNewSourcePage, administrationCreateSource: administrators add a provider', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [guest, alice, root] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  for (const each of [path, at, `${path}/ldap/new`]) {
    assert.equal((await guest.get(each)).status, 303, each)
    assert.equal((await alice.get(each)).status, 403, each)
    assert.equal((await root.get(each)).status, 200, each)
  }
  assert.equal((await root.get(`${path}/pigeon/new`)).status, 404)
  assert.equal((await alice.post(at, { ...wanted, _csrf: await alice.csrf('/user/settings') })).status, 403)
  const create = (fields: Record<string, string>) => root.submit(at, `action="${at}"`, { ...wanted, ...fields })
  const noAddress = await create({ discovery_url: 'nowhere' })
  assert.equal(noAddress.status, 422)
  assert.match(noAddress.text, /id="discovery_url_problem"/)
  assert.ok(!noAddress.text.includes('hush-hush'), 'secrets are not sent back')
  assert.match((await create({ team_map: '{"a": 5}' })).text, /id="team_map_problem"/)
  assert.match((await create({ name: '-' })).text, /id="name_problem">Has up to 100 letters/)
  const made = await create({ team_map: '{"dev": {"acme": ["Coders"]}}' })
  const [source] = await sources(forge)
  assert.equal(made.headers.get('location'), `${path}/${source?.id}`)
  assert.deepEqual(
    [source?.name, source?.active, source?.has_secret, source?.openid?.['scopes'], source?.openid?.['team_map']],
    ['corporate', true, true, ['profile', 'email', 'groups'], { dev: { acme: ['Coders'] } }],
  )
  assert.match((await create({})).text, /id="name_problem"/, 'the name is used')
})

test('administrationSourcePage, administrationEditSource, administrationDeleteSource: a source is changed and deleted', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const own = (await root.submit(at, `action="${at}"`, wanted)).headers.get('location') ?? ''
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  for (const act of ['', '/delete']) assert.equal((await alice.post(own + act, { ...wanted, ...csrf })).status, 403)
  const shown = await root.get(own)
  assert.match(shown.text, /user\/oauth2\/corporate\/callback/)
  assert.match(shown.text, /A secret is stored/)
  assert.ok(!shown.text.includes('hush-hush'))
  const { active: _active, ...off } = wanted
  const edit = (fields: Record<string, string>) =>
    root.submit(own, `action="${own}"`, { ...off, secret: '', name: 'company', ...fields })
  assert.equal((await edit({})).status, 303)
  const [changed] = await sources(forge)
  assert.deepEqual([changed?.name, changed?.active, changed?.has_secret], ['company', false, true])
  assert.equal((await edit({ forgets_secret: 'true' })).status, 303)
  assert.equal((await sources(forge))[0]?.has_secret, false)
  assert.equal((await root.submit(own, `${own}/delete`)).headers.get('location'), path)
  assert.deepEqual(await sources(forge), [])
  assert.equal((await root.get(own)).status, 404)
})

test('administrationTestSourcePage: a directory that does not answer fails its test', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const form = `${path}/ldap/new`
  const directory = {
    name: 'directory',
    host: '127.0.0.1',
    port: '9',
    security: 'none',
    user_base: 'ou=people,dc=example',
    user_filter: '(uid=%s)',
    username_attribute: 'uid',
    email_attribute: 'mail',
    page_size: '100',
  }
  assert.match((await root.submit(form, `action="${form}"`, { ...directory, port: '1.5' })).text, /id="port_problem"/)
  const own = (await root.submit(form, `action="${form}"`, directory)).headers.get('location') ?? ''
  const [source] = await sources(forge)
  assert.deepEqual([source?.ldap?.['port'], source?.ldap?.['page_size'], source?.active], [9, 100, false])
  assert.equal((await alice.get(`${own}/test`)).status, 403)
  const tested = await root.get(`${own}/test?login=alice`)
  assert.equal(tested.status, 200)
  assert.match(tested.text, /class="[^"]*danger-text/)
  assert.match(tested.text, /value="alice"/)
})

test('administrationEditUser: an account moves to a sign-in source', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const root = await Browser.of(forge, 'root')
  const person = '/admin/users/alice'
  assert.doesNotMatch((await root.get(person)).text, /name="source_id"/)
  await root.submit(at, `action="${at}"`, wanted)
  const [source] = await sources(forge)
  const { email } = (await forge.as('root').get('/users/alice')).json
  const kept = { email, visibility: 'public', is_active: 'true' }
  const moved = await root.submit(person, `action="${person}"`, {
    ...kept,
    source_id: String(source?.id),
    login_name: 'alice@corporate',
  })
  assert.equal(moved.status, 303)
  const account = async () => (await forge.as('root').get('/users/alice')).json
  assert.deepEqual([(await account()).source_id, (await account()).login_name], [source?.id, 'alice@corporate'])
  assert.equal((await root.submit(person, `action="${person}"`, { ...kept, source_id: '77' })).status, 422)
  assert.equal((await root.submit(person, `action="${person}"`, { ...kept, source_id: '0' })).status, 303)
  assert.equal((await account()).source_id, 0)
})
