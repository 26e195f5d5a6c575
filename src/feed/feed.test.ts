import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventCatalogue } from '../events/catalogue.ts'
import { clearOldEvents } from '../events/retention.ts'
import type { Answer, ForgeClient } from '../testing/client.ts'
import { countQueries } from '../testing/count-queries.ts'
import { startForge, testPassword, type Forge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'
import { feedKinds } from './feed.rules.ts'

interface Entry {
  readonly kind: string
  readonly cursor: string
  readonly issue: { readonly number: number | null; readonly type: string; readonly url: string | null } | null
  readonly repository: { readonly full_name: string } | null
  readonly actor: { readonly login: string } | null
}

const kinds = (answer: Answer): string[] => answer.json.events.map((event: Entry) => event.kind)

/** Returns the cursor of the current position. */
const now = async (client: ForgeClient): Promise<string> => (await client.must('GET', '/events')).json.cursor

/** Returns a client of alice with a token of the given scopes. */
async function limited(forge: Forge, scopes: readonly string[]): Promise<{ client: ForgeClient; id: number }> {
  const asAlice = forge.as('alice', { basic: { login: 'alice', password: testPassword } })
  const { json } = await asAlice.must('POST', '/users/alice/tokens', { name: forge.given.name('t'), scopes })
  return { client: forge.as('alice', { token: json.sha1 }), id: json.id }
}

test('listEvents, repoListEvents, orgListEvents: a feed lists events in commit order, by page and filter', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  assert.equal((await forge.guest.get('/events')).status, 401)
  const asAlice = forge.as('alice')
  const after = await now(asAlice)
  assert.deepEqual(kinds(await asAlice.get(`/events?after=${after}`)), [])
  const repo = await forge.given.repo({ owner: 'alice', name: 'r' })
  const file = { content: Buffer.from('x').toString('base64'), message: 'm' }
  await asAlice.must('POST', `${repo.api}/contents/x.txt`, file)
  const issue = await forge.given.issue({ repo, title: 'secret words' })
  await asAlice.must('POST', `${issue.api}/comments`, { body: 'more secret words' })
  await asAlice.must('PATCH', issue.api, { title: 'other words' })
  await forge.settle()
  const all = await asAlice.must('GET', `/events?after=${after}`)
  const wanted = ['repo.created', 'refs.updated', 'issue.opened', 'issue.commented', 'issue.edited']
  assert.deepEqual(
    kinds(all).filter((kind) => wanted.includes(kind)),
    wanted,
  )
  assert.doesNotMatch(all.text, /words/, 'the feed contains no user-written text')
  const opened: Entry = all.json.events.find((event: Entry) => event.kind === 'issue.opened')
  assert.deepEqual(
    [opened.actor?.login, opened.repository?.full_name, opened.issue?.number, opened.issue?.type, opened.issue?.url],
    ['alice', 'alice/r', 1, 'issue', `${forge.url}/api/v1/repos/alice/r/issues/1`],
  )

  const one = await asAlice.must('GET', `/events?after=${after}&kind=issue.*&limit=1`)
  assert.deepEqual([kinds(one), one.json.has_more], [['issue.opened'], true])
  const rest = await asAlice.must('GET', `/events?after=${one.json.cursor}&kind=issue.*,repo.created`)
  assert.deepEqual([kinds(rest), rest.json.has_more], [['issue.commented', 'issue.edited'], false])

  const org = await forge.given.org({ owner: 'alice' })
  await asAlice.must('POST', `/orgs/${org}/repos`, { name: 'o' })
  await asAlice.must('POST', `/repos/${org}/o/issues`, { title: 'x' })
  const mine = `after=${after}&kind=issue.opened`
  for (const path of [`/events?repo=alice/r&${mine}`, `${repo.api}/events?${mine}`]) {
    assert.deepEqual(kinds(await asAlice.get(path)), ['issue.opened'])
  }
  for (const path of [`/events?owner=${org}&${mine}`, `/orgs/${org}/events?${mine}`]) {
    const { json } = await asAlice.must('GET', path)
    assert.deepEqual(
      json.events.map((event: Entry) => event.repository?.full_name),
      [`${org}/o`],
    )
  }
  await asAlice.must('DELETE', issue.api)
  const gone: Entry[] = (await asAlice.must('GET', `${repo.api}/events?after=oldest&kind=issue.*`)).json.events
  assert.deepEqual(
    gone.map((event) => [event.kind, event.issue?.number]),
    [
      ['issue.opened', null],
      ['issue.commented', null],
      ['issue.edited', null],
      ['issue.deleted', 1],
    ],
  )
  const asJson = { headers: { accept: 'application/json' } }
  assert.equal((await asAlice.get('/events/stream', asJson)).status, 406)
  for (const wrong of ['kind=what.*', 'kind=avatar.replaced', 'repo=alice', 'wait=61', 'wait=-1']) {
    assert.equal((await asAlice.get(`/events?${wrong}`)).status, 400, wrong)
  }
  for (const wrong of ['repo=alice/none', 'owner=none']) {
    assert.equal((await asAlice.get(`/events?${wrong}`)).status, 404, wrong)
  }
})

