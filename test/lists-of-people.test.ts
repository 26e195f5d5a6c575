import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NamedOperation } from '../src/http/operation.ts'
import type { ForgeClient } from '../src/testing/client.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { addressOf, everythingOn } from './authorization-world.ts'

/**
 * A private account is in no list of people for a caller who may not see it (contract R4). The lists come from the declared
 * operations. Each list contains the account, which the administrator sees.
 */

interface SchemaOfList {
  readonly items?: { readonly title?: string }
}

const listsOfPeople = (forge: Forge): NamedOperation[] =>
  forge.services.operations().filter(({ method, reply, base }) => {
    const shape = reply[200] as unknown as SchemaOfList | undefined
    return method === 'GET' && base === 'api' && shape?.items?.title === 'User'
  })

/** Lists that only collaborators of the listed accounts may read, each with the reason. */
const ofInsiders = new Map([
  ['orgListTeamMembers', 'members of the team and owners of its organization ask'],
  ['adminSearchUsers', 'administrators ask'],
  ['adminListUsersInQuotaGroup', 'administrators ask'],
])

const values = { username: 'alice', reponame: 'home', org: 'club', index: '1', quotagroup: 'all' }

/** Puts the private account `hermit` into every list of people of `values`. */
async function makeWorld(forge: Forge): Promise<{ teamid: string }> {
  const [alice, hermit, root] = [forge.as('alice'), forge.as('hermit'), forge.as('root')]
  const { api } = await forge.given.repo({ owner: 'alice', name: values.reponame })
  await alice.must('POST', `${api}/issues`, { title: 'one' })
  await hermit.must('PUT', `${api}/issues/1/subscriptions/hermit`)
  await alice.must('PUT', `${api}/collaborators/hermit`, { permission: 'write' })
  await hermit.must('PUT', '/user/starred/alice/home')
  await hermit.must('PUT', `${api}/subscription`)
  for (const [one, other] of [
    ['alice', 'hermit'],
    ['hermit', 'alice'],
    ['root', 'hermit'],
    ['hermit', 'root'],
  ] as const) {
    await forge.as(one).must('PUT', `/user/following/${other}`)
  }
  await forge.given.org({ owner: 'alice', name: values.org })
  const team = await alice.must('POST', '/orgs/club/teams', { name: 'crew', permission: 'read', units: ['repo.code'] })
  await alice.must('PUT', `/teams/${team.json.id}/members/hermit`)
  await hermit.must('PUT', '/orgs/club/public_members/hermit')
  await root.must('POST', '/admin/quota/groups', { name: 'all' })
  await root.must('PUT', '/admin/quota/groups/all/users/hermit')
  await root.must('PATCH', '/admin/users/hermit', { login_name: 'hermit', source_id: 0, visibility: 'private' })
  return { teamid: String(team.json.id) }
}

/** The logins on all pages of a list and its total; undefined when the caller is refused. */
async function loginsOf(client: ForgeClient, path: string): Promise<string[] | undefined> {
  const answer = await client.get(path)
  if (answer.status >= 400) return undefined
  const total = answer.headers.get('x-total-count')
  if (total !== null) assert.equal(answer.json.length, Number(total), path)
  return answer.json.map(({ login }: { login: string }) => login)
}

