import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import { startForge } from '../testing/forge.ts'

test('orgCreate: the creator is a concealed member and the only owner; invalid and used names are 422', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const alice = forge.as('alice')
  const made = await alice.post('/orgs', { username: 'guild', visibility: 'limited', description: 'Makers' })
  assert.deepEqual([made.status, made.json.visibility, made.json.description], [201, 'limited', 'Makers'])
  const teams = (await alice.get('/orgs/guild/teams')).json
  assert.deepEqual(
    [teams.length, teams[0].name, teams[0].permission, teams[0].units_map['repo.code']],
    [1, 'Owners', 'owner', 'owner'],
  )
  assert.deepEqual((await alice.get('/orgs/guild/public_members')).json, [])
  for (const username of ['GUILD', 'alice', 'api', 'a..b', '-a', 'x.rss', 'a'.repeat(41)]) {
    assert.equal((await alice.post('/orgs', { username })).status, 422, username)
  }
  assert.equal((await alice.post('/orgs', { username: 'fine', website: 'nope' })).status, 422)
  await forge.as('root').must('PATCH', '/admin/users/bob', { allow_create_organization: false })
  assert.equal((await forge.as('bob').post('/orgs', { username: 'mine' })).status, 403)
  assert.equal(
    (await forge.as('root').post('/admin/users/bob/orgs', { username: 'mine' })).status,
    422,
    'adminCreateOrg',
  )
  assert.equal((await forge.as('root').post('/admin/users/alice/orgs', { username: 'hers' })).status, 201)
})

test('orgCreate: of six concurrent requests with one name exactly one succeeds', async () => {
  await using forge = await startForge()
  await forge.account('alice')
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => forge.as('alice').post('/orgs', { username: 'same' })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 422, 422, 422, 422, 422],
  )
})

test('orgGet, orgGetAll, adminGetAllOrgs: visibility decides who sees an organization', async () => {
  await using forge = await startForge({ users: ['bob'] })
  for (const visibility of ['public', 'limited', 'private']) {
    await forge.as('alice').must('POST', '/orgs', { username: `o-${visibility}`, visibility })
  }
  const see = async (client: typeof forge.guest) =>
    Promise.all(['public', 'limited', 'private'].map(async (each) => (await client.get(`/orgs/o-${each}`)).status))
  assert.deepEqual(await see(forge.guest), [200, 404, 404])
  assert.deepEqual(await see(forge.as('bob')), [200, 200, 404])
  assert.deepEqual(await see(forge.as('alice')), [200, 200, 200])
  assert.deepEqual(await see(forge.as('root')), [200, 200, 200])
  const names = async (client: typeof forge.guest, path: string) =>
    (await client.get(path)).json.map((org: { name: string }) => org.name)
  assert.deepEqual(await names(forge.guest, '/orgs'), ['o-public'])
  assert.deepEqual(await names(forge.as('alice'), '/orgs'), ['o-limited', 'o-public'])
  assert.deepEqual(await names(forge.as('root'), '/admin/orgs'), ['o-limited', 'o-private', 'o-public'])
  using queries = await countQueries(forge)
  await forge.as('bob').get('/orgs')
  assert.ok(queries.count <= 4, `${queries.count}: token, account, rows, count`)
})

test('orgEdit, renameOrg, orgDelete: only owners may edit; omitted members become empty; the old name redirects with 307', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org({ name: 'before', description: 'text', email: 'org@example.com' })
  const alice = forge.as('alice')
  assert.equal((await forge.as('bob').patch(`/orgs/${org}`, {})).status, 403)
  assert.equal((await forge.guest.delete(`/orgs/${org}`)).status, 401)
  const edited = (await alice.patch(`/orgs/${org}`, { full_name: 'Guild' })).json
  assert.deepEqual([edited.full_name, edited.description, edited.email], ['Guild', '', 'org@example.com'])
  assert.equal((await alice.patch(`/orgs/${org}`, { visibility: 'private' })).json.visibility, 'private')
  assert.equal((await alice.patch(`/orgs/${org}`, { visibility: 'public' })).json.visibility, 'public')
  assert.equal((await alice.post(`/orgs/${org}/rename`, { new_name: 'after' })).status, 204)
  const moved = await alice.get('/orgs/before?x=1')
  assert.deepEqual([moved.status, moved.headers.get('location')], [307, '/api/v1/orgs/after?x=1'])
  await alice.must('POST', '/orgs/after/repos', { name: 'keeps' })
  assert.equal((await alice.delete('/orgs/after')).status, 422, 'an organization with a repository')
  await alice.must('DELETE', '/repos/after/keeps')
  assert.equal((await alice.delete('/orgs/after')).status, 204)
  assert.equal((await alice.get('/orgs/before')).status, 404)
})

