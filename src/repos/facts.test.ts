import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsNamed, idOf } from '../testing/events.ts'
import { startForge } from '../testing/forge.ts'
import { onePixel } from '../testing/samples.ts'

test('userCurrentPutStar, userCurrentDeleteStar, userCurrentPutSubscription, userCurrentDeleteSubscription: each change publishes one event', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const repo = await forge.given.repo()
  const repoId = (await forge.guest.get(repo.api)).json.id
  const userId = await idOf(forge, 'ann')
  const ann = forge.as('ann')
  const fact = { repoId, userId, doerId: userId }
  await ann.must('DELETE', `/user/starred/${repo.fullName}`)
  assert.deepEqual(await eventsNamed(forge, 'repo.unstarred'), [], 'without a star nothing is removed')
  for (let time = 0; time < 2; time++) await ann.must('PUT', `/user/starred/${repo.fullName}`)
  for (let time = 0; time < 2; time++) await ann.must('PUT', `${repo.api}/subscription`)
  assert.deepEqual(await eventsNamed(forge, 'repo.starred'), [fact])
  assert.deepEqual(await eventsNamed(forge, 'repo.watched'), [fact])
  for (let time = 0; time < 2; time++) await ann.must('DELETE', `/user/starred/${repo.fullName}`)
  for (let time = 0; time < 2; time++) await ann.must('DELETE', `${repo.api}/subscription`)
  assert.deepEqual(await eventsNamed(forge, 'repo.unstarred'), [fact])
  assert.deepEqual(await eventsNamed(forge, 'repo.unwatched'), [fact])
})

test('repoEdit: an event has the former values of the changed members; an edit without a change publishes none', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ description: 'first' })
  const alice = forge.as('alice')
  const { id: repoId, ...shown } = (await alice.get(repo.api)).json
  const doerId = await idOf(forge, 'alice')
  await alice.must('PATCH', repo.api, {
    description: 'first',
    private: false,
    has_issues: true,
    has_wiki: shown.has_wiki,
    default_merge_style: shown.default_merge_style,
    name: repo.name,
  })
  assert.deepEqual(await eventsNamed(forge, 'repo.updated'), [])
  assert.deepEqual(await eventsNamed(forge, 'repo.visibilityChanged'), [])
  await alice.must('PATCH', repo.api, { description: 'second', website: 'https://example.com', template: true })
  await alice.must('PATCH', repo.api, { default_merge_style: 'squash', has_projects: !shown.has_projects })
  await alice.must('PATCH', repo.api, { archived: true })
  await alice.must('PATCH', repo.api, { archived: false })
  const [profile, units, ...archived] = await eventsNamed(forge, 'repo.updated')
  const old = { repoId, doerId }
  assert.deepEqual(profile, { ...old, oldDescription: 'first', oldWebsite: '', oldIsTemplate: false })
  const changed = units?.['oldUnits'] as { unit: string; wasOn: boolean; config?: Record<string, unknown> }[]
  const ofUnit = new Map(changed.map((each) => [each.unit, each]))
  assert.deepEqual([...ofUnit.keys()].sort(), ['projects', 'pulls'])
  assert.deepEqual([ofUnit.get('pulls')?.wasOn, ofUnit.get('projects')?.wasOn], [true, shown.has_projects])
  assert.equal(ofUnit.get('pulls')?.config?.['default_merge_style'], 'merge')
  assert.deepEqual(archived, [
    { ...old, oldIsArchived: false },
    { ...old, oldIsArchived: true },
  ])
})

test('repoEdit: a change of visibility publishes one event each for the repository and its forks', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const base = (await forge.guest.get(repo.api)).json.id
  const fork = (await forge.as('bob').must('POST', `${repo.api}/forks`, {})).json.id
  const doerId = await idOf(forge, 'alice')
  for (let time = 0; time < 2; time++) await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.deepEqual(await eventsNamed(forge, 'repo.visibilityChanged'), [
    { repoId: base, doerId, isPrivate: true },
    { repoId: fork, doerId, isPrivate: true },
  ])
  assert.deepEqual(await eventsNamed(forge, 'repo.updated'), [])
})

test('repoEdit: of two concurrent edits each event has the values that its edit replaced', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ description: '0' })
  const texts = ['1', '2', '3', '4', '5']
  const alice = forge.as('alice')
  await Promise.all(texts.map((description) => alice.must('PATCH', repo.api, { description })))
  const last = (await alice.get(repo.api)).json.description
  const met = (await eventsNamed(forge, 'repo.updated')).map((data) => data['oldDescription'])
  assert.deepEqual([...met.map(String), String(last)].sort(), ['0', ...texts])
})

