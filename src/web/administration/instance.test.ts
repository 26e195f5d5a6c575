import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

const pages = [
  '/admin/orgs',
  '/admin/orgs/new',
  '/admin/repos',
  '/admin/packages',
  '/admin/emails',
  '/admin/hooks',
  '/admin/hooks/forgejo/new',
  '/admin/actions/runners',
]

test('administrationOrganizationsPage, administrationNewOrganizationPage, administrationRepositoriesPage, administrationPackagesPage, administrationEmailsPage, administrationHooksPage, administrationNewHookPage, administrationRunnersPage: only administrators see them', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [guest, alice, root] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  for (const path of pages) {
    assert.equal((await guest.get(path)).status, 303, path)
    assert.equal((await alice.get(path)).status, 403, path)
    const seen = await root.get(path)
    assert.equal(seen.status, 200, `${path}: ${seen.text.slice(0, 300)}`)
    assert.match(seen.text, /aria-current="page"/)
  }
})

test('administrationCreateOrganization: an administrator makes an organization for a person', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const at = '/admin/orgs/new'
  const wanted = { org_name: 'acme', owner: 'alice', visibility: 'limited' }
  assert.equal((await alice.post(at, { ...wanted, _csrf: await alice.csrf('/user/settings') })).status, 403)
  const unknown = await root.submit(at, `action="${at}"`, { ...wanted, owner: 'nobody' })
  assert.equal(unknown.status, 422)
  assert.match(unknown.text, /id="owner_problem"/)
  assert.match(unknown.text, /value="acme"/)
  assert.equal((await root.submit(at, `action="${at}"`, wanted)).headers.get('location'), '/admin/orgs')
  const { json } = await forge.as('alice').get('/orgs/acme')
  assert.equal(json.visibility, 'limited')
  assert.equal((await forge.as('alice').get('/orgs/acme/members/alice')).status, 204)
  assert.match((await root.get('/admin/orgs?q=acm')).text, /href="\/org\/acme\/settings"/)
  assert.match((await root.get('/admin/orgs?q=zzz')).text, /Nothing matches/)
})

test('administrationDeleteRepository: the list finds private repositories, and a deleted one is gone', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await forge.as('alice').must('POST', '/user/repos', { name: 'secret', private: true })
  await forge.as('alice').must('POST', '/user/repos', { name: 'other' })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const path = '/admin/repos/alice/secret/delete'
  assert.equal((await alice.post(path, { _csrf: await alice.csrf('/user/settings') })).status, 403)
  const found = await root.get('/admin/repos?q=secret')
  assert.match(found.text, /alice\/secret/)
  assert.doesNotMatch(found.text, /alice\/other/)
  assert.equal((await root.submit('/admin/repos?q=secret', path)).headers.get('location'), '/admin/repos')
  assert.equal((await forge.as('alice').get('/repos/alice/secret')).status, 404)
  assert.equal((await forge.as('alice').get('/repos/alice/other')).status, 200)
})

