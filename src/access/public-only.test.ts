import assert from 'node:assert/strict'
import test from 'node:test'
import { isBytes, isPage, type Operation } from '../http/operation.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import type { ForgeClient } from '../testing/client.ts'
import { Clone } from '../testing/clone.ts'
import { upload } from '../testing/upload.ts'
import { createToken } from '../users/credentials/token.service.ts'
import * as otherAddresses from '../web/links/other-addresses.routes.ts'

/** Returns a client with a public-only token of all scopes. */
async function publicOnly(forge: Forge, name: string): Promise<ForgeClient> {
  const { user } = await forge.account(name)
  const { token } = await createToken(forge.services, user, { name: 'public', scopes: ['public-only', 'all'] })
  return forge.as(name, { token })
}

/** Each private object has this text in its name. */
const marker = 'hush'

/** Creates public and private objects of `alice` with each kind of link between them. */
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
  // A public repository of a hidden organization is as hidden as the organization.
  await alice.must('POST', `/orgs/${marker}-org/repos`, { name: `${marker}-shown`, auto_init: true })
  await forge.given.org({ name: `${marker}-limited`, visibility: 'limited' })
  await alice.must('POST', `/orgs/${marker}-limited/repos`, { name: `${marker}-shown`, auto_init: true })
  await forge.given.org({ name: 'guild' })
  await alice.must('POST', '/orgs/guild/repos', { name: `${marker}-guild-repo`, private: true })
  const team = await alice.must('POST', '/orgs/guild/teams', { name: 'crew', units_map: { 'repo.code': 'read' } })
  await alice.must('PUT', `/teams/${team.json.id}/repos/guild/${marker}-guild-repo`)
  await alice.must('PUT', `/teams/${team.json.id}/members/alice`)
  await forge.addUser(`${marker}-person`, { visibility: 'private' })
  return { open, secret, issue, hidden, teamId: String(team.json.id) }
}

