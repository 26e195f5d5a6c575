import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, type Forge } from '../testing/forge.ts'
import { hookTypes } from './hook.rules.ts'

const target = { url: 'http://example.com/hook', content_type: 'json' }

test('repoCreateHook, repoEditHook: a refusal names the invalid field and changes nothing', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const { api } = await forge.given.repo()
  const refuse = async (body: object, status: number, field: string): Promise<void> => {
    const reply = await alice.post(`${api}/hooks`, body)
    assert.equal(reply.status, status, field)
    assert.ok(reply.json.message.includes(field), `${reply.json.message} names ${field}`)
  }
  await refuse({ type: 'pigeon', config: target }, 422, 'type')
  await refuse({ type: 'gitea', config: { ...target, url: 'ftp://example.com/' } }, 422, 'config.url')
  await refuse({ type: 'gitea', config: { ...target, url: 'http:///nowhere' } }, 422, 'config.url')
  await refuse({ type: 'gitea', config: { ...target, content_type: 'xml' } }, 422, 'config.content_type')
  await refuse({ type: 'gitea', config: target, branch_filter: '{a' }, 422, 'branch_filter')
  await refuse({ type: 'gitea', config: target, authorization_header: 'a\r\nX-More: b' }, 422, 'authorization_header')
  await refuse({ type: 'gitea', config: { ...target, secret: 'x'.repeat(2000) } }, 422, 'config.secret')
  await refuse({ type: 'slack', config: target }, 422, 'config.channel')
  await refuse({ type: 'slack', config: { ...target, channel: '#Room' } }, 400, 'Slack')
  assert.deepEqual((await alice.get(`${api}/hooks`)).json, [])

  const { json: hook } = await alice.must('POST', `${api}/hooks`, { type: 'gitea', config: target })
  assert.equal((await alice.patch(`${api}/hooks/${hook.id}`, { config: { url: '::' } })).status, 422)
  assert.equal((await alice.patch(`${api}/hooks/${hook.id}`, { branch_filter: '[a-' })).status, 422)
  assert.deepEqual((await alice.get(`${api}/hooks/${hook.id}`)).json, hook)
})

/** Each place with who owns it and who does not. */
async function holders(forge: Forge): Promise<readonly { path: string; owner: string; other: string }[]> {
  const { api } = await forge.given.repo()
  const org = await forge.given.org()
  return [
    { path: `${api}/hooks`, owner: 'alice', other: 'bob' },
    { path: `/orgs/${org}/hooks`, owner: 'alice', other: 'bob' },
    { path: '/user/hooks', owner: 'alice', other: 'bob' },
    { path: '/admin/hooks', owner: 'root', other: 'alice' },
  ]
}

test('repoListHooks, repoGetHook, repoDeleteHook, orgListHooks, orgCreateHook, orgGetHook, orgEditHook, orgDeleteHook, userListHooks, userCreateHook, userGetHook, userEditHook, userDeleteHook, adminListHooks, adminCreateHook, adminGetHook, adminEditHook, adminDeleteHook: each owner has its own webhooks, which get no events of others', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const all = await holders(forge)
  const made: { path: string; id: number }[] = []
  for (const { path, owner } of all) {
    const config = { ...target, secret: 'hush', is_system_webhook: 'true' }
    const body = { type: 'forgejo', events: ['push'], authorization_header: 'Bearer of-news', config }
    const { status, json } = await forge.as(owner).post(path, body)
    assert.deepEqual([status, json.authorization_header, json.active], [201, 'Bearer of-news', false], path)
    assert.ok(!JSON.stringify(json).includes('hush'))
    made.push({ path, id: json.id })
  }
  for (const { path, owner, other } of all) {
    const own = made.find((each) => each.path === path)
    assert.deepEqual(
      (await forge.as(owner).get(path)).json.map((hook: { id: number }) => hook.id),
      [own?.id],
    )
    // A webhook of another owner and its deliveries answer 404.
    for (const { id } of made.filter((each) => each.path !== path)) {
      for (const below of ['', '/deliveries', '/deliveries/1']) {
        assert.equal((await forge.as(owner).get(`${path}/${id}${below}`)).status, 404, `${path}/${id}${below}`)
      }
      assert.equal((await forge.as(owner).patch(`${path}/${id}`, { active: true })).status, 404)
      assert.equal((await forge.as(owner).post(`${path}/${id}/deliveries/attempts`, {})).status, 404)
      assert.equal((await forge.as(owner).delete(`${path}/${id}`)).status, 404)
    }
    if (path !== '/user/hooks') assert.ok([403, 404].includes((await forge.as(other).get(path)).status), path)
    assert.equal((await forge.guest.get(path)).status, 401)
  }
  const alice = forge.as('alice')
  await alice.must('POST', '/user/hooks', { type: 'forgejo', config: target })
  const count = async (query: string) => (await alice.must('GET', `/user/hooks${query}`)).json.length
  assert.deepEqual([await count(''), await count('?limit=1'), await count('?limit=1&page=1')], [2, 1, 1])
  for (const { path, id } of made) {
    const owner = all.find((each) => each.path === path)?.owner as string
    assert.equal((await forge.as(owner).patch(`${path}/${id}`, { events: ['fork'] })).json.events[0], 'fork')
    assert.equal((await forge.as(owner).delete(`${path}/${id}`)).status, 204)
    assert.equal((await forge.as(owner).get(`${path}/${id}`)).status, 404)
  }
})

