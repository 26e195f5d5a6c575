import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../db/database.ts'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'

test('orgCreateTeam: units and permission follow the request; invalid requests are refused', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const org = await forge.given.org()
  const post = async (body: object, who = 'alice') => forge.as(who).post(`/orgs/${org}/teams`, body)
  const made = async (body: object) => {
    const { json } = await post(body)
    return [json.permission, json.units_map]
  }
  assert.deepEqual(await made({ name: 'a', permission: 'read', units: ['repo.code', 'repo.kitchen'] }), [
    'read',
    { 'repo.code': 'read' },
  ])
  assert.deepEqual(
    await made({ name: 'b', units_map: { 'repo.code': 'write', 'repo.pulls': 'none', 'repo.issues': 'admin' } }),
    ['write', { 'repo.code': 'write', 'repo.issues': 'admin', 'repo.pulls': 'none' }],
  )
  assert.equal((await made({ name: 'c', permission: 'admin' }))[1]['repo.wiki'], 'admin')
  assert.deepEqual((await made({ name: 'd', permission: 'owner', units: ['repo.code'] }))[0], 'none')
  for (const body of [{ name: 'A', permission: 'read', units: ['repo.code'] }, { name: 'x', permission: 'read' }, {}]) {
    assert.equal((await post(body)).status, 422)
  }
  assert.equal((await post({ name: 'y', permission: 'read', units: ['repo.code'] }, 'bob')).status, 403)
})

test('orgGetTeam, orgEditTeam, orgDeleteTeam: outsiders get 404, other members 403 (contract A6)', async () => {
  await using forge = await startForge({ users: ['mate', 'other', 'stranger'] })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  const team = async (name: string, member: string) => {
    const { json } = await alice.must('POST', `/orgs/${org}/teams`, { name, permission: 'read', units: ['repo.code'] })
    await alice.must('PUT', `/teams/${json.id}/members/${member}`)
    return json.id as number
  }
  const [crew] = [await team('crew', 'mate'), await team('rest', 'other')]
  const read = async (who: string) => (await forge.as(who).get(`/teams/${crew}`)).status
  const edit = async (who: string) => (await forge.as(who).patch(`/teams/${crew}`, { description: 'x' })).status
  assert.deepEqual(
    [await read('stranger'), await read('other'), await read('mate'), await read('alice')],
    [404, 403, 200, 200],
  )
  assert.deepEqual(
    [await edit('stranger'), await edit('other'), await edit('mate'), await edit('root')],
    [404, 403, 404, 200],
  )
  assert.equal((await forge.guest.get(`/teams/${crew}`)).status, 401)
  assert.equal((await forge.guest.get('/teams/999999')).status, 404)
  assert.equal((await alice.delete(`/teams/${crew}`)).status, 204)
  assert.equal(
    (await alice.get(`/orgs/${org}/members/mate`)).status,
    404,
    'a member without a team leaves the organization',
  )
})

test('orgEditTeam: the owners’ team keeps its rights; a team that loses admin loses all admin units', async () => {
  await using forge = await startForge({ users: ['mate'] })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  const [owners] = (await alice.get(`/orgs/${org}/teams`)).json
  const kept = (
    await alice.patch(`/teams/${owners.id}`, { permission: 'read', units: ['repo.code'], description: 'x' })
  ).json
  assert.deepEqual([kept.permission, kept.description, kept.units_map['repo.code']], ['owner', 'x', 'owner'])
  const team = (await alice.must('POST', `/orgs/${org}/teams`, { name: 'boss', permission: 'admin' })).json
  const lowered = (await alice.patch(`/teams/${team.id}`, { permission: 'read' })).json
  assert.deepEqual([lowered.permission, lowered.units_map['repo.code']], ['read', 'read'])
  assert.equal((await alice.patch(`/teams/${team.id}`, { name: 'OWNERS' })).status, 422)
  assert.equal((await alice.delete(`/teams/${owners.id}`)).status, 422)
})

