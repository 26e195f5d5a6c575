import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import { startForge } from '../testing/forge.ts'

test('createCurrentUserRepo: a name alone creates an empty public repository, and repoGet shows the same', async () => {
  await using forge = await startForge()
  const made = await forge.as('alice').post('/user/repos', { name: 'bare' })
  assert.deepEqual(
    [made.status, made.json.empty, made.json.private, made.json.permissions.admin],
    [201, true, false, true],
  )
  const read = await forge.as('alice').get('/repos/alice/bare')
  assert.deepEqual(read.json, made.json)
})

test('createCurrentUserRepo: of eight concurrent requests with one name exactly one succeeds, and the others leave nothing on disk', async () => {
  await using forge = await startForge()
  await forge.account('alice')
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => forge.as('alice').post('/user/repos', { name: 'same', auto_init: true })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, ...Array.from({ length: 7 }, () => 409)],
  )
  const keys: string[] = []
  for await (const key of forge.services.git.listKeys()) keys.push(key)
  assert.equal(keys.length, 1)
})

test('createCurrentUserRepo: invalid names, branches, label sets, templates and exceeded limits are refused (contract)', async () => {
  await using forge = await startForge({ settings: { repository: { MAX_CREATION_LIMIT: 1 } } })
  const post = async (body: object) => (await forge.as('alice').post('/user/repos', body)).status
  assert.equal((await forge.guest.post('/user/repos', { name: 'x' })).status, 401)
  for (const name of ['', 'a b', '..', '-', 'x.git', 'x.wiki', 'n'.repeat(101)]) {
    assert.equal(await post({ name }), 422, name)
  }
  assert.equal(await post({ name: 'x', default_branch: 'a..b' }), 422)
  assert.equal(await post({ name: 'x', issue_labels: 'Nope' }), 422)
  assert.equal(await post({ name: 'x', object_format_name: 'md5' }), 422)
  assert.equal(await post({ name: 'x', auto_init: true, readme: 'Nope' }), 400)
  assert.equal(await post({ name: 'x', auto_init: true, gitignores: 'Nope' }), 422)
  assert.equal(await post({ name: 'x', auto_init: true, license: 'Nope' }), 422)
  assert.equal(await post({ name: 'x' }), 201)
  assert.equal(await post({ name: 'X' }), 409)
  assert.equal(await post({ name: 'y' }), 403)
  assert.equal(
    (await forge.as('root').post('/admin/users/alice/repos', { name: 'y' })).status,
    201,
    'adminCreateRepo: no limit',
  )
})

test('createCurrentUserRepo: concurrent requests do not exceed the limit of repositories', async () => {
  await using forge = await startForge({ settings: { repository: { MAX_CREATION_LIMIT: 3 } } })
  await forge.account('alice')
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, index) => forge.as('alice').post('/user/repos', { name: `r${index}` })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 201, 201, 403, 403, 403],
  )
})

test('createCurrentUserRepo: auto_init creates one commit by the owner with the requested files', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const { json } = await alice.must('POST', '/user/repos', {
    name: 'full',
    auto_init: true,
    description: 'A tool',
    gitignores: 'Go',
    license: 'MIT',
    default_branch: 'trunk',
  })
  assert.deepEqual([json.empty, json.default_branch], [false, 'trunk'])
  const repo = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const { git } = forge.services
  const head = await git.readHead(repo.git_key)
  assert.equal(head.branch, 'trunk')
  const commit = await git.readCommit(repo.git_key, head.oid as never)
  assert.deepEqual([commit.message, commit.author.name, commit.parents.length], ['Initial commit\n', 'alice', 0])
  assert.deepEqual(
    (await git.readTree(repo.git_key, commit.oid)).map(({ name }) => name),
    ['.gitignore', 'LICENSE', 'README.md'],
  )
  const branch = await forge.services.db.selectFrom('branch').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([branch.name, branch.commit_oid], ['trunk', commit.oid])
  assert.ok(repo.git_size_bytes > 0)
})

