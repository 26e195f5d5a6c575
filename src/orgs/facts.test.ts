import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsNamed, idOf } from '../testing/events.ts'
import { startForge } from '../testing/forge.ts'

test('orgEdit, orgDeleteAvatar: an event has the former values; an edit without a change publishes none', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const org = await forge.given.org({ description: 'first' })
  const about = { orgId: (await alice.get(`/orgs/${org}`)).json.id, doerId: await idOf(forge, 'alice') }
  await alice.must('PATCH', `/orgs/${org}`, { description: 'first' })
  await alice.must('DELETE', `/orgs/${org}/avatar`)
  assert.deepEqual(await eventsNamed(forge, 'org.edited'), [])
  await alice.must('PATCH', `/orgs/${org}`, { description: 'second', visibility: 'private' })
  assert.deepEqual(await eventsNamed(forge, 'org.edited'), [
    { ...about, oldDescription: 'first', oldVisibility: 'public' },
  ])
})

test('orgCreateTeam, orgEditTeam, orgDeleteTeam: each change of a team publishes an event with the former values', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  const org = await forge.given.org()
  const orgId = (await alice.get(`/orgs/${org}`)).json.id
  const input = { name: 'readers', description: 'who read', permission: 'read', units: ['repo.code', 'repo.issues'] }
  const team = (await alice.must('POST', `/orgs/${org}/teams`, input)).json
  const about = { teamId: team.id, orgId, doerId: await idOf(forge, 'alice') }
  assert.deepEqual(await eventsNamed(forge, 'team.created'), [about])
  await alice.must('PATCH', `/teams/${team.id}`, input)
  assert.deepEqual(await eventsNamed(forge, 'team.edited'), [])
  await alice.must('PATCH', `/teams/${team.id}`, { ...input, name: 'writers', permission: 'write' })
  assert.deepEqual(await eventsNamed(forge, 'team.edited'), [
    { ...about, oldName: 'readers', oldMode: 1, oldUnits: { code: 1, issues: 1 } },
  ])
  await alice.must('DELETE', `/teams/${team.id}`)
  assert.deepEqual(await eventsNamed(forge, 'team.deleted'), [
    {
      ...about,
      name: 'writers',
      description: 'who read',
      mode: 2,
      includesAllRepositories: false,
      canCreateOrgRepo: false,
      units: { code: 2, issues: 2 },
    },
  ])
})

test('orgAddTeamMember, orgRemoveTeamMember, orgDeleteMember: each change of a membership publishes an event', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const alice = forge.as('alice')
  const org = await forge.given.org()
  const orgId = (await alice.get(`/orgs/${org}`)).json.id
  const teams: number[] = []
  for (const name of ['one', 'two']) {
    teams.push((await alice.must('POST', `/orgs/${org}/teams`, { name, units: ['repo.code'] })).json.id)
  }
  const userId = await idOf(forge, 'bob')
  const factOf = (teamId: number | undefined) => ({ teamId, orgId, userId })
  const doerId = await idOf(forge, 'alice')
  await alice.must('DELETE', `/orgs/${org}/members/bob`)
  const path = `/teams/${teams[0]}/members/bob`
  for (const method of ['DELETE', 'PUT', 'PUT', 'DELETE', 'DELETE'] as const) await alice.must(method, path)
  const removed = { ...factOf(teams[0]), doerId }
  assert.deepEqual(await eventsNamed(forge, 'team.memberAdded'), [{ ...factOf(teams[0]), watches: true, doerId }])
  assert.deepEqual(await eventsNamed(forge, 'team.memberRemoved'), [removed])
  assert.equal((await eventsNamed(forge, 'access.reduced')).length, 1, 'removing a non-member reduces no access')
  for (const id of teams) await alice.must('PUT', `/teams/${id}/members/bob`)
  for (let time = 0; time < 2; time++) await alice.must('DELETE', `/orgs/${org}/members/bob`)
  const all = (await eventsNamed(forge, 'team.memberRemoved')).toSorted(
    (one, other) => Number(one['teamId']) - Number(other['teamId']),
  )
  assert.deepEqual(all, [removed, removed, { ...factOf(teams[1]), doerId }])
})
