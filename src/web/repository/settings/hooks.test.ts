import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { collaborator } from '../../../testing/given-pull.ts'

const address = 'http://127.0.0.1:9/hook'

test('repositoryHooksPage, newRepositoryHookPage, createRepositoryHookSubmit, repositoryHookPage, editRepositoryHookSubmit, deleteRepositoryHookSubmit: only administrators manage webhooks', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo({ private: true })
  const other = await forge.given.repo()
  await collaborator(forge, repo, 'bob', 'write')
  const at = `/${repo.fullName}/settings/hooks`
  const [alice, bob, carol] = [
    await Browser.of(forge, 'alice'),
    await Browser.of(forge, 'bob'),
    await Browser.of(forge, 'carol'),
  ]
  for (const path of ['', '/gitea/new', '/1', '/1/deliveries/1']) {
    assert.equal((await new Browser(forge).get(at + path)).status, 303, path)
    assert.equal((await carol.get(at + path)).status, 404, path)
    assert.equal((await bob.get(at + path)).status, 403, path)
  }
  const csrf = { _csrf: await bob.csrf('/repo/create') }
  for (const path of ['/gitea/new', '/1', '/1/delete', '/1/test', '/1/replay', '/1/deliveries/1/replay']) {
    assert.equal((await bob.post(at + path, csrf)).status, 403, path)
  }
  assert.match((await alice.get(at)).text, /No webhooks yet/)
  const made = await alice.submit(`${at}/gitea/new`, `${at}/gitea/new`, {
    url: address,
    event_set: 'push',
    active: 'true',
  })
  const hooks = async () => (await forge.as('alice').get(`${repo.api}/hooks`)).json
  const [hook] = await hooks()
  assert.deepEqual([hook.type, hook.events, hook.active], ['gitea', ['push'], true])
  const own = `${at}/${hook.id}`
  assert.equal(made.headers.get('location'), own)
  assert.match((await alice.get(at)).text, new RegExp(`href="${own}"`))
  // The same id below another repository does not exist.
  assert.equal((await alice.get(`/${other.fullName}/settings/hooks/${hook.id}`)).status, 404)
  await alice.submit(own, `action="${own}"`, { url: `${address}/2`, event_set: 'all', active: 'true' })
  assert.equal((await hooks())[0].config.url, `${address}/2`)
  assert.equal((await alice.submit(own, `${own}/delete`)).headers.get('location'), at)
  assert.deepEqual(await hooks(), [])
})

test('testRepositoryHookSubmit, repositoryHookDeliveryPage, replayRepositoryHookSubmit, replayFailedRepositoryHookSubmit: a test is delivered, shown and sent again', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { webhook: { ALLOWED_HOST_LIST: 'external' } } })
  const repo = await forge.given.repo()
  const config = { url: address, content_type: 'json' }
  const { json: hook } = await forge
    .as('alice')
    .must('POST', `${repo.api}/hooks`, { type: 'forgejo', config, events: ['push'], active: true })
  const own = `/${repo.fullName}/settings/hooks/${hook.id}`
  const alice = await Browser.of(forge, 'alice')
  assert.equal((await alice.submit(own, `${own}/test`)).headers.get('location'), own)
  await forge.settle()
  const { text } = await alice.get(own)
  const link = new RegExp(`href="(${own}/deliveries/\\d+)"`).exec(text)?.[1] ?? ''
  assert.notEqual(link, '')
  assert.match((await alice.get(link)).text, /<h1>push<\/h1>/)
  assert.equal((await alice.submit(link, `${link}/replay`)).headers.get('location'), own)
  await forge.settle()
  const csrf = { _csrf: await alice.csrf(own) }
  assert.equal((await alice.post(`${own}/replay`, csrf)).headers.get('location'), own)
  await alice.submit(own, `action="${own}"`, { url: address, event_set: 'push' })
  await alice.submit(own, `${own}/test`)
  assert.match((await alice.get(own)).text, /Nothing is sent, because the webhook is off/)
})

test('newRepositoryHookPage, repositoryHookPage, editRepositoryHookSubmit: a form has the fields of its type, and keeps what it does not show', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo()
  const at = `/${repo.fullName}/settings/hooks`
  const alice = await Browser.of(forge, 'alice')
  const special = ['content_type', 'secret', 'authorization_header', 'channel', 'username', 'icon_url', 'color']
  const fieldsAt = async (path: string) => {
    const { text } = await alice.get(path)
    return special.filter((name) => text.includes(`name="${name}"`))
  }
  const payload = ['content_type', 'secret', 'authorization_header']
  const byType = {
    ...{ forgejo: payload, gitea: payload, gogs: payload },
    ...{ slack: ['channel', 'username', 'icon_url', 'color'], discord: [], dingtalk: [], telegram: [], msteams: [] },
    ...{ feishu: [], matrix: ['authorization_header'], wechatwork: [], packagist: ['authorization_header'] },
    sourcehut_builds: ['authorization_header'],
  }
  for (const [type, fields] of Object.entries(byType)) {
    assert.deepEqual(await fieldsAt(`${at}/${type}/new`), fields, type)
  }
  assert.match((await alice.get(`${at}/matrix/new`)).text, /ends with \/send\/m\.room\.message/)

  await alice.submit(`${at}/discord/new`, `${at}/discord/new`, { url: address, event_set: 'push', active: 'true' })
  const [made] = (await forge.as('alice').get(`${repo.api}/hooks`)).json
  assert.deepEqual([made.type, made.content_type, made.authorization_header], ['discord', 'json', ''])
  assert.deepEqual(await fieldsAt(`${at}/${made.id}`), [])

  const config = { url: address, content_type: 'form', secret: 'signed' }
  const { json: hook } = await forge
    .as('alice')
    .must('POST', `${repo.api}/hooks`, { type: 'discord', config, authorization_header: 'Bearer kept', active: true })
  const own = `${at}/${hook.id}`
  assert.deepEqual(await fieldsAt(own), ['authorization_header'], 'a value that came by the API is shown')
  const csrf = { _csrf: await alice.csrf(own) }
  await alice.post(own, { ...csrf, url: `${address}/2`, event_set: 'push', active: 'true' })
  const stored = async () => (await forge.as('alice').get(`${repo.api}/hooks/${hook.id}`)).json
  const kept = await stored()
  assert.deepEqual(
    [kept.config.url, kept.content_type, kept.authorization_header],
    [`${address}/2`, 'form', 'Bearer kept'],
  )
  await alice.submit(own, `action="${own}"`, { url: address, event_set: 'push', authorization_header: '' })
  assert.equal((await stored()).authorization_header, '')
})