test('a private account is in no list of people for a caller who may not see it', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'hermit', 'bob'] })
  const given = { ...values, ...(await makeWorld(forge)) }
  const outsiders: [string, ForgeClient][] = [
    ['a guest', forge.guest],
    ['bob', forge.as('bob')],
  ]
  const wrong: string[] = []
  const lists = listsOfPeople(forge)
  for (const operation of lists) {
    const path = addressOf(operation, given)
    const seen = await loginsOf(forge.as('root'), path)
    if (!seen?.includes('hermit')) wrong.push(`${operation.id} does not show the account to the administrator`)
    for (const [name, client] of outsiders) {
      const logins = await loginsOf(client, path)
      if (logins?.includes('hermit')) wrong.push(`${operation.id} shows the account to ${name}`)
      const insiders = ofInsiders.get(operation.id)
      if (logins && insiders !== undefined) wrong.push(`${operation.id} answers ${name}, but ${insiders}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(lists.length >= 14, `${lists.length} lists`)
})

test('a private account is in the lists of people who work with it, and sees itself', async () => {
  await using forge = await startForge({ settings: everythingOn, users: ['alice', 'hermit'] })
  const { teamid } = await makeWorld(forge)
  const lists = [
    '/repos/alice/home/collaborators',
    '/repos/alice/home/assignees',
    '/repos/alice/home/reviewers',
    '/orgs/club/members',
    '/orgs/club/public_members',
    `/teams/${teamid}/members`,
    '/user/followers',
    '/user/following',
  ]
  for (const path of lists) assert.ok((await loginsOf(forge.as('alice'), path))?.includes('hermit'), path)
  const own = [
    '/repos/alice/home/stargazers',
    '/repos/alice/home/subscribers',
    '/repos/alice/home/issues/1/subscriptions',
  ]
  for (const path of own) {
    assert.ok((await loginsOf(forge.as('hermit'), path))?.includes('hermit'), path)
    assert.ok(!(await loginsOf(forge.as('alice'), path))?.includes('hermit'), path)
  }
})

test('repoSearch, issueSearchIssues: a filter reveals no hidden membership, account or team', async () => {
  await using forge = await startForge({ users: ['alice', 'carol', 'bob', 'hermit'] })
  const [alice, carol, hermit] = [forge.as('alice'), forge.as('carol'), forge.as('hermit')]
  await forge.given.org({ owner: 'alice', name: 'club' })
  await alice.must('POST', '/orgs/club/repos', { name: 'tools', auto_init: true })
  const home = await forge.given.repo({ owner: 'alice', name: 'home' })
  await forge.given.repo({ owner: 'carol', name: 'own' })
  const crew = { name: 'crew', permission: 'read', units: ['repo.code', 'repo.issues'] }
  const { id: teamId } = (await alice.must('POST', '/orgs/club/teams', crew)).json
  await alice.must('PUT', `/teams/${teamId}/repos/club/tools`)
  await alice.must('PUT', `${home.api}/collaborators/hermit`)
  await hermit.must('PUT', '/user/starred/alice/home')
  for (const member of ['carol', 'hermit']) await alice.must('PUT', `/teams/${teamId}/members/${member}`)
  const hidden = { login_name: 'hermit', source_id: 0, visibility: 'private' }
  await forge.as('root').must('PATCH', '/admin/users/hermit', hidden)
  const [carolId, hermitId] = [(await forge.account('carol')).user.id, (await forge.account('hermit')).user.id]
  const find = async (client: ForgeClient, query: string): Promise<string[]> =>
    (await client.must('GET', `/repos/search?${query}`)).json.data.map((repo: { full_name: string }) => repo.full_name)
  const outsiders = [forge.guest, forge.as('bob')]
  for (const client of outsiders) {
    assert.deepEqual(await find(client, `uid=${carolId}`), ['carol/own'], 'the membership is hidden')
    assert.deepEqual(await find(client, `uid=${hermitId}`), [], 'the account is hidden')
    assert.deepEqual(await find(client, `starredBy=${hermitId}`), [])
    assert.deepEqual(await find(client, `team_id=${teamId}`), await find(client, 'team_id=99999'))
    const byTeam = async (team: string) => {
      const { status, json } = await client.get(`/repos/issues/search?owner=club&team=${team}`)
      return [status, json.code]
    }
    assert.deepEqual(await byTeam('crew'), await byTeam('nought'))
  }
  for (const insider of [alice, carol, forge.as('root')]) {
    assert.deepEqual((await find(insider, `uid=${carolId}`)).toSorted(), ['carol/own', 'club/tools'])
    assert.deepEqual(await find(insider, `team_id=${teamId}`), ['club/tools'])
    assert.equal((await insider.get('/repos/issues/search?owner=club&team=crew')).status, 200)
  }
  assert.deepEqual(await find(hermit, `starredBy=${hermitId}`), ['alice/home'])
  await carol.must('PUT', '/orgs/club/public_members/carol')
  await alice.must('PUT', `${home.api}/collaborators/carol`)
  assert.deepEqual((await find(forge.guest, `uid=${carolId}`)).toSorted(), ['carol/own', 'club/tools'])
  const known = await find(forge.as('bob'), `uid=${carolId}`)
  assert.deepEqual(known.toSorted(), ['alice/home', 'carol/own', 'club/tools'], 'readers see collaborators')
})
