import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../../db/database.ts'
import { countQueries } from '../../testing/count-queries.ts'
import { examined } from '../../testing/doctor.ts'
import type { Answer } from '../../testing/client.ts'
import { startForge } from '../../testing/forge.ts'
import { publicKey } from '../../testing/samples.ts'

test('repoAddCollaborator, repoCheckCollaborator, repoGetRepoPermissions, repoDeleteCollaborator: a collaborator gains and loses access', async () => {
  await using forge = await startForge({ users: ['ann', 'stranger'] })
  const repo = await forge.given.repo({ private: true })
  const alice = forge.as('alice')
  const path = `${repo.api}/collaborators/ann`
  assert.equal((await forge.as('stranger').put(path, {})).status, 404)
  assert.equal((await alice.put(`${repo.api}/collaborators/nobody`, {})).status, 422)
  assert.equal((await alice.put(path, {})).status, 204)
  assert.equal((await alice.get(`${path}/permission`)).json.permission, 'write')
  await alice.must('PUT', path, { permission: 'sometimes' })
  assert.equal(
    (await alice.get(`${path}/permission`)).json.permission,
    'write',
    'an unknown permission changes nothing',
  )
  await alice.must('PUT', path, { permission: 'read' })
  assert.equal((await forge.as('ann').get(`${path}/permission`)).json.permission, 'read')
  assert.equal((await forge.as('ann').get(`${repo.api}/collaborators/alice/permission`)).status, 403)
  await forge.as('ann').must('PUT', `${repo.api}/subscription`)
  assert.equal((await alice.get(repo.api)).json.watchers_count, 2)
  assert.equal((await alice.delete(path)).status, 204)
  assert.equal((await forge.as('ann').get(repo.api)).status, 404)
  assert.equal((await alice.get(repo.api)).json.watchers_count, 1, 'an account without access stops watching')
  assert.equal((await alice.get(path)).status, 404)
})

test('repoListCollaborators: guests get 401, strangers 404; pages have the total', async () => {
  await using forge = await startForge({ users: ['ann', 'ben', 'stranger'] })
  const repo = await forge.given.repo({ private: true })
  const path = `${repo.api}/collaborators`
  assert.equal((await forge.guest.get(path)).status, 404)
  assert.equal((await forge.guest.get(`${(await forge.given.repo()).api}/collaborators`)).status, 401)
  assert.equal((await forge.as('stranger').get(path)).status, 404)
  for (const name of ['ann', 'ben']) {
    await forge.as('alice').must('PUT', `${path}/${name}`, { permission: 'read' })
  }
  const reply = await forge.as('ben').must('GET', `${path}?limit=1&page=2`)
  assert.deepEqual(
    reply.json.map((user: { login: string }) => user.login),
    ['ben'],
  )
  assert.equal(reply.headers.get('x-total-count'), '2')
})

test('repoAddCollaborator: 403 when one side blocks the other, 422 for an organization and the owner', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const repo = await forge.given.repo()
  const org = await forge.given.org()
  await forge.as('ann').must('PUT', '/user/block/alice')
  const put = async (name: string) => (await forge.as('alice').put(`${repo.api}/collaborators/${name}`, {})).status
  assert.deepEqual([await put('ann'), await put(org), await put('alice')], [403, 422, 422])
})

test('createFork, listForks: each account has at most one fork, even with concurrent requests', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const fork = (name: string) => forge.as('bob').post(`${repo.api}/forks`, { name })
  const replies = await Promise.all([fork('one'), fork('two'), fork('three')])
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [202, 409, 409],
  )
  const made = replies.find(({ status }) => status === 202)?.json
  assert.deepEqual([made.fork, made.parent.full_name, made.has_issues, made.empty], [true, repo.fullName, false, false])
  assert.equal((await forge.guest.get(repo.api)).json.forks_count, 1)
  assert.equal((await forge.guest.get(`${repo.api}/forks`)).json[0].full_name, made.full_name)
  const branches = (await forge.as('bob').get(`/repos/${made.full_name}/branches`)).json
  assert.deepEqual(
    branches.map((branch: { name: string }) => branch.name),
    ['main'],
  )
})

test('createFork: a fork of a repository of a private organization is private', async () => {
  await using forge = await startForge()
  const org = await forge.given.org({ visibility: 'private' })
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'inner', auto_init: true })
  const made = (await forge.as('alice').must('POST', `/repos/${org}/inner/forks`, {})).json
  assert.equal(made.private, true)
})