test('orgAddTeamMember, orgListTeamMembers, orgListTeamMember, orgRemoveTeamMember, userListTeams: an account that leaves its last team leaves the organization', async () => {
  await using forge = await startForge({ users: ['mate'] })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  const team = (
    await alice.must('POST', `/orgs/${org}/teams`, { name: 'crew', permission: 'read', units: ['repo.code'] })
  ).json
  assert.equal((await alice.put(`/teams/${team.id}/members/nobody`)).status, 404)
  assert.equal((await alice.put(`/teams/${team.id}/members/${org}`)).status, 422)
  await Promise.all([1, 2, 3].map(() => alice.must('PUT', `/teams/${team.id}/members/mate`)))
  assert.equal((await alice.get(`/teams/${team.id}/members`)).json.length, 1)
  assert.equal((await alice.get(`/teams/${team.id}/members/mate`)).status, 200)
  assert.equal((await forge.as('mate').get('/user/teams')).json[0].organization.name, org)
  assert.equal((await alice.get(`/orgs/${org}/members/mate`)).status, 204)
  await alice.must('DELETE', `/teams/${team.id}/members/mate`)
  assert.equal((await alice.get(`/teams/${team.id}/members/mate`)).status, 404)
  assert.equal((await alice.get(`/orgs/${org}/members/mate`)).status, 404)
})

test('orgListTeams, teamSearch: a member lists all teams, and searches own teams by name or description', async () => {
  await using forge = await startForge({ users: ['mate'] })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  for (const [name, description] of [
    ['alpha', ''],
    ['beta', 'alphabet'],
    ['gamma', ''],
  ]) {
    const team = { name, description, permission: 'read', units: ['repo.code'] }
    const { json } = await alice.must('POST', `/orgs/${org}/teams`, team)
    await alice.must('PUT', `/teams/${json.id}/members/mate`)
  }
  const names = async (who: string, query: string) =>
    (await forge.as(who).get(`/orgs/${org}/teams/search?${query}`)).json.data.map((team: { name: string }) => team.name)
  assert.deepEqual(await names('mate', 'q=ALPHA'), ['alpha', 'beta'])
  assert.deepEqual(await names('mate', 'q=alpha&include_desc=false'), ['alpha'])
  assert.deepEqual(await names('alice', ''), ['Owners'])
  assert.equal((await forge.as('mate').get(`/orgs/${org}/teams`)).headers.get('x-total-count'), '4')
})

test('orgAddTeamRepository, orgListTeamRepos, orgListTeamRepo, orgRemoveTeamRepository, repoAddTeam, repoListTeams, repoCheckTeam, repoDeleteTeam', async () => {
  await using forge = await startForge({ users: ['mate'] })
  const org = await forge.given.org()
  const alice = forge.as('alice')
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'vault', private: true })
  const team = (
    await alice.must('POST', `/orgs/${org}/teams`, { name: 'crew', permission: 'write', units: ['repo.code'] })
  ).json
  await alice.must('PUT', `/teams/${team.id}/members/mate`)
  const sees = async () => (await forge.as('mate').get(`/repos/${org}/vault`)).status
  assert.equal(await sees(), 404)
  assert.equal((await forge.as('mate').put(`/teams/${team.id}/repos/${org}/vault`)).status, 403)
  await alice.must('PUT', `/teams/${team.id}/repos/${org}/vault`)
  assert.equal(await sees(), 200)
  assert.equal((await alice.get(`/teams/${team.id}/repos`)).json[0].name, 'vault')
  assert.equal((await alice.get(`/teams/${team.id}/repos/${org}/vault`)).status, 200)
  assert.equal((await alice.put(`/repos/${org}/vault/teams/CREW`)).status, 422, 'the team holds the repository')
  await alice.must('DELETE', `/teams/${team.id}/repos/${org}/vault`)
  assert.equal(await sees(), 404)
  await alice.must('PUT', `/repos/${org}/vault/teams/crew`)
  assert.deepEqual(
    (await alice.get(`/repos/${org}/vault/teams`)).json.map((each: { name: string }) => each.name),
    ['Owners', 'crew'],
  )
  assert.equal((await alice.get(`/repos/${org}/vault/teams/crew`)).status, 200)
  await alice.must('DELETE', `/repos/${org}/vault/teams/crew`)
  assert.equal((await alice.delete(`/repos/${org}/vault/teams/crew`)).status, 422)
  const own = await forge.given.repo()
  assert.equal((await alice.get(`${own.api}/teams`)).status, 405)
})

