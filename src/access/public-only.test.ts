import assert from 'node:assert/strict'
import test from 'node:test'
import { startForge, type Forge } from '../testing/forge.ts'
import type { ForgeClient } from '../testing/client.ts'
import { createToken } from '../users/credentials/token.service.ts'

/** A client with a token of everything, for public things alone. */
async function publicOnly(forge: Forge, name: string): Promise<ForgeClient> {
  const { user } = await forge.account(name)
  const { token } = await createToken(forge.services, user, { name: 'public', scopes: ['public-only', 'all'] })
  return forge.as(name, { token })
}

/** What is private has this in its name, wherever a name is shown. */
const marker = 'hush'

/** Public and private things of `alice`, tied to each other in every way that shows one beside the other. */
async function makeWorld(forge: Forge) {
  const alice = forge.as('alice')
  const open = await forge.given.repo({ name: 'open' })
  const secret = await forge.given.repo({ name: `${marker}-repo`, private: true })
  const issue = await forge.given.issue({ repo: open, title: 'in the open' })
  const hidden = await forge.given.issue({ repo: secret, title: `${marker} issue`, body: `about ${open.fullName}#1` })
  const other = { owner: 'alice', repo: secret.name, index: hidden.number }
  await alice.must('POST', `${issue.api}/dependencies`, other)
  await alice.must('POST', `${hidden.api}/times`, { time: 60 })
  await alice.must('POST', `${hidden.api}/stopwatch/start`)
  await alice.must('PUT', `/user/starred/${secret.fullName}`)
  await alice.must('PUT', `${secret.api}/subscription`)
  await alice.must('POST', '/repos/alice/open/forks', { name: 'open-fork' })
  await forge.given.org({ name: `${marker}-org`, visibility: 'private' })
  await alice.must('POST', `/orgs/${marker}-org/repos`, { name: `${marker}-inside`, private: true })
  await forge.given.org({ name: `${marker}-limited`, visibility: 'limited' })
  await forge.given.org({ name: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: `${marker}-guild-repo`, private: true })
  const team = await alice.must('POST', '/orgs/guild/teams', { name: 'crew', units_map: { 'repo.code': 'read' } })
  await alice.must('PUT', `/teams/${team.json.id}/repos/guild/${marker}-guild-repo`)
  await alice.must('PUT', `/teams/${team.json.id}/members/alice`)
  await forge.addUser(`${marker}-person`, { visibility: 'private' })
  return { open, secret, issue, hidden, teamId: String(team.json.id) }
}

test('repoGet, issueGetIssue, repoGetByID: a token for public things is 403 at private ones that its account may see, and 404 at others', async () => {
  await using forge = await startForge()
  const { secret, hidden } = await makeWorld(forge)
  const strange = await forge.given.repo({ owner: 'bob', private: true })
  const token = await publicOnly(forge, 'alice')
  const { id } = (await forge.as('alice').must('GET', secret.api)).json
  for (const path of [secret.api, hidden.api, `${secret.api}/branches`, `/repositories/${id}`]) {
    const reply = await token.get(path)
    assert.deepEqual([reply.status, reply.json.message], [403, 'token scope is limited to public repos'], path)
  }
  assert.equal((await token.get(strange.api)).status, 404)
})

test('userCurrentTrackedTimes, userGetStopWatches, issueGetCommentsAndTimeline: a token for public things sees no private titles', async () => {
  await using forge = await startForge()
  const { issue } = await makeWorld(forge)
  const alice = forge.as('alice')
  const token = await publicOnly(forge, 'alice')
  for (const path of ['/user/times', '/user/stopwatches', `${issue.api}/timeline`]) {
    assert.match((await alice.must('GET', path)).text, /hush issue/, path)
    assert.doesNotMatch((await token.must('GET', path)).text, /hush/, path)
  }
  assert.equal((await token.must('GET', '/user/times')).headers.get('x-total-count'), '0')
})