test('repoTransfer, acceptRepoTransfer, rejectRepoTransfer: accepting an offer moves the repository', async () => {
  await using forge = await startForge({ users: ['ann', 'stranger'] })
  const repo = await forge.given.repo({ private: true })
  const [alice, ann] = [forge.as('alice'), forge.as('ann')]
  assert.equal((await alice.post(`${repo.api}/transfer`, { new_owner: 'nobody' })).status, 404)
  assert.equal((await alice.post(`${repo.api}/transfer`, { new_owner: 'ann' })).status, 201)
  assert.equal((await alice.post(`${repo.api}/transfer`, { new_owner: 'stranger' })).status, 409)
  assert.equal((await ann.get(repo.api)).json.repo_transfer.recipient.login, 'ann', 'the recipient may read')
  assert.equal((await alice.post(`${repo.api}/transfer/accept`)).status, 403)
  assert.equal((await ann.post(`${repo.api}/transfer/reject`)).status, 200)
  assert.equal((await ann.post(`${repo.api}/transfer/accept`)).status, 404)
  await alice.must('POST', `${repo.api}/transfer`, { new_owner: 'ann' })
  assert.equal((await ann.post(`${repo.api}/transfer/accept`)).json.full_name, `ann/${repo.name}`)
  const moved = await alice.get(repo.api)
  assert.deepEqual([moved.status, moved.headers.get('location')], [301, `/api/v1/repos/ann/${repo.name}`])
  assert.equal((await alice.get(`/repos/ann/${repo.name}`)).status, 404)
  assert.deepEqual((await ann.get(`/repos/ann/${repo.name}/collaborators`)).json, [])
})

test('repoTransfer: a hidden account gets the answer of an unknown name', async () => {
  await using forge = await startForge({ users: ['hermit', 'owner'] })
  await forge.given.org({ owner: 'owner', name: 'cabal', visibility: 'private' })
  const hidden = { login_name: 'hermit', source_id: 0, visibility: 'private' }
  await forge.as('root').must('PATCH', '/admin/users/hermit', hidden)
  const repo = await forge.given.repo()
  const offer = async (newOwner: string) => {
    const { status, json } = await forge.as('alice').post(`${repo.api}/transfer`, { new_owner: newOwner })
    return [status, json.code]
  }
  for (const name of ['hermit', 'cabal']) assert.deepEqual(await offer(name), await offer('nobody'), name)
  const own = await forge.given.repo({ owner: 'owner' })
  assert.equal((await forge.as('owner').post(`${own.api}/transfer`, { new_owner: 'cabal' })).status, 202)
})

test('repoAddCollaborator, repoDeleteTeam, orgRemoveTeamRepository: the access of the owner and of teams for all repositories cannot be removed', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const repo = await forge.given.repo()
  const own = await alice.put(`${repo.api}/collaborators/alice`, { permission: 'read' })
  assert.deepEqual([own.status, own.json.code], [422, 'collaborator_is_owner'])
  const org = await forge.given.org()
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'home' })
  const all = { name: 'all', permission: 'read', units: ['repo.code'], includes_all_repositories: true }
  const { id } = (await alice.must('POST', `/orgs/${org}/teams`, all)).json
  for (const path of [`/teams/${id}/repos/${org}/home`, `/repos/${org}/home/teams/all`]) {
    const { status, json } = await alice.delete(path)
    assert.deepEqual([status, json.code], [422, 'team_has_all'], path)
  }
})

test('repoTransfer: a transfer to an organization where the caller may create repositories happens at once, with its teams', async () => {
  await using forge = await startForge({ users: ['mate'] })
  const repo = await forge.given.repo({ private: true })
  const alice = forge.as('alice')
  const [org, other] = [await forge.given.org(), await forge.given.org()]
  const team = async (of: string) =>
    (await alice.must('POST', `/orgs/${of}/teams`, { name: 'crew', permission: 'write', units: ['repo.code'] })).json.id
  const [own, foreign] = [await team(org), await team(other)]
  await alice.must('PUT', `/teams/${own}/members/mate`)
  const start = async (team_ids: number[]) =>
    (await alice.post(`${repo.api}/transfer`, { new_owner: org, team_ids })).status
  assert.deepEqual([await start([foreign]), await start([999_999]), await start([own])], [403, 422, 202])
  assert.equal((await forge.as('mate').get(`/repos/${org}/${repo.name}`)).json.permissions.push, true)
})

test('userCurrentPutStar, userCurrentCheckStarring, userCurrentDeleteStar, repoListStargazers, userCurrentListStarred, userListStarred: stars change lists and counters', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const bob = forge.as('bob')
  const path = `/user/starred/${repo.fullName}`
  assert.equal((await bob.get(path)).status, 404)
  const replies = await Promise.all([bob.put(path), bob.put(path), bob.put(path)])
  assert.deepEqual(
    replies.map(({ status }) => status),
    [204, 204, 204],
  )
  assert.equal((await bob.get(repo.api)).json.stars_count, 1)
  assert.equal((await bob.get(path)).status, 204)
  assert.equal((await forge.guest.get(`${repo.api}/stargazers`)).json[0].login, 'bob')
  assert.equal((await bob.get('/user/starred')).json.length, 1)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.deepEqual((await forge.as('alice').get('/users/bob/starred')).json, [], 'others see only public repositories')
  await forge.as('alice').must('PATCH', repo.api, { private: false })
  await bob.must('DELETE', path)
  assert.equal((await bob.get(repo.api)).json.stars_count, 0)
})