test('orgEditTeam: a team of all repositories gets new ones, and keeps them when the option is switched off', async () => {
  await using forge = await startForge()
  const org = await forge.given.org()
  const alice = forge.as('alice')
  const body = { name: 'all', permission: 'read', units: ['repo.code'], includes_all_repositories: true }
  const team = (await alice.must('POST', `/orgs/${org}/teams`, body)).json
  const count = async () => (await alice.get(`/teams/${team.id}/repos`)).headers.get('x-total-count')
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'one' })
  assert.equal(await count(), '1')
  await alice.must('PATCH', `/teams/${team.id}`, { permission: 'read', includes_all_repositories: false })
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'two' })
  assert.equal(await count(), '1')
})

test('orgEditTeam: the combined access of a person’s teams follows each change, and the doctor finds a wrong copy', async () => {
  await using forge = await startForge({ users: ['mate'] })
  const { db } = forge.services
  const org = await forge.given.org()
  const alice = forge.as('alice')
  await alice.must('POST', `/orgs/${org}/repos`, { name: 'shared', private: true })
  const api = `/repos/${org}/shared`
  const team = async (name: string, units_map: object) => {
    const { json } = await alice.must('POST', `/orgs/${org}/teams`, {
      name,
      units_map,
      includes_all_repositories: true,
    })
    await alice.must('PUT', `/teams/${json.id}/members/mate`)
    return json.id as number
  }
  /** Returns whether the account reads and writes code, and reads and writes issues. */
  const may = async () => {
    const { status, json } = await forge.as('mate').get(api)
    const list = await forge.as('mate').get('/user/repos')
    assert.equal(list.json.length, status === 200 ? 1 : 0)
    assert.deepEqual(list.json[0]?.permissions, json.permissions)
    const issue = await forge.as('mate').post(`${api}/issues`, { title: 'said' })
    return [status, json.permissions?.push, issue.status]
  }
  const coders = await team('coders', { 'repo.code': 'write' })
  const talkers = await team('talkers', { 'repo.issues': 'read' })
  assert.deepEqual(await may(), [200, true, 201])
  await alice.must('PATCH', `/teams/${coders}`, { units_map: { 'repo.code': 'read' } })
  assert.deepEqual(await may(), [200, false, 201])
  await alice.must('PATCH', `/teams/${talkers}`, { units_map: { 'repo.wiki': 'read' } })
  assert.deepEqual(await may(), [200, false, 404])
  await transaction(db, async (tx) => {
    await sql`update team_unit set unit = 'ext_wiki', access_mode = 3 where unit = 'wiki' and team_id = ${talkers}`.execute(
      tx,
    )
    await sql`update team_unit set team_id = ${coders} where team_id = ${talkers}`.execute(tx)
  })
  const lines = () => examined(forge.services, { only: ['counters'] })
  assert.deepEqual(await lines(), [])
  await transaction(db, (tx) => sql`update team set unit_modes = 8 where id = ${coders}`.execute(tx))
  assert.deepEqual(await may(), [200, false, 201])
  assert.match((await lines()).join(), /^counters: team \d+: unit_modes is 8 and should be 402653185 \(fixable\)$/)
  await examined(forge.services, { fix: true, only: ['counters'] })
  assert.deepEqual([await lines(), await may()], [[], [200, false, 404]])
})
