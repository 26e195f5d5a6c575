import assert from 'node:assert/strict'
import test from 'node:test'
import { transaction } from '../db/database.ts'
import { startForge } from '../testing/index.ts'

test('getVersion, serviceVersion, serviceRoot: clients find a version they accept below each root', async () => {
  await using forge = await startForge()
  const { json } = await forge.guest.get('/version')
  assert.deepEqual(json, { version: '12.0.0+gitea-1.22.0' })
  for (const root of ['/api/service/v1', '/api/forgejo/v1']) {
    const reply = await forge.guest.get(`${root}/version`, { site: true })
    assert.equal(reply.json.version, json.version)
    assert.equal(reply.json.software.name, 'ingot')
    assert.deepEqual([(await forge.guest.get(`${root}/`, { site: true })).status], [200])
  }
})

test('getGeneralUISettings, getGeneralAPISettings, getGeneralAttachmentSettings, getGeneralRepositorySettings: what the instance is set to', async () => {
  await using forge = await startForge({
    settings: { api: { MAX_RESPONSE_ITEMS: 7 }, repository: { DISABLE_STARS: true }, attachment: { MAX_SIZE: 3 } },
  })
  assert.equal((await forge.guest.get('/settings/api')).json.max_response_items, 7)
  assert.equal((await forge.guest.get('/settings/repository')).json.stars_disabled, true)
  assert.equal((await forge.guest.get('/settings/attachment')).json.max_size, 3)
  assert.deepEqual((await forge.guest.get('/settings/ui')).json.allowed_reactions.slice(0, 2), ['+1', '-1'])
  assert.equal((await forge.guest.get('/settings/none')).status, 404)
})

test('getSigningKey, getSSHSigningKey: empty and 404 while nothing signs', async () => {
  await using forge = await startForge()
  const reply = await forge.guest.get('/signing-key.gpg')
  assert.deepEqual([reply.status, reply.text], [200, ''])
  assert.equal((await forge.guest.get('/signing-key.ssh')).status, 404)
})

test('swaggerRedirect: leads to the page of the documentation, unless it is switched off', async () => {
  await using forge = await startForge()
  const reply = await forge.guest.get('/swagger')
  assert.deepEqual([reply.status, reply.headers.get('location')], [303, `${forge.url}/api/swagger`])
  await using closed = await startForge({ settings: { api: { ENABLE_SWAGGER: false } } })
  assert.equal((await closed.guest.get('/swagger')).status, 404)
})

test('getNodeInfo, wellKnownNodeInfo: figures of a federating instance; 404 on another', async () => {
  await using forge = await startForge({ settings: { federation: { ENABLED: true } }, users: ['ann'] })
  const { json } = await forge.guest.get('/nodeinfo')
  assert.deepEqual([json.version, json.software.name, json.usage.users.total], ['2.1', 'ingot', 2])
  assert.deepEqual([json.usage.localPosts, json.usage.localComments], [0, 0])
  const { links } = (await forge.guest.get('/.well-known/nodeinfo', { site: true })).json
  assert.equal(links[0].href, `${forge.url}/api/v1/nodeinfo`)
  await using alone = await startForge()
  assert.equal((await alone.guest.get('/nodeinfo')).status, 404)
})