test('userCurrentPutSubscription, userCurrentCheckSubscription, userCurrentDeleteSubscription, repoListSubscribers, userCurrentListSubscriptions, userListSubscriptions', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const bob = forge.as('bob')
  assert.equal((await bob.get(`${repo.api}/subscription`)).status, 404)
  const info = (await bob.must('PUT', `${repo.api}/subscription`)).json
  assert.deepEqual([info.subscribed, info.repository_url], [true, `${forge.url}/api/v1${repo.api}`])
  const watchers = (await forge.guest.get(`${repo.api}/subscribers`)).json.map((user: { login: string }) => user.login)
  assert.deepEqual(watchers.toSorted(), ['alice', 'bob'])
  assert.equal((await bob.get('/user/subscriptions')).json.length, 1)
  assert.equal((await bob.get('/users/alice/subscriptions')).json.length, 1)
  assert.equal((await bob.delete(`${repo.api}/subscription`)).status, 204)
  assert.equal((await bob.get(repo.api)).json.watchers_count, 1)
})

test('repoUpdateTopics, repoListTopics, repoAddTopic, repoDeleteTopic: topics are normalized, limited and checked', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const topics = async () => (await alice.get(`${repo.api}/topics`)).json.topics
  assert.equal((await forge.guest.put(`${repo.api}/topics/x`)).status, 401)
  assert.equal((await forge.as('bob').put(`${repo.api}/topics/x`)).status, 403)
  assert.equal((await alice.put(`${repo.api}/topics`, { topics: [' Git ', 'git', '', 'ci'] })).status, 204)
  assert.deepEqual(await topics(), ['git', 'ci'])
  const wrong = await alice.put(`${repo.api}/topics`, { topics: ['ok', 'not ok'] })
  assert.deepEqual([wrong.status, wrong.json.invalidTopics], [422, ['not ok']])
  const many = await alice.put(`${repo.api}/topics`, { topics: Array.from({ length: 26 }, (_, index) => `t${index}`) })
  assert.equal(many.status, 422)
  await Promise.all(['a', 'b', 'c'].map((topic) => alice.must('PUT', `${repo.api}/topics/${topic}`)))
  assert.deepEqual((await topics()).toSorted(), ['a', 'b', 'c', 'ci', 'git'], 'three concurrent additions all succeed')
  assert.equal((await alice.delete(`${repo.api}/topics/a`)).status, 204)
  assert.equal((await alice.delete(`${repo.api}/topics/a`)).status, 404)
})

test('repoGetAssignees, repoGetReviewers: pages cover the list, and a truncated list is marked', async () => {
  const people = ['ann', 'ben', 'cid', 'dan']
  await using forge = await startForge({ users: people })
  const alice = forge.as('alice')
  const repo = await forge.given.repo()
  for (const name of people) await alice.must('PUT', `${repo.api}/collaborators/${name}`, { permission: 'write' })
  for (const list of ['assignees', 'reviewers']) {
    const seen: string[] = []
    let next: string | undefined = `${repo.api}/${list}?limit=2`
    while (next !== undefined) {
      const { json, headers }: Answer = await alice.must('GET', next)
      seen.push(...json.map(({ login }: { login: string }) => login))
      const link: string | undefined = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
      assert.equal(headers.get('x-total-count'), String(seen.length), list)
      assert.equal(headers.get('x-result-bounded'), link === undefined ? null : 'total', list)
      next = link?.replace(`${forge.url}/api/v1`, '')
    }
    assert.deepEqual(seen, ['alice', ...people], list)
    const whole = await alice.must('GET', `${repo.api}/${list}`)
    assert.deepEqual([whole.json.length, whole.headers.get('x-result-bounded')], [5, null], list)
    const beyond = await alice.must('GET', `${repo.api}/${list}?limit=2&page=9`)
    assert.deepEqual([beyond.json, beyond.headers.get('x-total-count')], [[], '5'], list)
  }
})

