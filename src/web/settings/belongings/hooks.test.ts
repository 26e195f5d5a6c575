import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

const path = '/user/settings/hooks'
const address = 'http://127.0.0.1:9/hook'

test('userHooksPage, newUserHookPage, createUserHookSubmit, userHookPage, editUserHookSubmit, deleteUserHookSubmit: a person manages the own webhooks', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  assert.equal((await new Browser(forge).get(path)).status, 303)
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  assert.match((await alice.get(path)).text, /No webhooks yet/)
  assert.equal((await alice.get(`${path}/pigeon/new`)).status, 404)
  const at = `${path}/forgejo/new`
  const create = (fields: Record<string, string | string[]>) => alice.submit(at, `action="${at}"`, fields)
  const wrong = await create({ url: 'ftp://x', secret: 'hush', branch_filter: 'main' })
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /value="ftp:\/\/x"/)
  assert.ok(!wrong.text.includes('hush'), 'secrets are not sent back')
  assert.match((await create({ url: ' ' })).text, /id="url_problem">Enter the address\./)
  assert.match((await create({ url: address, event_set: 'chosen' })).text, /Choose at least one event\./)
  const made = await create({
    url: address,
    secret: 'hush',
    event_set: 'chosen',
    events: ['issues_only', 'push'],
    active: 'true',
  })
  assert.equal(made.status, 303)
  const hooks = async () => (await forge.as('alice').get('/user/hooks')).json as Record<string, unknown>[]
  const [hook] = await hooks()
  assert.deepEqual([hook?.['type'], hook?.['events'], hook?.['active']], ['forgejo', ['push', 'issues'], true])
  const own = made.headers.get('location') ?? ''
  assert.equal(own, `${path}/${String(hook?.['id'])}`)
  const shown = await alice.get(own)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  assert.match(shown.text, /id="event_push" name="events" value="push" checked/)
  assert.match(shown.text, /Messages are signed with the secret/)
  assert.ok(!shown.text.includes('hush'))

  assert.equal((await bob.get(own)).status, 404)
  const csrf = { _csrf: await bob.csrf(path) }
  for (const act of ['', '/delete', '/replay']) {
    assert.equal((await bob.post(own + act, { ...csrf, url: address })).status, 404, act)
  }
  assert.equal((await alice.submit(own, `action="${own}"`, { url: `${address}/2`, event_set: 'all' })).status, 303)
  const [edited] = await hooks()
  assert.deepEqual(
    [edited?.['url'], (edited?.['events'] as string[] | undefined)?.includes('wiki'), edited?.['active']],
    [`${address}/2`, true, false],
  )
  assert.equal((await alice.submit(own, `${own}/delete`)).headers.get('location'), path)
  assert.deepEqual(await hooks(), [])
})

test('userHookDeliveryPage, replayUserHookSubmit, replayFailedUserHookSubmit: deliveries are shown and sent again', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { webhook: { ALLOWED_HOST_LIST: 'external' } },
  })
  const config = { url: address, content_type: 'json' }
  const hook = (
    await forge
      .as('alice')
      .must('POST', '/user/hooks', { type: 'forgejo', config, events: ['repository'], active: true })
  ).json as { id: number }
  await forge.given.repo({ owner: 'alice' })
  await forge.settle()
  const at = `${path}/${hook.id}`
  const [alice, bob] = [await Browser.of(forge, 'alice'), await Browser.of(forge, 'bob')]
  const deliveries = async () =>
    (await forge.as('alice').get(`/api/service/v1/user/hooks/${hook.id}/deliveries`, { site: true })).json
  const { text } = await alice.get(at)
  const link = new RegExp(`href="(${at}/deliveries/\\d+)"`).exec(text)?.[1] ?? ''
  assert.notEqual(link, '', JSON.stringify(await deliveries()))
  const delivery = await alice.get(link)
  assert.equal(delivery.status, 200)
  assert.match(delivery.text, /<h1>repository<\/h1>/)
  assert.equal((await bob.get(link)).status, 404)
  assert.equal((await bob.post(`${link}/replay`, { _csrf: await bob.csrf(path) })).status, 404)
  assert.equal((await alice.submit(at, `${link}/replay`)).status, 303)
  assert.match((await alice.get(at)).text, /role="status">.*(will be sent again|Nothing is left)/)
  await forge.settle()
  assert.equal((await alice.post(`${at}/replay`, { _csrf: await alice.csrf(path) })).status, 303)
})

test('userHooksPage: without webhooks the page is refused', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { security: { DISABLE_WEBHOOKS: true } } })
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.get(path)).status, 403)
  assert.doesNotMatch((await alice.get('/user/settings')).text, /settings\/hooks/)
})