test('createOrgRepo: owners and members of permitted teams create repositories, others get 403, the creator is admin', async () => {
  await using forge = await startForge({ users: ['maker', 'plain', 'stranger'] })
  const org = await forge.given.org({ owner: 'alice' })
  const alice = forge.as('alice')
  const team = async (name: string, more: object) =>
    (await alice.must('POST', `/orgs/${org}/teams`, { name, permission: 'read', units: ['repo.code'], ...more })).json
      .id
  await alice.must('PUT', `/teams/${await team('makers', { can_create_org_repo: true })}/members/maker`)
  await alice.must('PUT', `/teams/${await team('plain', {})}/members/plain`)
  const post = async (who: string, name: string) => (await forge.as(who).post(`/orgs/${org}/repos`, { name })).status
  assert.deepEqual(
    [
      await post('alice', 'a'),
      await post('maker', 'b'),
      await post('plain', 'c'),
      await post('stranger', 'd'),
      await post('root', 'e'),
    ],
    [201, 201, 403, 403, 201],
  )
  assert.equal((await forge.as('maker').get(`/repos/${org}/b`)).json.permissions.admin, true)
  assert.equal((await forge.as('maker').get(`/repos/${org}/a`)).json.permissions.admin, false)
  const old = await alice.post('/org/nobody-here/repos', { name: 'x' })
  assert.equal(old.status, 422, 'createOrgRepoDeprecated: an unknown organization')
})

test('createOrgRepo: 413 when the organization is over quota, and the reply names it', async () => {
  await using forge = await startForge({ settings: { quota: { ENABLED: true }, 'quota.default': { TOTAL: 0 } } })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'first', auto_init: true })
  const reply = await alice.post(`/orgs/${org}/repos`, { name: 'second' })
  assert.deepEqual([reply.status, reply.json.username], [413, org])
  assert.equal((await alice.post('/user/repos', { name: 'own' })).status, 201, 'the account itself is not over quota')
})