test('repoGetAssignees, repoGetReviewers: writers can be assigned, readers can be asked for reviews', async () => {
  await using forge = await startForge({ users: ['reader', 'writer', 'stranger'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/collaborators/reader`, { permission: 'read' })
  await alice.must('PUT', `${repo.api}/collaborators/writer`, { permission: 'write' })
  const logins = async (what: string) =>
    (await alice.get(`${repo.api}/${what}`)).json.map((user: { login: string }) => user.login)
  using queries = await countQueries(forge)
  assert.deepEqual(await logins('assignees'), ['alice', 'writer'])
  assert.ok(queries.count <= 6, `${queries.count} queries`)
  assert.deepEqual(await logins('reviewers'), ['alice', 'reader', 'writer'])
})

test('repoListFlags, repoReplaceAllFlags, repoAddFlag, repoCheckFlag, repoDeleteFlag, repoDeleteAllFlags: only administrators, and only while flags are enabled', async () => {
  await using off = await startForge()
  const hidden = await off.given.repo()
  assert.equal((await off.as('root').get(`${hidden.api}/flags`)).status, 404)
  await using forge = await startForge({ settings: { repository: { ENABLE_FLAGS: true } } })
  const repo = await forge.given.repo()
  const root = forge.as('root')
  assert.equal((await forge.as('alice').get(`${repo.api}/flags`)).status, 403)
  await root.must('PUT', `${repo.api}/flags/gold`)
  assert.equal((await root.get(`${repo.api}/flags/gold`)).status, 204)
  assert.equal((await root.get(`${repo.api}/flags/silver`)).status, 404)
  await root.must('PUT', `${repo.api}/flags`, { flags: ['silver', 'bronze'] })
  await root.must('DELETE', `${repo.api}/flags/silver`)
  assert.deepEqual((await root.get(`${repo.api}/flags`)).json, ['bronze'])
  await root.must('DELETE', `${repo.api}/flags`)
  assert.deepEqual((await root.get(`${repo.api}/flags`)).json, [])
})

test('repoCreateKey, repoListKeys, repoGetKey, repoDeleteKey: a key belongs to repositories or to an account, never to both', async () => {
  await using forge = await startForge({ users: ['writer'] })
  const [one, two] = [await forge.given.repo(), await forge.given.repo()]
  const alice = forge.as('alice')
  assert.equal((await forge.as('writer').post(`${one.api}/keys`, { title: 'x', key: publicKey })).status, 403)
  const made = (await alice.must('POST', `${one.api}/keys`, { title: 'deploy', key: publicKey, read_only: true })).json
  assert.match(made.fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/)
  assert.equal((await alice.post(`${one.api}/keys`, { title: 'again', key: publicKey })).status, 422)
  assert.equal((await alice.post(`${two.api}/keys`, { title: 'deploy', key: publicKey })).status, 201)
  assert.equal((await alice.post('/user/keys', { title: 'mine', key: publicKey })).status, 422)
  assert.equal((await alice.get(`${two.api}/keys/${made.id}`)).status, 404)
  assert.equal((await alice.get(`${one.api}/keys`)).json.length, 1)
  await alice.must('DELETE', `${one.api}/keys/${made.id}`)
  await alice.must('DELETE', two.api)
  assert.equal(
    (await alice.post('/user/keys', { title: 'mine', key: publicKey })).status,
    201,
    'nobody has it any more',
  )
})

test('doctor: wrong copies of the access of collaborators and team members are found and fixed', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const { db } = forge.services
  const repo = await forge.given.repo({ private: true })
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/ann`, {})
  const org = await forge.given.org()
  const { json: team } = await forge.as('alice').must('POST', `/orgs/${org}/teams`, {
    name: 'all',
    includes_all_repositories: true,
    units_map: { 'repo.code': 'read' },
  })
  await forge.as('alice').must('PUT', `/teams/${team.id}/members/ann`)
  await forge.as('alice').must('POST', `/orgs/${org}/repos`, { name: 'hidden', private: true })
  const seen = async () =>
    (await forge.as('ann').must('GET', '/repos/search?limit=50')).json.data.map(
      (each: { full_name: string }) => each.full_name,
    )
  const both = [repo.fullName, `${org}/hidden`].toSorted()
  const lines = () => examined(forge.services, { only: ['what-was-given'] })
  assert.deepEqual([(await seen()).toSorted(), await lines()], [both, []])
  await transaction(db, async (tx) => {
    await sql`update collaboration set audience = 0`.execute(tx)
    await sql`update team_user set includes_all_repositories = ${false}, access_mode = 0`.execute(tx)
  })
  assert.deepEqual(await seen(), [])
  const wrong = (await lines()).map((line) =>
    /^what-was-given: (\w+): (\d+) rows of .*\(fixable\)$/.exec(line)?.slice(1),
  )
  assert.deepEqual(wrong, [
    ['team_user', '2'],
    ['collaboration', '1'],
  ])
  await examined(forge.services, { fix: true, only: ['what-was-given'] })
  assert.deepEqual([(await seen()).toSorted(), await lines()], [both, []])
})