test('administrationDeletePackage: the list finds packages by name, owner and type, and a deleted one is gone with its versions', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const publish = async (name: string, owner: string, version: string) => {
    const path = `/api/packages/${owner}/generic/${name}/${version}/file.bin`
    const reply = await forge.as(owner).put(path, 'x'.repeat(2048), { site: true })
    assert.equal(reply.status, 201, reply.text)
  }
  await publish('Anvil', 'alice', '1.0')
  await publish('Anvil', 'alice', '2.0')
  await publish('tongs', 'bob', '1.0')
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const path = '/admin/packages/alice/generic/anvil/delete'
  assert.equal((await alice.post(path, { _csrf: await alice.csrf('/user/settings') })).status, 403)
  const namesAt = async (query: string) =>
    [...(await root.get(`/admin/packages?${query}`)).text.matchAll(/data-row-link[^>]*>([^<]*)</g)].map(
      ([, name]) => name,
    )
  assert.deepEqual(await namesAt(''), ['tongs', 'Anvil'])
  assert.deepEqual(await namesAt('q=NVI'), ['Anvil'])
  assert.deepEqual(await namesAt('q=bob'), ['tongs'])
  assert.deepEqual(await namesAt('type=npm'), [])
  const { text } = await root.get('/admin/packages?q=anvil')
  assert.match(text, /href="\/alice\/-\/packages\/generic\/anvil"/)
  assert.match(text, /2 versions/)
  assert.match(text, /4 KB/)
  assert.equal((await root.submit('/admin/packages', path)).headers.get('location'), '/admin/packages')
  assert.deepEqual(await namesAt(''), ['tongs'])
  assert.deepEqual((await forge.as('alice').get('/packages/alice/')).json, [])
  const csrf = { _csrf: await root.csrf('/user/settings') }
  assert.equal((await root.post(path, csrf)).status, 404)
})

test('administrationEmailsPage: addresses are found by account and say whether they are confirmed', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  await forge.as('alice').must('POST', '/user/emails', { emails: ['second@example.com'] })
  const root = await Browser.of(forge, 'root')
  const { text } = await root.get('/admin/emails?q=alice')
  assert.match(text, /second@example\.com/)
  assert.match(text, /Primary/)
  assert.doesNotMatch(text, /admin\/users\/bob/)
})

test('administrationCreateHook, administrationHookPage, administrationEditHook, administrationDeleteHook: webhooks of the instance are for all repositories or are copied', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const at = '/admin/hooks/forgejo/new'
  const address = 'http://127.0.0.1:9/hook'
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  assert.equal((await alice.post(at, { ...csrf, url: address })).status, 403)
  const create = (fields: Record<string, string>) => root.submit(at, `action="${at}"`, { active: 'true', ...fields })
  assert.equal((await create({ url: 'ftp://x' })).status, 422)
  const system = (await create({ url: address, is_system_webhook: 'true' })).headers.get('location') ?? ''
  assert.match(system, /^\/admin\/hooks\/\d+$/)
  assert.equal((await create({ url: `${address}/copied` })).status, 303)
  const hooks = async () => (await forge.as('root').get('/admin/hooks')).json as { url: string }[]
  assert.deepEqual(
    (await hooks()).map(({ url }) => url),
    [address],
  )
  const list = (await root.get('/admin/hooks')).text
  assert.match(list, /For all repositories/)
  assert.match(list, /Copied to new repositories/)
  assert.equal((await root.get(system)).status, 200)
  assert.equal((await alice.get(system)).status, 403)
  const edit = (fields: Record<string, string>) => root.submit(system, `action="${system}"`, fields)
  assert.equal((await edit({ url: address })).status, 303)
  assert.deepEqual(await hooks(), [], 'now it is copied to new repositories')
  assert.equal((await edit({ url: `${address}/2`, is_system_webhook: 'true' })).status, 303)
  assert.equal((await hooks())[0]?.url, `${address}/2`)
  assert.equal((await root.submit(system, `${system}/delete`)).headers.get('location'), '/admin/hooks')
  assert.deepEqual(await hooks(), [])
})

test('administrationHookDeliveryPage, administrationReplayHook, administrationReplayFailedHook: deliveries are shown and sent again', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { webhook: { ALLOWED_HOST_LIST: 'external' } },
  })
  const config = { url: 'http://127.0.0.1:9/hook', content_type: 'json', is_system_webhook: 'true' }
  const hook = (
    await forge
      .as('root')
      .must('POST', '/admin/hooks', { type: 'forgejo', config, events: ['repository'], active: true })
  ).json as { id: number }
  await forge.given.repo({ owner: 'alice' })
  await forge.settle()
  const at = `/admin/hooks/${hook.id}`
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const link = new RegExp(`href="(${at}/deliveries/\\d+)"`).exec((await root.get(at)).text)?.[1] ?? ''
  assert.notEqual(link, '')
  assert.match((await root.get(link)).text, /<h1>repository<\/h1>/)
  assert.equal((await alice.get(link)).status, 403)
  assert.equal((await alice.post(`${link}/replay`, { _csrf: await alice.csrf('/user/settings') })).status, 403)
  assert.equal((await root.submit(at, `${link}/replay`)).status, 303)
  assert.match((await root.get(at)).text, /role="status">.*(will be sent again|Nothing is left)/)
  assert.equal((await root.post(`${at}/replay`, { _csrf: await root.csrf('/admin/orgs/new') })).status, 303)
})