test('adminCreateHook: a default webhook is copied into new repositories, and those of a template on request', async () => {
  await using forge = await startForge()
  const { json: def } = await forge.as('root').must('POST', '/admin/hooks', {
    type: 'gitea',
    active: true,
    events: ['issues_only'],
    config: { ...target, secret: 'hush' },
  })
  assert.deepEqual((await forge.as('root').get('/admin/hooks')).json, [], 'it gets no events itself')
  const alice = forge.as('alice')
  const template = await forge.given.repo({ template: true })
  const [copy] = (await alice.get(`${template.api}/hooks`)).json
  assert.deepEqual([copy.type, copy.events, copy.active], ['gitea', ['issues'], true])
  assert.notEqual(copy.id, def.id)
  await forge.as('root').must('DELETE', `/admin/hooks/${def.id}`)
  await alice.must('POST', `${template.api}/generate`, {
    owner: 'alice',
    name: 'made',
    webhooks: true,
    git_content: true,
  })
  await alice.must('POST', `${template.api}/generate`, { owner: 'alice', name: 'bare', git_content: true })
  assert.equal((await alice.get('/repos/alice/made/hooks')).json.length, 1)
  assert.deepEqual((await alice.get('/repos/alice/bare/hooks')).json, [])
  const rows = await forge.services.db.selectFrom('webhook').select(['sealed_secret']).execute()
  assert.ok(rows.every(({ sealed_secret: sealed }) => sealed !== '' && !sealed.includes('hush')))
})

test('the address of a webhook is sealed in the database for each type and level, and the API shows it in clear text', async () => {
  await using forge = await startForge()
  const secret = 'https://hooks.example.com/services/T0/B0/very-secret-path'
  const shown: string[] = []
  for (const { path, owner } of await holders(forge)) {
    for (const type of hookTypes) {
      const config = { url: `${secret}?x=${type}`, content_type: 'json', channel: '#room' }
      const { json } = await forge.as(owner).must('POST', path, { type, config })
      const { json: changed } = await forge.as(owner).must('PATCH', `${path}/${json.id}`, { config: { url: secret } })
      const { json: kept } = await forge.as(owner).must('PATCH', `${path}/${json.id}`, { active: false })
      assert.equal(json.url, config.url)
      shown.push(changed.url, kept.url, kept.config.url)
    }
  }
  assert.ok(shown.length > 0 && shown.every((url) => url === secret))
  const { db, secrets } = forge.services
  const rows = await db.selectFrom('webhook').select(['id', 'url']).orderBy('id').execute()
  assert.ok(rows.every(({ url }) => url.startsWith('v1.') && secrets.open('webhook-address', url) === secret))
})

test('userCreateHook: the number of webhooks is limited; each operation answers 403 when webhooks are switched off', async () => {
  await using forge = await startForge({ settings: { ingot: { MAX_WEBHOOKS: 2 } } })
  const alice = forge.as('alice')
  await forge.account('alice')
  const body = { type: 'gitea', config: target }
  for (const status of [201, 201, 422]) assert.equal((await alice.post('/user/hooks', body)).status, status)

  await using off = await startForge({ settings: { security: { DISABLE_WEBHOOKS: true } } })
  for (const { path, owner } of await holders(off)) {
    assert.equal((await off.as(owner).get(path)).status, 403, path)
    assert.equal((await off.as(owner).post(path, body)).status, 403, path)
    assert.equal((await off.as(owner).get(`${path}/1/deliveries`)).status, 403, path)
  }
  await off.given.issue()
  assert.deepEqual(await off.services.db.selectFrom('webhook_delivery').select('id').execute(), [])
})
