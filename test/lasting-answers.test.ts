import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles, TestRunner, workflow } from '../src/actions/actions.test-support.ts'
import { transaction } from '../src/db/database.ts'
import { bytesOf, isPage, operation } from '../src/http/operation.ts'
import { eventStream } from '../src/http/event-stream.ts'
import { checkOnEvents } from '../src/access/lasting-access.ts'
import { anyone } from '../src/access/requirements.ts'
import type { LastingAnswer } from '../src/http/lasting-answers.ts'
import type { UserId } from '../src/lib/ids.ts'
import { Browser } from '../src/testing/browser.ts'
import { startForge, testPassword, type Forge } from '../src/testing/forge.ts'
import { oauthToken } from './belongings.ts'

/** The parent of each operation with a long-lived answer: the repository, the organization, or the instance. */
const addresses: Readonly<Record<string, (at: World) => string>> = {
  streamWorkflowJobLog: ({ repo, job }) => `${repo}/actions/jobs/${job}/logs/stream`,
  adminWatchEvents: () => '/admin/events',
  adminWatchAuditLog: () => '/admin/audit/stream',
  listEvents: ({ repo, cursor }) => `/events?wait=60&after=${cursor}&kind=wiki.*&repo=${repo.slice(7)}`,
  watchEvents: ({ repo }) => `/events/stream?kind=wiki.*&repo=${repo.slice(7)}`,
  repoListEvents: ({ repo, cursor }) => `${repo}/events?wait=60&after=${cursor}&kind=wiki.*`,
  repoWatchEvents: ({ repo }) => `${repo}/events/stream?kind=wiki.*`,
  orgListEvents: ({ org, cursor }) => `/orgs/${org}/events?wait=60&after=${cursor}&kind=wiki.*`,
  orgWatchEvents: ({ org }) => `/orgs/${org}/events/stream?kind=wiki.*`,
}

const ofRepository = ['streamWorkflowJobLog', 'listEvents', 'watchEvents', 'repoListEvents', 'repoWatchEvents']
const ofOrganization = ['orgListEvents', 'orgWatchEvents']
const ofAdministrators = ['adminWatchEvents', 'adminWatchAuditLog']

interface World {
  readonly repo: string
  readonly org: string
  readonly job: number
  readonly cursor: string
}

async function makeWorld(forge: Forge, isPrivate: boolean): Promise<World> {
  const repo = await forge.given.repo({ owner: 'alice', private: isPrivate })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await commitFiles(forge, repo.api, { '.gitea/workflows/a.yml': workflow('push') })
  const task = await runner.must()
  await runner.log(task, 0, ['one'])
  const alice = forge.as('alice')
  const [run] = (await alice.get(`${repo.api}/actions/runs`)).json.workflow_runs
  const [job] = (await alice.get(`${repo.api}/actions/runs/${run.id}/jobs`)).json.jobs
  const org = await forge.given.org({ owner: 'alice' })
  await forge.settle()
  const cursor = (await alice.get('/events')).json.cursor
  return { repo: repo.api, org, job: job.id, cursor }
}

/** A pending answer. */
interface Asked {
  readonly name: string
  /** Resolves when the answer ends, with the status of a refusal or the way a stream ended. */
  readonly ended: Promise<number | 'ended' | 'log ended'>
}

/** Calls operations with one credential; resolves when each stream has begun. */
async function ask(
  forge: Forge,
  world: World,
  operations: readonly string[],
  headers: Record<string, string>,
): Promise<Asked[]> {
  const waiting: Asked[] = []
  for (const name of operations) {
    const reply = fetch(`${forge.url}/api/v1${addresses[name]?.(world)}`, { headers })
    if (name.includes('List') || name === 'listEvents') {
      waiting.push({ name, ended: reply.then(({ status }) => status) })
      continue
    }
    const response = await reply
    assert.equal(response.status, 200, name)
    const ended = response.text().then((text) => (text.includes('event: end') ? 'log ended' : 'ended'))
    waiting.push({ name, ended })
  }
  return waiting
}