test('a former name redirects only as the owner segment of a path', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  for (const name of ['repos', 'orgs', 'users', 'v1']) {
    await forge.given.org({ name })
    await alice.must('POST', `/orgs/${name}/repos`, { name: 'a.b' })
    await alice.must('POST', `/orgs/${name}/rename`, { new_name: `${name}-now` })
    const paths = [`/orgs/${name}/teams`, `/users/${name}`, `/repos/${name}/a.b/contents/${name}/a%2Fb?ref=${name}`]
    for (const path of paths) {
      const { status, headers } = await alice.get(path)
      const [, collection, , ...rest] = path.split('/')
      const moved = ['/api/v1', collection, `${name}-now`, ...rest].join('/')
      assert.deepEqual([status, headers.get('location')], [307, moved])
    }
  }
})

test('orgListMembers, orgIsMember, orgPublicizeMember, orgConcealMember, orgListPublicMembers, orgIsPublicMember', async () => {
  await using forge = await startForge({ users: ['bob', 'stranger'] })
  const org = await forge.given.org()
  const [alice, bob, stranger] = [forge.as('alice'), forge.as('bob'), forge.as('stranger')]
  const team = (
    await alice.must('POST', `/orgs/${org}/teams`, { name: 'crew', permission: 'read', units: ['repo.code'] })
  ).json
  await alice.must('PUT', `/teams/${team.id}/members/bob`)
  const count = async (client: typeof bob) => (await client.get(`/orgs/${org}/members`)).headers.get('x-total-count')
  assert.deepEqual([await count(bob), await count(stranger)], ['2', '0'])
  assert.equal((await alice.put(`/orgs/${org}/public_members/bob`)).status, 403, 'only oneself')
  await bob.must('PUT', `/orgs/${org}/public_members/bob`)
  assert.equal((await forge.guest.get(`/orgs/${org}/public_members/bob`)).status, 204)
  assert.equal((await forge.guest.get(`/orgs/${org}/public_members`)).json.length, 1)
  assert.equal((await bob.get(`/orgs/${org}/members/alice`)).status, 204)
  assert.equal((await stranger.get(`/orgs/${org}/members/stranger`)).status, 404)
  const elsewhere = await stranger.get(`/orgs/${org}/members/bob`)
  assert.deepEqual(
    [elsewhere.status, elsewhere.headers.get('location')],
    [303, `/api/v1/orgs/${org}/public_members/bob`],
  )
  await bob.must('DELETE', `/orgs/${org}/public_members/bob`)
  assert.equal((await forge.guest.get(`/orgs/${org}/public_members/bob`)).status, 404)
})

test('orgDeleteMember: removes teams, access and watches; the last owner stays, even when two owners remove each other', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'vault', private: true })
  const owners = (await alice.get(`/orgs/${org}/teams`)).json[0]
  assert.equal((await alice.delete(`/orgs/${org}/members/alice`)).status, 422)
  await alice.must('PUT', `/teams/${owners.id}/members/bob`)
  assert.equal((await alice.get(`/repos/${org}/vault`)).json.watchers_count, 2, 'new owners watch its repositories')
  const replies = await Promise.all([
    alice.delete(`/orgs/${org}/members/bob`),
    bob.delete(`/orgs/${org}/members/alice`),
  ])
  const done = replies.filter(({ status }) => status === 204).length
  assert.equal(done, 1)
  const left = (await forge.as('root').get(`/orgs/${org}/members`)).json
  assert.equal(left.length, 1)
  const gone = left[0].login === 'alice' ? bob : alice
  assert.equal((await gone.get(`/repos/${org}/vault`)).status, 404)
  assert.equal((await forge.as('root').get(`/repos/${org}/vault`)).json.watchers_count, 1)
})