test('repoGet: a private repository is 404 for strangers and guests, and takes few queries for readers', async () => {
  await using forge = await startForge({ users: ['bob', 'reader'] })
  const repo = await forge.given.repo({ private: true })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/reader`, { permission: 'read' })
  const statuses = async (path: string) => [
    (await forge.guest.get(path)).status,
    (await forge.as('bob').get(path)).status,
    (await forge.as('reader').get(path)).status,
    (await forge.as('root').get(path)).status,
  ]
  assert.deepEqual(await statuses(repo.api), [404, 404, 200, 200])
  await forge.as('reader').get(repo.api)
  using queries = await countQueries(forge)
  await forge.as('reader').get(repo.api)
  assert.ok(queries.count <= 3, `${queries.count}: who asks, what the path names, collaboration`)
})

test('repoGet, repoGetByID: each viewer sees each change at once, with their permissions', async () => {
  await using forge = await startForge()
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  const { id } = (await alice.post('/user/repos', { name: 'notes' })).json
  const seen = async (viewer = bob) => {
    const [byName, byId] = [await viewer.get('/repos/alice/notes'), await viewer.get(`/repositories/${id}`)]
    assert.deepEqual(byName.json, byId.json)
    assert.equal(byName.headers.get('etag'), byId.headers.get('etag'))
    return byName.json
  }
  const before = await seen()
  assert.deepEqual(await seen(), before)
  assert.deepEqual([before.permissions.push, (await seen(alice)).permissions.push], [false, true])
  const changes: [() => Promise<unknown>, (record: typeof before) => unknown, unknown][] = [
    [() => alice.patch('/repos/alice/notes', { description: 'new' }), ({ description }) => description, 'new'],
    [() => alice.patch('/repos/alice/notes', { has_wiki: false }), ({ has_wiki: has }) => has, false],
    [() => alice.patch('/repos/alice/notes', { allow_rebase: false }), ({ allow_rebase: may }) => may, false],
    [() => bob.put('/user/starred/alice/notes'), ({ stars_count: count }) => count, 1],
    [() => alice.patch('/user/settings', { full_name: 'Alice A.' }), ({ owner }) => owner.full_name, 'Alice A.'],
    [
      () => alice.put('/repos/alice/notes/collaborators/bob', { permission: 'write' }),
      ({ permissions }) => permissions.push,
      true,
    ],
    [() => alice.delete('/repos/alice/notes/collaborators/bob'), ({ permissions }) => permissions.push, false],
  ]
  for (const [change, shown, expected] of changes) {
    await change()
    assert.deepEqual(shown(await seen()), expected)
  }
  await alice.patch('/repos/alice/notes', { private: true })
  assert.equal((await bob.get('/repos/alice/notes')).status, 404)
})

test('repoGetByID: the reply equals that of repoGet', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo({ private: true })
  const { id } = (await forge.as('alice').get(repo.api)).json
  const get = async (who: string) => (await forge.as(who).get(`/repositories/${id}`)).status
  assert.deepEqual([await get('alice'), await get('bob')], [200, 404])
  assert.equal((await forge.guest.get(`/repositories/${id}`)).status, 401)
})

test('userListRepos, userCurrentListRepos, orgListRepos: lists take a fixed number of queries and contain only visible repositories', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  for (const name of ['a', 'b', 'c']) {
    await alice.must('POST', '/user/repos', { name, private: name === 'b' })
    await alice.must('POST', `/orgs/${org}/repos`, { name, private: name === 'c' })
  }
  const list = async (who: string, path: string) => {
    const reply = await forge.as(who).get(path)
    return [reply.headers.get('x-total-count'), reply.json.map((repo: { name: string }) => repo.name).join('')]
  }
  assert.deepEqual(await list('alice', '/users/alice/repos'), ['3', 'abc'])
  assert.deepEqual(await list('bob', '/users/alice/repos'), ['2', 'ac'])
  assert.deepEqual(await list('bob', `/orgs/${org}/repos`), ['2', 'ab'])
  assert.deepEqual(await list('alice', '/user/repos?order_by=id'), ['6', 'aabbcc'])
  for (const order of ['sideways', 'constructor']) {
    assert.equal((await alice.get(`/user/repos?order_by=${order}`)).status, 422)
  }
  using six = await countQueries(forge)
  await alice.get('/user/repos')
  const of6 = six.count
  assert.ok(
    of6 <= 12,
    `${of6}: token, account, teams and collaborations, what is near, count, places, rows, owners, units, collaborations, memberships, teams`,
  )
  using two = await countQueries(forge)
  await alice.get('/user/repos?limit=2')
  assert.equal(two.count, of6, 'two rows take the queries of six')
})

test('repoSearch: words, filters and orders apply; unknown ones are 422', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const alice = forge.as('alice')
  await alice.must('POST', '/user/repos', { name: 'zebra-one', description: 'striped' })
  await alice.must('POST', '/user/repos', { name: 'zebra-two', private: true })
  await alice.must('POST', '/user/repos', { name: 'other', description: 'about a zebra' })
  await alice.must('PUT', '/repos/alice/other/topics', { topics: ['horse'] })
  const names = async (who: string, query: string) =>
    (await forge.as(who).get(`/repos/search?${query}`)).json.data.map((repo: { name: string }) => repo.name)
  assert.deepEqual(await names('alice', 'q=ZEBRA'), ['zebra-one', 'zebra-two'])
  assert.deepEqual(await names('bob', 'q=zebra'), ['zebra-one'])
  assert.deepEqual(await names('bob', 'q=zebra&includeDesc=true'), ['other', 'zebra-one'])
  assert.deepEqual(await names('bob', 'q=horse&topic=true'), ['other'])
  assert.deepEqual(await names('bob', 'q=alice/zebra'), ['zebra-one'])
  assert.deepEqual(await names('bob', 'q=%25'), [], 'pattern characters match literally')
  assert.deepEqual(await names('alice', 'q=zebra&sort=id&order=desc'), ['zebra-two', 'zebra-one'])
  for (const query of ['mode=sideways', 'sort=colour', 'sort=id&order=sideways']) {
    assert.equal((await alice.get(`/repos/search?${query}`)).status, 422, query)
  }
})

test('repoDelete: only an owner deletes; rows, counters and git data are removed, forks remain', async () => {
  await using forge = await startForge({ users: ['boss', 'bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/collaborators/boss`, { permission: 'admin' })
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  await forge.as('bob').must('PUT', `/user/starred/${repo.fullName}`)
  assert.equal((await forge.as('boss').delete(repo.api)).status, 403)
  assert.equal((await forge.guest.delete(repo.api)).status, 401)
  const row = await forge.services.db
    .selectFrom('repo')
    .selectAll()
    .where('name', '=', repo.name)
    .orderBy('id')
    .executeTakeFirstOrThrow()
  assert.equal((await alice.delete(repo.api)).status, 204)
  assert.equal((await alice.get(repo.api)).status, 404)
  await forge.settle()
  assert.equal(await forge.services.git.exists(row.git_key), false)
  const fork = (await forge.as('bob').get(`/repos/bob/${repo.name}`)).json
  assert.deepEqual([fork.fork, fork.parent], [false, null])
  assert.equal((await forge.as('bob').get('/user')).json.starred_repos_count, 0)
})

test('createCurrentUserRepo: the code unit stays enabled when the settings omit it', async () => {
  await using forge = await startForge({
    settings: { repository: { DISABLED_REPO_UNITS: 'repo.code', DEFAULT_REPO_UNITS: 'repo.issues' } },
  })
  const repo = await forge.given.repo()
  await forge.as('alice').must('PATCH', repo.api, { has_issues: false })
  assert.equal((await forge.as('bob').get(`${repo.api}/branches`)).status, 200)
})