async function hasEnded(why: string, waiting: readonly Asked[]): Promise<void> {
  for (const { name, ended } of waiting) {
    const how = await ended
    const isRight = typeof how === 'number' ? [401, 403, 404].includes(how) : how === 'ended'
    assert.ok(isRight, `${why}: ${name} ended with ${how}`)
  }
}

const accept = { accept: 'text/event-stream, application/json' }

let tokens = 0

async function tokenOf(forge: Forge, login: string): Promise<{ headers: Record<string, string>; id: number }> {
  const { json } = await forge
    .as(login, { basic: { login, password: testPassword } })
    .must('POST', `/users/${login}/tokens`, { name: `lasting ${++tokens}`, scopes: ['all'] })
  return { headers: { ...accept, authorization: `token ${json.sha1}` }, id: json.id }
}

test('every long-lived answer ends with the credential or the rights that it began with', async () => {
  const people = ['alice', 'removed', 'revoked', 'suspended', 'outsider', 'changed', 'root2', 'keeper']
  await using forge = await startForge({ users: people, settings: { ingot: { MAX_FEED_CLIENTS_PER_ACCOUNT: 10 } } })
  // The streams of pages are ended by their sessions: the tests of issues and runs.
  const lasting = forge.services.operations().filter((each) => each.lasts && !isPage(each))
  assert.deepEqual(
    lasting.map(({ id }) => id).toSorted(),
    [...Object.keys(addresses), 'runnerFetchTask'].toSorted(),
    'each operation with a lasting answer is tested',
  )
  for (const { id, method } of lasting) assert.ok(method === 'GET' || id === 'runnerFetchTask', id)

  const hidden = await makeWorld(forge, true)
  const open = await makeWorld(forge, false)
  const alice = forge.as('alice')
  const root = forge.as('root')
  for (const name of ['removed', 'revoked', 'suspended', 'changed', 'keeper']) {
    await alice.must('PUT', `${hidden.repo}/collaborators/${name}`, { permission: 'read' })
  }
  await root.must('PATCH', '/admin/users/root2', { admin: true, source_id: 0, login_name: 'root2' })
  await forge.settle()
  const everybody = [...ofRepository, ...ofOrganization]

  const removed = await ask(forge, hidden, ofRepository, (await tokenOf(forge, 'removed')).headers)
  const revokedToken = await tokenOf(forge, 'revoked')
  const revoked = await ask(forge, hidden, everybody, revokedToken.headers)
  const suspended = await ask(forge, hidden, everybody, (await tokenOf(forge, 'suspended')).headers)
  const outside = await ask(forge, open, ofRepository, (await tokenOf(forge, 'outsider')).headers)
  const guest = await ask(forge, open, ['streamWorkflowJobLog'], accept)
  const basic = Buffer.from(`changed:${testPassword}`).toString('base64')
  const changed = await ask(forge, hidden, everybody, { ...accept, authorization: `Basic ${basic}` })
  const demoted = await ask(forge, hidden, ofAdministrators, (await tokenOf(forge, 'root2')).headers)
  const kept = await ask(
    forge,
    hidden,
    ['streamWorkflowJobLog', 'repoWatchEvents'],
    (await tokenOf(forge, 'keeper')).headers,
  )
  const keptEnds: string[] = []
  for (const { name, ended } of kept) void ended.then(() => keptEnds.push(name))

  await alice.must('DELETE', `${hidden.repo}/collaborators/removed`)
  await forge
    .as('revoked', { basic: { login: 'revoked', password: testPassword } })
    .must('DELETE', `/users/revoked/tokens/${revokedToken.id}`)
  await root.must('PATCH', '/admin/users/suspended', { prohibit_login: true, source_id: 0, login_name: 'suspended' })
  await alice.must('PATCH', open.repo, { private: true })
  await root.must('PATCH', '/admin/users/changed', {
    password: 'An0ther!password',
    source_id: 0,
    login_name: 'changed',
  })
  await root.must('PATCH', '/admin/users/root2', { admin: false, source_id: 0, login_name: 'root2' })

  await hasEnded('the collaborator was removed', removed)
  await hasEnded('the token was deleted', revoked)
  await hasEnded('the account was suspended', suspended)
  await hasEnded('the repository became private', outside)
  await hasEnded('the repository became private for guests', guest)
  await hasEnded('the password was changed', changed)
  await hasEnded('the administrator was demoted', demoted)
  assert.deepEqual(keptEnds, [], 'an answer that is still allowed goes on')
})