test('listGitignoresTemplates, getGitignoreTemplateInfo, listLicenseTemplates, getLicenseTemplateInfo, listLabelTemplates, getLabelTemplateInfo: anybody reads them', async () => {
  await using forge = await startForge()
  assert.ok((await forge.guest.get('/gitignore/templates')).json.includes('Go'))
  assert.equal((await forge.guest.get('/gitignore/templates/C%2B%2B')).json.name, 'C++')
  assert.equal((await forge.guest.get('/gitignore/templates/NoSuchThing')).status, 404)
  assert.deepEqual((await forge.guest.get('/licenses')).json.slice(0, 2), [
    { key: 'Apache-2.0', name: 'Apache-2.0', url: `${forge.url}/api/v1/licenses/Apache-2.0` },
    { key: 'MIT', name: 'MIT', url: `${forge.url}/api/v1/licenses/MIT` },
  ])
  assert.match((await forge.guest.get('/licenses/MIT')).json.body, /Permission is hereby granted/)
  assert.equal((await forge.guest.get('/licenses/..%2Fpackage')).status, 404)
  assert.deepEqual((await forge.guest.get('/label/templates')).json, ['Default', 'Advanced'])
  assert.equal((await forge.guest.get('/label/templates/Default')).json[0].name, 'bug')
  assert.equal((await forge.guest.get('/label/templates/NoSuchThing')).status, 404)
})

test('renderMarkdown, renderMarkdownRaw, renderMarkup: signed-in callers get clean HTML', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const ann = forge.as('ann')
  for (const path of ['/markdown', '/markdown/raw', '/markup']) {
    assert.equal((await forge.guest.post(path, { Text: 'x', Mode: 'gfm' })).status, 401)
  }
  const reply = await ann.post('/markdown', { Text: '*x* <script>1</script>', Mode: 'gfm' })
  assert.deepEqual(
    [reply.status, reply.headers.get('content-type'), reply.text],
    [200, 'text/html;charset=utf-8', '<p dir="auto"><em>x</em> </p>'],
  )
  assert.equal(
    (await ann.post('/markdown/raw', undefined, { raw: '# T' })).text,
    '<h1 id="user-content-t" dir="auto">T</h1>',
  )
  assert.equal((await ann.post('/markup', { Text: 'a,b', Mode: 'file', FilePath: 'x.csv' })).status, 200)
  assert.equal((await ann.post('/markup', { Text: 'x', Mode: 'file', FilePath: 'x.xyz' })).status, 422)
  assert.equal((await ann.post('/markup', { Text: 'x', Mode: 'file' })).status, 422)
  assert.equal((await ann.post('/markup', { Text: 'x', Mode: 'moon' })).status, 422)
  assert.equal((await ann.post('/markdown', { Text: 1 })).status, 422)
})

test('renderMarkdown: accounts that the caller may not see are not linked', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.addUser('secret', { visibility: 'private' })
  const mention = async (name: string): Promise<string> =>
    (await forge.as(name).post('/markdown', { Text: '@ANN @secret @nobody', Mode: 'gfm' })).text
  assert.match(
    await mention('ann'),
    /^<p dir="auto"><a href="[^"]*\/ANN" class="mention" rel="nofollow">@ANN<\/a> @secret @nobody<\/p>$/,
  )
  assert.match(await mention('secret'), /class="mention" rel="nofollow">@secret</)
})

test('topicSearch: part of a name, most used first; signs of patterns stand for themselves', async () => {
  await using forge = await startForge({ users: ['ann'], standAt: Date.UTC(2026, 0, 1) })
  const { db } = forge.services
  const now = Math.floor(forge.clock.nowMs() / 1000)
  const topics = [
    ['web', 1],
    ['web-app', 3],
    ['cli', 2],
  ] as const
  await transaction(db, (tx) =>
    tx
      .insertInto('topic')
      .values(topics.map(([name, repo_count]) => ({ name, repo_count, created_unix: now, updated_unix: now })))
      .execute(),
  )
  const found = await forge.guest.get('/topics/search?q=EB')
  assert.deepEqual(
    found.json.topics.map((topic: { topic_name: string }) => topic.topic_name),
    ['web-app', 'web'],
  )
  assert.equal(found.headers.get('x-total-count'), '2')
  assert.deepEqual((await forge.guest.get('/topics/search?q=%25')).json, { topics: [] })
  assert.deepEqual((await forge.guest.get('/topics/search?q=web&limit=1&page=2')).json.topics[0], {
    id: 1,
    topic_name: 'web',
    repo_count: 1,
    created: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:00Z',
  })
})
