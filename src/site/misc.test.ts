import assert from 'node:assert/strict'
import test from 'node:test'
import { transaction } from '../db/database.ts'
import { newGitKey } from '../git/git-key.ts'
import type { Oid } from '../lib/ids.ts'
import { insertRepo, insertUnits } from '../repos/repo.store.ts'
import { createToken } from '../users/credentials/token.service.ts'
import { startForge, type Forge } from '../testing/forge.ts'

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

test('getGeneralUISettings, getGeneralAPISettings, getGeneralAttachmentSettings, getGeneralRepositorySettings: return the settings of the instance', async () => {
  await using forge = await startForge({
    settings: { api: { MAX_RESPONSE_ITEMS: 7 }, repository: { DISABLE_STARS: true }, attachment: { MAX_SIZE: 3 } },
  })
  assert.equal((await forge.guest.get('/settings/api')).json.max_response_items, 7)
  assert.equal((await forge.guest.get('/settings/repository')).json.stars_disabled, true)
  assert.equal((await forge.guest.get('/settings/attachment')).json.max_size, 3)
  assert.deepEqual((await forge.guest.get('/settings/ui')).json.allowed_reactions.slice(0, 2), ['+1', '-1'])
  assert.equal((await forge.guest.get('/settings/none')).status, 404)
})

test('getSigningKey, getSSHSigningKey: are empty and 404 without a signing key', async () => {
  await using forge = await startForge()
  const reply = await forge.guest.get('/signing-key.gpg')
  assert.deepEqual([reply.status, reply.text], [200, ''])
  assert.equal((await forge.guest.get('/signing-key.ssh')).status, 404)
})

test('swaggerRedirect: redirects to the documentation unless it is disabled', async () => {
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

test('listGitignoresTemplates, getGitignoreTemplateInfo, listLicenseTemplates, getLicenseTemplateInfo, listLabelTemplates, getLabelTemplateInfo: everybody can read them', async () => {
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
    [200, 'text/html;charset=utf-8', '<p dir="auto"><em>x</em> </p>\n'],
  )
  assert.equal(
    (await ann.post('/markdown/raw', undefined, { raw: '# T' })).text,
    '<h1 id="user-content-t" dir="auto">T</h1>\n',
  )
  assert.equal((await ann.post('/markup', { Text: 'a,b', Mode: 'file', FilePath: 'x.csv' })).status, 200)
  assert.equal((await ann.post('/markup', { Text: 'x', Mode: 'file', FilePath: 'x.xyz' })).status, 422)
  assert.equal((await ann.post('/markup', { Text: 'x', Mode: 'file' })).status, 422)
  const unknown = await ann.post('/markup', { Text: 'x', Mode: 'moon' })
  assert.deepEqual([unknown.status, unknown.json.message], [422, '[Mode]: unknown mode moon'])
  assert.equal((await ann.post('/markdown', { Text: 1 })).status, 422)
})

test('renderMarkdown: hidden accounts are not linked', async () => {
  await using forge = await startForge({ users: ['ann'] })
  await forge.addUser('secret', { visibility: 'private' })
  const mention = async (name: string): Promise<string> =>
    (await forge.as(name).post('/markdown', { Text: '@ANN @secret @nobody', Mode: 'gfm' })).text
  assert.match(
    await mention('ann'),
    /^<p dir="auto"><a href="[^"]*\/ANN" class="mention" rel="nofollow">@ANN<\/a> @secret @nobody<\/p>\n$/,
  )
  assert.match(await mention('secret'), /class="mention" rel="nofollow">@secret</)
})