test('listEvents: an entry appears only while the caller and the token may read its subject', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const asAlice = forge.as('alice')
  const after = await now(asAlice)
  const secret = await forge.given.repo({ owner: 'bob', name: 'secret', private: true })
  const open = await forge.given.repo({ owner: 'bob', name: 'open' })
  await forge.given.issue({ repo: secret })
  await forge.given.issue({ repo: open })
  await forge.settle()
  const seen = async (client: ForgeClient, query = ''): Promise<string[]> => [
    ...new Set<string>(
      (await client.must('GET', `/events?after=${after}${query}`)).json.events.map(
        ({ kind, repository }: Entry) => `${kind} ${repository?.full_name ?? ''}`,
      ),
    ),
  ]
  const onIssues = '&kind=issue.*'
  assert.deepEqual(await seen(asAlice, onIssues), ['issue.opened bob/open'])
  assert.equal((await asAlice.get('/events?repo=bob/secret')).status, 404)
  assert.equal((await asAlice.get('/repos/bob/secret/events')).status, 404)

  await forge.as('bob').must('PUT', `${secret.api}/collaborators/alice`, { permission: 'read' })
  assert.deepEqual(await seen(asAlice, onIssues), ['issue.opened bob/secret', 'issue.opened bob/open'])
  assert.deepEqual(
    await seen(asAlice, '&kind=collaborator.*'),
    ['collaborator.added bob/secret'],
    'the event is about her',
  )
  assert.deepEqual(await seen(forge.as('carol'), '&kind=collaborator.*'), [])

  const ofIssues = (await limited(forge, ['read:issue'])).client
  assert.deepEqual(await seen(ofIssues), ['issue.opened bob/secret', 'issue.opened bob/open'])
  const ofPublic = (await limited(forge, ['public-only', 'read:issue', 'read:repository', 'read:organization'])).client
  assert.deepEqual(await seen(ofPublic, onIssues), ['issue.opened bob/open'])
  assert.equal((await seen(ofPublic)).filter((text) => text.includes('secret')).length, 0)
  assert.deepEqual(await seen((await limited(forge, ['read:misc'])).client), [])

  await forge.as('bob').must('DELETE', `${secret.api}/collaborators/alice`)
  assert.deepEqual(await seen(asAlice, onIssues), ['issue.opened bob/open'])
  const removed: Entry[] = (await asAlice.must('GET', `/events?after=${after}&kind=collaborator.removed`)).json.events
  assert.deepEqual(
    removed.map((event) => event.repository),
    [null],
    'the entry hides the repository',
  )
  await forge.as('bob').must('PATCH', open.api, { has_issues: false })
  assert.deepEqual(await seen(asAlice, onIssues), [])

  // An administrator does not read private events of other accounts.
  await forge.as('bob').must('PUT', '/user/block/carol')
  assert.deepEqual(
    await seen(forge.as('root'), '&kind=user.*,repo.*').then((texts) =>
      texts.filter((text) => text.startsWith('user.blocked')),
    ),
    [],
  )
})

test('listEvents: each kind of event is in the feed or listed as omitted in docs/change-feed.md', () => {
  const [, section] = readFileSync('docs/change-feed.md', 'utf8').split('**Never delivered**')
  const named = [...(section?.split('\n\n')[0] ?? '').matchAll(/`([a-z]+\.[A-Za-z]+)`/g)].map(([, name]) => name)
  const omitted = Object.keys(eventCatalogue).filter((name) => !(feedKinds as readonly string[]).includes(name))
  assert.deepEqual(new Set(named), new Set(omitted))
})