test('orgListCurrentUserOrgs, orgListUserOrgs, adminListUserOrgs, orgGetUserPermissions: lists omit organizations and memberships that the viewer may not see', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const secret = await forge.given.org({ visibility: 'private' })
  const open = await forge.given.org()
  const [alice, bob] = [forge.as('alice'), forge.as('bob')]
  await alice.must('PUT', `/orgs/${open}/public_members/alice`)
  await alice.must('PUT', `/orgs/${secret}/public_members/alice`)
  const names = async (client: typeof bob, path: string) =>
    (await client.get(path)).json.map((org: { name: string }) => org.name)
  assert.deepEqual(await names(alice, '/user/orgs'), [secret, open].toSorted())
  assert.deepEqual(await names(bob, '/users/alice/orgs'), [open])
  assert.equal((await forge.as('root').get('/admin/users/alice/orgs')).json.length, 2)
  const own = (await alice.get(`/users/alice/orgs/${secret}/permissions`)).json
  assert.deepEqual([own.is_owner, own.can_create_repository], [true, true])
  assert.equal((await bob.get(`/users/alice/orgs/${secret}/permissions`)).status, 404)
  assert.equal((await alice.get(`/users/bob/orgs/${secret}/permissions`)).status, 404)
  assert.equal((await alice.get(`/users/bob/orgs/${open}/permissions`)).json.can_read, false)
})

test('orgBlockUser, orgListBlockedUsers, orgUnblockUser: a blocked account loses its stars, watches and access', async () => {
  await using forge = await startForge({ users: ['pest'] })
  const org = await forge.given.org()
  const [alice, pest] = [forge.as('alice'), forge.as('pest')]
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'code' })
  await alice.must('PUT', `/repos/${org}/code/collaborators/pest`, { permission: 'write' })
  await pest.must('PUT', `/repos/${org}/code/subscription`)
  await pest.must('PUT', `/user/starred/${org}/code`)
  assert.equal((await pest.put(`/orgs/${org}/block/alice`)).status, 403)
  await alice.must('PUT', `/orgs/${org}/block/pest`)
  const repo = (await alice.get(`/repos/${org}/code`)).json
  assert.deepEqual([repo.watchers_count, repo.stars_count], [1, 0])
  assert.deepEqual((await alice.get(`/repos/${org}/code/collaborators`)).json, [])
  assert.equal((await alice.get(`/orgs/${org}/list_blocked`)).json.length, 1)
  assert.equal((await alice.put(`/orgs/${org}/block/${org}`)).status, 422)
  await alice.must('PUT', `/orgs/${org}/unblock/pest`)
  assert.deepEqual((await alice.get(`/orgs/${org}/list_blocked`)).json, [])
})

test('orgGetAll, orgListUserOrgs, userSearch: a restricted account finds only itself and its organizations', async () => {
  await using forge = await startForge()
  await forge.addUser('rita', { isRestricted: true })
  const [guild, lodge] = [await forge.given.org({ owner: 'alice' }), await forge.given.org({ owner: 'alice' })]
  const team = await forge.as('alice').must('POST', `/orgs/${guild}/teams`, {
    name: 'crew',
    units_map: { 'repo.code': 'read' },
  })
  await forge.as('alice').must('PUT', `/teams/${team.json.id}/members/rita`)
  const rita = forge.as('rita')
  assert.equal((await rita.get(`/orgs/${lodge}`)).status, 404)
  assert.equal((await rita.get('/users/alice')).status, 404)
  const names = (list: readonly { readonly username: string }[]): string[] => list.map((each) => each.username)
  assert.deepEqual(names((await rita.must('GET', '/orgs')).json), [guild])
  assert.deepEqual(names((await rita.must('GET', '/users/search')).json.data), ['rita'])
  assert.ok(names((await forge.as('bob').must('GET', '/orgs')).json).includes(lodge))
})