test('topicSearch: part of a name, most used first; signs of patterns stand for themselves', async () => {
  await using forge = await startForge({ users: ['ann'], standAt: Date.UTC(2026, 0, 1) })
  for (const [name, topics] of [
    ['one', ['web']],
    ['two', ['web-app', 'cli']],
    ['three', ['web-app']],
  ] as const) {
    const repo = await forge.given.repo({ owner: 'ann', name })
    await forge.as('ann').must('PUT', `${repo.api}/topics`, { topics })
  }
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

test('topicSearch: topics of hidden repositories neither appear nor count', async () => {
  await using forge = await startForge({ users: ['ann', 'bea', 'cat'] })
  const ann = forge.as('ann')
  const give = async (name: string, owner: 'ann' | 'guild' | 'closed', isPrivate: boolean, topics: string[]) => {
    if (owner === 'ann') await ann.must('POST', '/user/repos', { name, private: isPrivate })
    else await ann.must('POST', `/orgs/${owner}/repos`, { name, private: isPrivate })
    await ann.must('PUT', `/repos/${owner}/${name}/topics`, { topics })
  }
  await forge.given.org({ owner: 'ann', name: 'guild' })
  await forge.given.org({ owner: 'ann', name: 'closed', visibility: 'private' })
  await give('open', 'ann', false, ['t-shared'])
  await give('shut', 'ann', true, ['t-shared', 't-shut'])
  await give('inner', 'closed', false, ['t-inner'])
  await give('secret', 'guild', true, ['t-guild'])
  await give('past', 'ann', true, ['t-past'])
  await ann.must('PUT', '/repos/ann/past/topics', { topics: [] })
  await ann.must('PUT', '/repos/ann/shut/collaborators/cat', { permission: 'read' })
  const { user } = await forge.account('ann')
  const { token } = await createToken(forge.services, user, { name: 'public', scopes: ['public-only', 'all'] })
  const seen = async (client: typeof forge.guest) => {
    const { json, headers } = await client.must('GET', '/topics/search?q=t-')
    const topics = json.topics as { topic_name: string; repo_count: number }[]
    assert.equal(headers.get('x-total-count'), String(topics.length))
    return topics.map(({ topic_name, repo_count }) => `${topic_name} ${repo_count}`).toSorted()
  }
  const all = ['t-guild 1', 't-inner 1', 't-shared 2', 't-shut 1']
  assert.deepEqual(await seen(forge.guest), ['t-shared 1'])
  assert.deepEqual(await seen(forge.as('bea')), ['t-shared 1'])
  assert.deepEqual(await seen(forge.as('ann', { token })), ['t-shared 1'])
  assert.deepEqual(await seen(forge.as('cat')), ['t-shared 2', 't-shut 1'])
  assert.deepEqual(await seen(ann), all)
  assert.deepEqual(await seen(forge.as('root')), all)
  await ann.must('DELETE', '/repos/ann/shut')
  assert.deepEqual(await seen(ann), ['t-guild 1', 't-inner 1', 't-shared 1'])
})

/** A public repository with one commit on main. */
async function repositoryWithCommit(forge: Forge, owner: string, name: string): Promise<{ oid: Oid; api: string }> {
  const { user } = await forge.account(owner)
  const { db, git } = forge.services
  const who = { name: owner, email: `${owner}@example.com`, unixSeconds: 1_577_934_245, offsetMinutes: 0 }
  const git_key = newGitKey()
  await git.create(git_key)
  const tree = { base: undefined, changes: [] }
  const { oid } = await git.writeCommit(git_key, { parents: [], tree, author: who, committer: who, message: 'first' })
  await transaction(db, async (tx) => {
    const repo = await insertRepo(tx, {
      owner_id: user.id,
      name,
      lower_name: name,
      git_key,
      wiki_git_key: null,
      description: '',
      website: '',
      default_branch: 'main',
      object_format: 'sha1',
      is_private: false,
      is_empty: false,
      fork_id: null,
      template_id: null,
      created_unix: 0,
      updated_unix: 0,
    })
    await insertUnits(tx, repo.id, [{ unit: 'code', config: '{}', default_access: 0 }])
  })
  return { oid, api: `/repos/${owner}/${name}` }
}

test('repoRenderMarkdown, repoRenderMarkdownRaw, repoRenderMarkup: references of a repository', async () => {
  await using forge = await startForge({ users: ['ann', 'bea'] })
  const { oid, api } = await repositoryWithCommit(forge, 'ann', 'one')
  const ann = forge.as('ann')
  const text = `@bea #1 bea/two!2 ${oid} ${oid.slice(0, 8)} ${'0'.repeat(39)}1`
  const { text: html } = await ann.post(`${api}/markdown`, { Text: text, Mode: 'comment', Context: '/ann/one' })
  const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1]?.slice(forge.url.length))
  assert.deepEqual(hrefs, [
    '/bea',
    '/ann/one/issues/1',
    '/bea/two/pulls/2',
    `/ann/one/commit/${oid}`,
    `/ann/one/commit/${oid.slice(0, 8)}`,
  ])
  assert.equal((await ann.post(`${api}/markdown/raw`, undefined, { raw: '#1' })).text, '<p dir="auto">#1</p>\n')
  const file = { Text: '[a](b.md)', Mode: 'file', FilePath: 'x.md', Context: '/ann/one', BranchPath: 'branch/main' }
  assert.match((await ann.post(`${api}/markup`, file)).text, /\/ann\/one\/src\/branch\/main\/b\.md"/)
  assert.equal((await forge.guest.post(`${api}/markdown`, { Text: 'x' })).status, 401)
  assert.equal((await ann.post(`${api}x/markdown`, { Text: 'x' })).status, 404)
})

test('repoRenderMarkdown: a mention of a team that holds the repository is a link; other teams stay text', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const alice = forge.as('alice')
  await forge.given.org({ owner: 'alice', name: 'guild' })
  await forge.given.org({ owner: 'alice', name: 'other' })
  await alice.must('POST', '/orgs/guild/repos', { name: 'home' })
  const team = { permission: 'read', units: ['repo.code'] }
  const { json: crew } = await alice.must('POST', '/orgs/guild/teams', { ...team, name: 'Crew' })
  await alice.must('POST', '/orgs/guild/teams', { ...team, name: 'idle' })
  await alice.must('POST', '/orgs/other/teams', { ...team, name: 'crew', includes_all_repositories: true })
  await alice.must('PUT', `/teams/${crew.id}/repos/guild/home`)
  const render = async (path: string, Text: string) =>
    (await forge.as('bob').post(`${path}/markdown`, { Text, Mode: 'comment', Context: 'guild/home' })).text
  const link = `<a href="${forge.url}/org/guild/teams/crew" class="mention" rel="nofollow">@guild/crew</a>`
  const text = '@guild/crew, @guild/idle @guild/nobody (@other/crew) @guild/owners.'
  const html = await render('/repos/guild/home', text)
  assert.ok(html.includes(`${link}, @guild/idle @guild/nobody (@other/crew) <a `), html)
  assert.ok(html.includes('/org/guild/teams/owners"'), html)
  assert.ok(!(await render('', text)).includes('/teams/'), 'outside of the repository there are no teams')
})