test('listEvents: anyone who sees an owner reads its package events, only owners read deletions, private events have no other reader', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'dave'] })
  const org = await forge.given.org({ owner: 'alice' })
  const asAlice = forge.as('alice')
  await asAlice.must('PATCH', `/orgs/${org}`, { visibility: 'private' })
  const [team] = (await asAlice.must('GET', `/orgs/${org}/teams`)).json
  const readers = { name: 'readers', permission: 'read', units: ['repo.code'] }
  const { json: others } = await asAlice.must('POST', `/orgs/${org}/teams`, readers)
  await asAlice.must('PUT', `/teams/${team.id}/members/bob`)
  await asAlice.must('PUT', `/teams/${others.id}/members/carol`)
  const after = await now(asAlice)
  for (const owner of [org, 'alice']) {
    const path = `/api/packages/${owner}/generic/tool/1/file`
    const { status } = await asAlice.send('PUT', path, undefined, { site: true, raw: Buffer.from('x') })
    assert.equal(status, 201)
    await asAlice.must('DELETE', `/packages/${owner}/generic/tool/1`)
  }
  await asAlice.must('POST', `/orgs/${org}/repos`, { name: 'short-lived', private: true })
  await asAlice.must('DELETE', `/repos/${org}/short-lived`)
  await asAlice.must('PUT', '/user/following/dave')
  await asAlice.must('PUT', '/user/block/dave')
  const repo = await forge.given.repo({ owner: 'bob' })
  await asAlice.must('PUT', `${repo.api}/subscription`)
  await forge.settle()
  const names = 'package.*,repo.deleted,user.followed,user.blocked,repo.watched'
  const seenBy = async (client: ForgeClient): Promise<string[]> =>
    kinds(await client.must('GET', `/events?after=${after}&kind=${names}`))
  const packages = ['package.created', 'package.deleted']
  const own = ['user.followed', 'user.blocked', 'repo.watched']
  assert.deepEqual(await seenBy(asAlice), [...packages, ...packages, 'repo.deleted', ...own])
  assert.deepEqual(await seenBy(forge.as('bob')), [...packages, ...packages, 'repo.deleted'], 'bob is an owner')
  assert.deepEqual(await seenBy(forge.as('carol')), [...packages, ...packages], 'carol sees the organization')
  assert.deepEqual(await seenBy(forge.as('dave')), [...packages, 'user.followed'])
  const { client } = await limited(forge, ['read:repository', 'read:user'])
  assert.deepEqual(await seenBy(client), ['repo.deleted', ...own], 'a token without the package scope')
})

test('listEvents: a cursor that is too old is 410, a foreign or future one is 400', async () => {
  await using forge = await startForge({ users: ['alice'] })
  await using other = await startForge({ users: ['alice'] })
  const asAlice = forge.as('alice')
  const first = await now(asAlice)
  await forge.given.issue()
  const foreign = await other.as('alice').get(`/events?after=${first}`)
  assert.deepEqual([foreign.status, foreign.json.code], [400, 'cursor_unknown'])
  const [instance] = first.split('.')
  for (const wrong of ['0', 'x.1', `${instance}.zzzzzzzz`, `${instance}.-1`, `${instance}`]) {
    const answer = await asAlice.get(`/events?after=${wrong}`)
    assert.deepEqual([answer.status, answer.json.code], [400, 'cursor_unknown'], wrong)
  }
  await forge.settle()
  const later = await now(asAlice)
  forge.clock.advance(10_000)
  await clearOldEvents(forge.services.db, 1, { signal: new AbortController().signal, progress: () => {} })
  const old = await asAlice.get(`/events?after=${first}`)
  assert.deepEqual([old.status, old.json.code], [410, 'cursor_too_old'])
  const stream = { headers: { accept: 'text/event-stream' } }
  assert.equal((await asAlice.get(`/events/stream?after=${first}`, stream)).status, 410)
  assert.equal((await asAlice.get(`/events?after=${later}`)).status, 200)
  assert.deepEqual(kinds(await asAlice.get('/events?after=oldest')), [])
})

test('listEvents: a wait ends at the first readable entry, at its timeout, and when the token is revoked', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const hidden = await forge.given.repo({ owner: 'bob', private: true })
  await forge.settle()
  const asAlice = forge.as('alice')
  const after = await now(asAlice)
  const waiting = asAlice.get(`/events?after=${after}&wait=30&kind=issue.*`)
  await forge.given.issue({ repo: hidden })
  await forge.given.issue({ repo })
  const answer = await waiting
  assert.deepEqual(
    answer.json.events.map((event: Entry) => event.repository?.full_name),
    [repo.fullName],
  )
  const begunMs = performance.now()
  const empty = await asAlice.get(`/events?after=${answer.json.cursor}&wait=1`)
  assert.deepEqual([kinds(empty), empty.json.has_more], [[], false])
  assert.ok(performance.now() - begunMs >= 900)

  const { client, id } = await limited(forge, ['read:issue'])
  const revoked = client.get(`/events?after=${answer.json.cursor}&wait=30&kind=issue.*`)
  await until(() => forge.services.live.watcherCount > 0)
  await forge
    .as('alice', { basic: { login: 'alice', password: testPassword } })
    .must('DELETE', `/users/alice/tokens/${id}`)
  assert.equal((await revoked).status, 401, 'the end of the token ends the wait')
})