test('repoGet, issueGetIssue, repoGetByID: a public-only token gets 403 for private objects that its account may see, and 404 for others', async () => {
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

test('a public-only token reads no public repository of an organization that is not public, on any surface', async () => {
  await using forge = await startForge()
  await makeWorld(forge)
  const token = await publicOnly(forge, 'alice')
  const { token: secret } = await createToken(forge.services, (await forge.account('alice')).user, {
    name: 'git',
    scopes: ['public-only', 'all'],
  })
  for (const org of [`${marker}-org`, `${marker}-limited`]) {
    const name = `${org}/${marker}-shown`
    for (const path of [
      '',
      '/contents/README.md',
      '/raw/README.md',
      '/archive/main.zip',
      '/activities/feeds',
      '/issues',
    ]) {
      assert.equal((await token.get(`/repos/${name}${path}`)).status, 403, `${name}${path}`)
    }
    const headers = { authorization: `token ${secret}` }
    for (const path of ['/raw/branch/main/README.md', '/archive/main.zip', '.git/info/refs?service=git-upload-pack']) {
      const { status } = await fetch(`${forge.url}/${name}${path}`, { headers, redirect: 'manual' })
      assert.ok(status === 403 || status === 404, `${name}${path}: ${status}`)
    }
  }
})

test('userCurrentTrackedTimes, userGetStopWatches, issueGetCommentsAndTimeline: a public-only token sees no private titles', async () => {
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

test('userCurrentTrackedTimes, userGetStopWatches, issueGetCommentsAndTimeline: an account that may not read an issue does not see its title', async () => {
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

test('issueSearchIssues: a team member who reads only code does not find issues', async () => {
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

/** Streams of events never end. They contain the entries of the feed pages, which the test reads. */
const isEndless = ({ reply }: Operation): boolean =>
  Object.values(reply).some((shape) => isBytes(shape) && shape.mediaTypes.includes('text/event-stream'))

/** Answers that are equal for private and for unknown paths: pages for `go get`, and other addresses of pages. */
const alike = new Set(['goGet', 'goGetPackage', ...Object.keys(otherAddresses)])

/** Values of path parameters, where the default does not fit. */
type Values = Readonly<Record<string, string>>

/** Values of the file path, which differ by operation. */
const filePaths: readonly (readonly [RegExp, string])[] = [
  [/^\/\{username\}\/\{reponame\}\/(?:raw|media)\//, 'branch/main/README.md'],
  [/\/archive\//, 'main.zip'],
  [/./, 'README.md'],
]

/** Each GET operation with a path for it, except pages: they accept sessions only (`test/authorization-pages.test.ts`). */
function* readings(forge: Forge, values: Values): Generator<{ id: string; path: string; isSite: boolean }> {
  for (const operation of forge.services.operations()) {
    const { id, method, base, path, whenQuery } = operation
    if (method !== 'GET' || isEndless(operation) || isPage(operation)) continue
    const filepath = filePaths.find(([form]) => form.test(path))?.[1] as string
    const all: Values = { sha: 'main', ref: 'main', ball_type: 'zipball', diffType: 'diff', filepath, ...values }
    const filled = path.replace(/\{([\w-]+)\+?\}/g, (_, name: string) => all[name] ?? '1')
    const query = new URLSearchParams({ ...whenQuery, ...(id === 'gitInfoRefs' ? { service: 'git-upload-pack' } : {}) })
    yield { id, path: query.size > 0 ? `${filled}?${query}` : filled, isSite: base !== 'api' }
  }
}

const siteOf = (path: string, isSite: boolean) => [path, { site: isSite }] as const

for (const caller of ['alice', 'root']) {
  test(`every GET operation: a public-only token of ${caller} shows nothing private beside public objects`, async () => {
    await using forge = await startForge()
    const { issue, teamId } = await makeWorld(forge)
    const token = await publicOnly(forge, caller)
    const index = String(issue.number)
    let shown = 0
    for (const { id, path, isSite } of readings(forge, {
      username: 'alice',
      reponame: 'open',
      org: 'guild',
      index,
      teamid: teamId,
    })) {
      const reply = await token.get(...siteOf(path, isSite))
      assert.doesNotMatch(reply.text, /hush/, `${id}: GET ${path}`)
      if (reply.status === 200) shown += 1
    }
    assert.ok(shown > 110, `only ${shown} operations answered`)
  })

  test(`every GET operation of a repository: a public-only token of ${caller} reads no private one, including files, archives, attachments and git`, async () => {
    await using forge = await startForge()
    const { secret, hidden } = await makeWorld(forge)
    const alice = forge.as('alice')
    const file = await alice.must('POST', `${hidden.api}/assets`, undefined, upload('notes.txt', `${marker} notes`))
    const head = (await alice.must('GET', `${secret.api}/branches/main`)).json.commit.id
    const whole = forge.as(caller)
    const token = await publicOnly(forge, caller)
    const values = {
      username: 'alice',
      reponame: secret.name,
      index: String(hidden.number),
      uuid: file.json.uuid,
      sha: head,
    }
    const opened: string[] = []
    const open = new Set<string>()
    for (const { id, path, isSite } of readings(forge, values)) {
      if (!path.includes(secret.name) && !path.includes(values.uuid)) continue
      if ((await whole.get(...siteOf(path, isSite))).status === 200) open.add(id)
      const { status } = await token.get(...siteOf(path, isSite))
      if (status < 400 && !alike.has(id)) opened.push(`${id}: GET ${path}: ${status}`)
    }
    assert.deepEqual(opened, [])
    assert.ok(open.size > 60, `a whole token opens only ${open.size}`)
    for (const id of ['webRawFile', 'repoGetRawFile', 'downloadAttachment', 'downloadRepoAttachment', 'gitInfoRefs']) {
      assert.ok(open.has(id), `a whole token does not open ${id}`)
    }
  })
}

test('git over HTTP: a public-only token clones a public repository and no private one', async () => {
  await using forge = await startForge()
  const { open, secret } = await makeWorld(forge)
  const { user } = await forge.account('alice')
  const { token } = await createToken(forge.services, user, { name: 'git', scopes: ['public-only', 'all'] })
  const remote = (name: string): string => {
    const url = new URL(`${forge.url}/${name}.git`)
    url.username = 'alice'
    url.password = token
    return url.href
  }
  using work = await Clone.begin('alice')
  await work.must('ls-remote', remote(open.fullName))
  const refused = await work.git('ls-remote', remote(secret.fullName))
  assert.notEqual(refused.code, 0)
  assert.doesNotMatch(refused.out, /refs\//)
  await work.must('commit', '-q', '--allow-empty', '-m', 'x')
  assert.notEqual((await work.git('push', remote(secret.fullName), 'main:refs/heads/new')).code, 0)
})