test('administrationHooksPage: without webhooks the page is refused and not linked', async () => {
  await using forge = await startForge({ settings: { security: { DISABLE_WEBHOOKS: true } } })
  const root = await Browser.of(forge, 'root')
  assert.equal((await root.get('/admin/hooks')).status, 403)
  assert.doesNotMatch((await root.get('/admin')).text, /admin\/hooks/)
})

test('administrationNewRunnerToken, administrationEndRunnerToken, administrationRunnerRegistration, administrationDeleteRunner: registration of runners is controlled', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const [alice, root] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const path = '/admin/actions/runners'
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  for (const act of ['/token', '/token/delete', '/registration', '/delete']) {
    assert.equal((await alice.post(path + act, csrf)).status, 403, act)
  }
  assert.equal((await root.submit(path, 'runners/token"')).status, 303)
  const token = /--token (\w+)/.exec((await root.get(path)).text)?.[1] ?? ''
  assert.match(token, /^\w{20,}$/)
  assert.ok(!(await root.get(path)).text.includes(token), 'once')
  assert.equal((await root.submit(path, 'runners/token/delete')).status, 303)
  const registration = async () =>
    (await forge.as('root').get('/api/service/v1/admin/runners/registration-token', { site: true })).json
  assert.equal((await registration()).created_at, null)
  assert.equal((await root.submit(path, 'runners/registration')).status, 303)
  assert.equal((await registration()).is_active, false)
  assert.equal((await root.post(`${path}/delete`, { _csrf: await root.csrf('/admin/orgs/new'), id: '7' })).status, 404)
})

test('repositoryFlagsPage, addRepositoryFlag, removeRepositoryFlag: administrators set flags where they are switched on', async () => {
  await using off = await startForge({ users: ['alice'] })
  const { fullName } = await off.given.repo({ owner: 'alice' })
  assert.equal((await (await Browser.of(off, 'root')).get(`/${fullName}/flags`)).status, 404)
  await using forge = await startForge({ users: ['alice'], settings: { repository: { ENABLE_FLAGS: true } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  const [guest, alice, root] = [new Browser(forge), await Browser.of(forge, 'alice'), await Browser.of(forge, 'root')]
  const path = `/${repo.fullName}/flags`
  assert.equal((await guest.get(path)).status, 303)
  assert.equal((await alice.get(path)).status, 403)
  const csrf = { _csrf: await alice.csrf('/user/settings') }
  assert.equal((await alice.post(path, { ...csrf, flag: 'x' })).status, 403)
  assert.equal((await alice.post(`${path}/delete`, { ...csrf, flag: 'x' })).status, 403)
  assert.match((await root.get('/admin/repos')).text, new RegExp(`href="${path}"`))
  assert.match((await root.submit(path, `action="${path}"`, { flag: ' ' })).text, /id="flag_problem"/)
  assert.equal((await root.submit(path, `action="${path}"`, { flag: 'featured' })).status, 303)
  const flags = async () => (await forge.as('root').get(`/repos/${repo.fullName}/flags`)).json
  assert.deepEqual(await flags(), ['featured'])
  assert.equal((await root.submit(path, `${path}/delete`)).status, 303)
  assert.deepEqual(await flags(), [])
})