test('userCurrentTrackedTimes, userGetStopWatches, issueGetCommentsAndTimeline: who may no longer read an issue is not told its title', async () => {
  await using forge = await startForge()
  const { secret, hidden, issue } = await makeWorld(forge)
  await forge.account('bob')
  await forge.as('alice').must('PUT', `${secret.api}/collaborators/bob`, { permission: 'write' })
  const bob = forge.as('bob')
  await bob.must('POST', `${hidden.api}/times`, { time: 60 })
  await bob.must('POST', `${hidden.api}/stopwatch/start`)
  const paths = ['/user/times', '/user/stopwatches', `${issue.api}/timeline`]
  for (const path of paths) assert.match((await bob.must('GET', path)).text, /hush issue/, path)
  await forge.as('alice').must('DELETE', `${secret.api}/collaborators/bob`)
  for (const path of paths) assert.doesNotMatch((await bob.must('GET', path)).text, /hush/, path)
})

test('issueSearchIssues: who reads the code of a private repository by a team is not told of its issues', async () => {
  await using forge = await startForge()
  const { teamId } = await makeWorld(forge)
  const inGuild = { owner: 'guild', name: `${marker}-guild-repo` }
  await forge.as('alice').must('POST', `/repos/guild/${inGuild.name}/issues`, { title: `${marker} plan` })
  await forge.account('bob')
  await forge.as('alice').must('PUT', `/teams/${teamId}/members/bob`)
  assert.equal((await forge.as('bob').get(`/repos/guild/${inGuild.name}/branches`)).status, 200)
  assert.doesNotMatch((await forge.as('bob').must('GET', '/repos/issues/search')).text, /hush/)
  assert.match((await forge.as('alice').must('GET', '/repos/issues/search')).text, /hush plan/)
})

test('issueCreateIssue: a member whose teams do not hold a public repository of a private organization reads it and can be assigned', async () => {
  await using forge = await startForge()
  const alice = forge.as('alice')
  await forge.given.org({ name: 'lodge', visibility: 'private' })
  await alice.must('POST', '/orgs/lodge/repos', { name: 'tools', auto_init: true })
  const team = await alice.must('POST', '/orgs/lodge/teams', { name: 'idle', units_map: { 'repo.code': 'read' } })
  for (const name of ['bob', 'carol']) await forge.account(name)
  await alice.must('PUT', `/teams/${team.json.id}/members/bob`)
  assert.equal((await forge.as('bob').get('/repos/lodge/tools')).status, 200)
  assert.equal((await forge.as('carol').get('/repos/lodge/tools')).status, 404)
  const assign = (name: string) => alice.post('/repos/lodge/tools/issues', { title: 'x', assignees: [name] })
  assert.equal((await assign('carol')).status, 422)
  assert.deepEqual([(await assign('bob')).status], [201])
})

/** Operations that the sweep leaves out, each for its reason. */
const leftOut = new Map([['adminWatchEvents', 'does not end; tells of ids alone']])

for (const caller of ['alice', 'root']) {
  test(`every GET operation: a token of ${caller} for public things shows nothing private`, async () => {
    await using forge = await startForge()
    const { issue, teamId } = await makeWorld(forge)
    const token = await publicOnly(forge, caller)
    const values: Readonly<Record<string, string>> = {
      username: 'alice',
      reponame: 'open',
      org: 'guild',
      index: String(issue.number),
      teamid: teamId,
      sha: 'main',
      ref: 'main',
      '*': 'README.md',
    }
    let shown = 0
    for (const operation of forge.services.operations()) {
      if (operation.method !== 'GET' || operation.base === 'site' || leftOut.has(operation.id)) continue
      const path = operation.path
        .replace(/\{([\w-]+)\}/g, (_, name: string) => values[name] ?? '1')
        .replace(/\*$/, 'README.md')
      const reply = await token.get(path)
      assert.doesNotMatch(reply.text, /hush/, `${operation.id}: GET ${path}`)
      if (reply.status === 200) shown += 1
    }
    assert.ok(shown > 100, `only ${shown} operations answered`)
  })
}