test('the end of a token, session or grant is an event for the long-lived answers of the account', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { alice, bob } = { alice: (await forge.account('alice')).user.id, bob: (await forge.account('bob')).user.id }
  const password = forge.as('alice', { basic: { login: 'alice', password: testPassword } })
  const browser = new Browser(forge)
  await browser.signIn('alice', testPassword)
  const { json: token } = await password.must('POST', '/users/alice/tokens', { name: 'one', scopes: ['all'] })
  await oauthToken(forge, 'alice', 'read:repository')
  const vendor = '/api/service/v1/user'
  const idOf = async (path: string) => (await forge.as('alice').get(vendor + path, { site: true })).json[0].id
  const [session, grant] = [await idOf('/sessions'), await idOf('/oauth2/grants')]
  const concerned: string[] = []
  const answerOf = (viewer: UserId) => ({ ctx: { viewer: { id: viewer } } }) as unknown as LastingAnswer
  const follow = () =>
    checkOnEvents(forge.services.live, {
      checkSoon(isConcerned) {
        if (isConcerned(answerOf(alice))) concerned.push('alice')
        if (isConcerned(answerOf(bob))) concerned.push('bob')
      },
    })
  await forge.settle()
  const ends: [what: string, end: () => Promise<unknown>][] = [
    ['a token', () => password.must('DELETE', `/users/alice/tokens/${token.id}`)],
    ['a session', () => forge.as('alice').must('DELETE', `${vendor}/sessions/${session}`, undefined, { site: true })],
    ['a grant', () => forge.as('alice').must('DELETE', `${vendor}/oauth2/grants/${grant}`, undefined, { site: true })],
  ]
  for (const [what, end] of ends) {
    const unfollow = follow()
    await end()
    await forge.settle()
    unfollow()
    assert.deepEqual([...new Set(concerned.splice(0))], ['alice'], what)
  }
})

test('adminWatchAuditLog, adminWatchEvents: one account cannot use up the streams of another', async () => {
  await using forge = await startForge({ users: ['root2'] })
  await forge.as('root').must('PATCH', '/admin/users/root2', { admin: true, source_id: 0, login_name: 'root2' })
  for (const [path, most] of [
    ['/admin/audit/stream', 4],
    ['/admin/events', 20],
  ] as const) {
    const open = new AbortController()
    const watch = async (login: string) =>
      fetch(`${forge.url}/api/v1${path}`, { headers: (await tokenOf(forge, login)).headers, signal: open.signal })
    const first = await Promise.all(Array.from({ length: most }, () => watch('root')))
    assert.ok(
      first.every(({ status }) => status === 200),
      path,
    )
    assert.equal((await watch('root')).status, 429, path)
    assert.equal((await watch('root2')).status, 200, path)
    open.abort()
  }
})

test('runnerFetchTask: the wait of a deleted runner ends', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ owner: 'alice' })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const { json } = await runner.call('FetchTask', { tasksVersion: '0' })
  const { tasksVersion = '0' } = json as { tasksVersion?: string }
  const waiting = runner.call('FetchTask', { tasksVersion }, { headers: { 'connect-timeout-ms': '50000' } })
  await transaction(forge.services.db, (tx) => tx.deleteFrom('action_runner').where('uuid', '=', runner.uuid).execute())
  const reply = await waiting
  assert.equal(reply.status, 401, reply.text)
})

test('an operation cannot answer with an event stream that it does not declare', async () => {
  const undeclared = operation({
    method: 'GET',
    path: '/undeclared',
    cost: 'usual',
    scope: null,
    requires: [anyone],
    reply: { 200: bytesOf('text/plain') },
    run: async ({ call }) => eventStream(async function* () {}, call),
  })
  const forge = await startForge({ features: [{ routes: [{ undeclared }] }] })
  assert.equal((await forge.guest.get('/undeclared')).status, 500)
  assert.match(String(forge.defects.splice(0)), /does not declare/)
  await forge[Symbol.asyncDispose]()
})