test('repoUpdateTopics, repoAddTopic, repoUpdateAvatar, repoDeleteAvatar: events have the former topics and avatars', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const about = { repoId: (await alice.get(repo.api)).json.id, doerId: await idOf(forge, 'alice') }
  await alice.must('PUT', `${repo.api}/topics`, { topics: ['one'] })
  await alice.must('PUT', `${repo.api}/topics`, { topics: ['one'] })
  await alice.must('PUT', `${repo.api}/topics/one`)
  await alice.must('PUT', `${repo.api}/topics/two`)
  await alice.must('DELETE', `${repo.api}/avatar`)
  assert.deepEqual(await eventsNamed(forge, 'repo.updated'), [
    { ...about, oldTopics: [] },
    { ...about, oldTopics: ['one'] },
  ])
  await alice.must('POST', `${repo.api}/avatar`, { image: onePixel })
  await alice.must('DELETE', `${repo.api}/avatar`)
  const [, , set, removed] = await eventsNamed(forge, 'repo.updated')
  assert.deepEqual(set, { ...about, oldAvatarKey: '' })
  assert.match(String(removed?.['oldAvatarKey']), /^[0-9a-f]{2}\/[0-9a-f]{64}$/)
})

test('repoAddCollaborator, repoDeleteCollaborator: each change of a collaborator publishes an event', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const about = {
    repoId: (await alice.get(repo.api)).json.id,
    userId: await idOf(forge, 'ann'),
    doerId: await idOf(forge, 'alice'),
  }
  const path = `${repo.api}/collaborators/ann`
  await alice.must('DELETE', path)
  for (const permission of ['read', 'read', 'admin', 'write']) await alice.must('PUT', path, { permission })
  for (let time = 0; time < 2; time++) await alice.must('DELETE', path)
  assert.deepEqual(await eventsNamed(forge, 'collaborator.added'), [{ ...about, mode: 1 }])
  assert.deepEqual(await eventsNamed(forge, 'collaborator.changed'), [
    { ...about, mode: 3, oldMode: 1 },
    { ...about, mode: 2, oldMode: 3 },
  ])
  assert.deepEqual(await eventsNamed(forge, 'collaborator.removed'), [{ ...about, oldMode: 2 }])
})

test('repoTransfer: the recipient of an offer becomes a collaborator, and stops being one as the owner', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const repo = await forge.given.repo({ private: true })
  const repoId = (await forge.as('alice').get(repo.api)).json.id
  const [alice, ann] = [await idOf(forge, 'alice'), await idOf(forge, 'ann')]
  await forge.as('alice').must('POST', `${repo.api}/transfer`, { new_owner: 'ann' })
  assert.deepEqual(await eventsNamed(forge, 'collaborator.added'), [{ repoId, userId: ann, doerId: alice, mode: 1 }])
  await forge.as('ann').must('POST', `${repo.api}/transfer/accept`)
  assert.deepEqual(await eventsNamed(forge, 'collaborator.removed'), [{ repoId, userId: ann, doerId: ann, oldMode: 1 }])
})

test('orgAddTeamRepository, orgRemoveTeamRepository, repoAddTeam, repoTransfer: each repository that a team gains or loses publishes an event', async () => {
  await using forge = await startForge({ users: ['ann'] })
  const alice = forge.as('alice')
  const org = await forge.given.org()
  const orgId = (await alice.get(`/orgs/${org}`)).json.id
  const repo = (await alice.must('POST', `/orgs/${org}/repos`, { name: 'shared' })).json
  const team = (await alice.must('POST', `/orgs/${org}/teams`, { name: 'readers', units: ['repo.code'] })).json
  const fact = { teamId: team.id, orgId, doerId: await idOf(forge, 'alice'), repoId: repo.id }
  const path = `/teams/${team.id}/repos/${org}/shared`
  for (const method of ['DELETE', 'PUT', 'PUT', 'DELETE', 'DELETE'] as const) await alice.must(method, path)
  assert.deepEqual(await eventsNamed(forge, 'team.repoAdded'), [fact])
  assert.deepEqual(await eventsNamed(forge, 'team.repoRemoved'), [fact])
  await alice.must('PUT', `/repos/${org}/shared/teams/readers`)
  assert.equal((await eventsNamed(forge, 'team.repoAdded')).length, 2)
  await alice.must('POST', `/repos/${org}/shared/transfer`, { new_owner: 'alice' })
  assert.deepEqual(await eventsNamed(forge, 'team.repoRemoved'), [fact, fact])
  await alice.must('POST', '/repos/alice/shared/transfer', { new_owner: org, team_ids: [team.id] })
  assert.deepEqual(await eventsNamed(forge, 'team.repoAdded'), [fact, fact, fact])
})