/** Reads a stream until it has `count` messages or ends. */
async function readStream(response: Response, count: number): Promise<{ id: string; event: string }[]> {
  const messages: { id: string; event: string }[] = []
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const whole = text.split('\n\n')
    text = whole.pop() ?? ''
    for (const message of whole) {
      const [, id] = /^id: (.*)$/m.exec(message) ?? []
      const [, event] = /^event: (.*)$/m.exec(message) ?? []
      if (id !== undefined && event !== undefined) messages.push({ id, event })
    }
    if (messages.length >= count) break
  }
  return messages
}

test('watchEvents, repoWatchEvents, orgWatchEvents: a stream resumes at Last-Event-ID and ends when the account may not sign in', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: { ingot: { MAX_FEED_CLIENTS_PER_ACCOUNT: 2 } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  const org = await forge.given.org({ owner: 'alice' })
  await forge.settle()
  const token = (await limited(forge, ['all'])).client
  const { token: secret } = await token.credentials()
  const open = (path: string, lastSeen?: string): Promise<Response> =>
    fetch(`${forge.url}/api/v1${path}`, {
      headers: {
        authorization: `token ${secret}`,
        accept: 'text/event-stream',
        ...(lastSeen === undefined ? {} : { 'last-event-id': lastSeen }),
      },
    })
  const stream = await open('/events/stream?kind=issue.*')
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  const reading = readStream(stream, 3)
  await until(() => forge.services.live.watcherCount > 0)
  const issue = await forge.given.issue({ repo })
  await forge.as('alice').must('PATCH', issue.api, { state: 'closed' })
  const seen = await reading
  assert.deepEqual(
    seen.map(({ event }) => event),
    ['cursor', 'issue.opened', 'issue.closed'],
  )
  const again = await readStream(await open(`${repo.api}/events/stream?kind=issue.*`, seen[1]?.id), 1)
  assert.deepEqual(
    again.map(({ event, id }) => [event, id]),
    [['issue.closed', seen[2]?.id]],
  )
  await until(async () => {
    const waiting = [await open(`/orgs/${org}/events/stream`), await open('/events/stream')]
    const third = await open('/events/stream')
    for (const each of [...waiting, third]) await each.body?.cancel()
    return waiting.every(({ status }) => status === 200) && third.status === 429
  }, 'an account over its limit of clients gets 429')
  await until(async () => {
    const { status, body } = await open('/events/stream')
    await body?.cancel()
    return status === 200
  }, 'a closed stream frees its place')

  const ending = readStream(await open('/events/stream?kind=issue.*'), 5)
  await until(() => forge.services.live.watcherCount > 0)
  await forge
    .as('root')
    .must('PATCH', '/admin/users/alice', { prohibit_login: true, source_id: 0, login_name: 'alice' })
  await forge.given.issue({ repo: await forge.given.repo({ owner: 'bob' }) })
  assert.deepEqual(
    (await ending).map(({ event }) => event),
    ['cursor'],
    'a suspended account gets no more events',
  )
})

test('listEvents: five hundred waiting clients read almost nothing, and all wake at one commit', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { ingot: { MAX_FEED_CLIENTS_PER_ACCOUNT: 1000 } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.settle()
  const asAlice = forge.as('alice')
  const after = await now(asAlice)
  const waiting = Array.from({ length: 500 }, () => asAlice.get(`/events?after=${after}&wait=60&kind=issue.opened`))
  const answeredBefore = forge.answered.length
  using queries = await countQueries(forge, 'all')
  /** Statements about events. The others check the rights of each client every ten seconds. */
  const asked = () => queries.texts.filter((text) => text.includes('"event"')).length
  const askedWithin = async (ms: number) => {
    const before = asked()
    await sleep(ms)
    return asked() - before
  }
  // Each client asks at least once; before that, silence means only that the machine is busy.
  await until(async () => queries.count >= 500 && (await askedWithin(500)) < 25, 'all clients wait')
  assert.ok(asked() > 0)
  assert.equal(forge.services.live.watcherCount, 1, 'they share one watcher')
  const whileIdle = await askedWithin(1000)
  assert.ok(whileIdle < 50, `${whileIdle} statements while nothing happened`)
  assert.equal(forge.answered.length, answeredBefore)
  await forge.given.issue({ repo })
  const answers = await Promise.all(waiting)
  assert.deepEqual([...new Set(answers.map((answer) => kinds(answer).join()))], ['issue.opened'])
})
