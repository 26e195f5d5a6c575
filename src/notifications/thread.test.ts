import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import type { Answer } from '../testing/client.ts'
import { startForge, type Forge } from '../testing/forge.ts'

type Thread = {
  readonly id: number
  readonly unread: boolean
  readonly pinned: boolean
  readonly updated_at: string
  readonly subject: { readonly title: string; readonly state: string; readonly html_url: string }
  readonly repository: { readonly full_name: string; readonly permissions: unknown }
}

/** Returns the titles of an account's threads, last updated first. */
async function titles(forge: Forge, name: string, query = ''): Promise<string[]> {
  await forge.settle()
  const { json } = await forge.as(name).must('GET', `/notifications${query}`)
  return json.map((thread: Thread) => thread.subject.title)
}

/** Creates a token of alice with the given scopes. */
async function tokenFor(forge: Forge, scopes: readonly string[]): Promise<string> {
  const asAlice = forge.as('alice', { basic: { login: 'alice', password: 'Passw0rd!' } })
  const { json } = await asAlice.must('POST', '/users/alice/tokens', { name: forge.given.name('t'), scopes })
  return json.sha1
}

test('notifyGetList, notifyReadList: empty and unknown status types do not filter', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.given.issue({ repo, poster: 'bob', title: 'one' })
  await forge.settle()
  await forge.as('alice').must('PUT', '/notifications')
  assert.deepEqual(await titles(forge, 'alice'), [])
  const none = ['status-types=', 'status-types=&status-types=', 'status-types=%20', 'status-types=eaten']
  for (const query of none) assert.deepEqual(await titles(forge, 'alice', `?${query}`), ['one'], query)
  for (const query of none) {
    await forge.as('alice').must('PUT', `/notifications?${query}&to-status=unread`)
    assert.deepEqual(await titles(forge, 'alice'), ['one'], query)
    await forge.as('alice').must('PUT', '/notifications?all=true')
  }
})

test('notifyGetList, notifyGetThread, notifyNewAvailable, notifyReadList: threads about unreadable subjects are hidden', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'bob', private: true })
  const open = await forge.given.repo({ owner: 'bob' })
  await forge.as('bob').must('PUT', `${repo.api}/collaborators/alice`, { permission: 'read' })
  for (const each of [repo, open]) await forge.as('alice').must('PUT', `${each.api}/subscription`)
  await forge.given.issue({ repo, title: 'secret' })
  // Without this, the later issue may be notified first.
  await forge.settle()
  await forge.given.issue({ repo: open, title: 'open' })
  assert.deepEqual(await titles(forge, 'alice'), ['open', 'secret'])
  const [, thread] = (await forge.as('alice').get('/notifications')).json as Thread[]
  const path = `/notifications/threads/${thread?.id}`

  // A token limited to public repositories lists only their threads.
  const limited = forge.as('alice', { token: await tokenFor(forge, ['public-only', 'write:notification']) })
  const list = await limited.get('/notifications')
  assert.deepEqual(
    [list.headers.get('x-total-count'), list.json.map((each: Thread) => each.subject.title)],
    ['1', ['open']],
  )
  assert.equal((await limited.get('/notifications/new')).json.new, 1)
  assert.deepEqual([(await limited.get(path)).status, (await limited.patch(path)).status], [404, 404])
  assert.equal((await limited.put('/notifications?all=true&to-status=read')).status, 205)
  assert.deepEqual(await titles(forge, 'alice'), ['secret'], 'and marks nothing else')

  await forge.as('bob').must('DELETE', `${repo.api}/collaborators/alice`)
  const hidden = await forge.as('alice').get('/notifications?all=true')
  assert.deepEqual([hidden.headers.get('x-total-count'), hidden.json.length], ['1', 1])
  assert.equal((await forge.as('alice').get('/notifications/new')).json.new, 0)
  assert.deepEqual(
    [(await forge.as('alice').get(path)).status, (await forge.as('alice').patch(path)).status],
    [404, 404],
  )
  assert.equal((await forge.as('alice').get(`${repo.api}/notifications`)).status, 404)
  const marked = await forge.as('alice').put('/notifications?to-status=pinned')
  assert.deepEqual([marked.status, marked.text.includes('secret')], [205, false])
  // An administrator may read the thread but not mark it.
  assert.equal((await forge.as('root').get(path)).json.subject.title, 'secret')
  assert.equal((await forge.as('root').patch(path)).status, 403)

  // Disabling and enabling the unit hides and shows the thread.
  await forge.as('bob').must('PATCH', open.api, { has_issues: false })
  assert.deepEqual(await titles(forge, 'alice', '?all=true'), [])
  await forge.as('bob').must('PATCH', open.api, { has_issues: true })
  assert.deepEqual(await titles(forge, 'alice', '?all=true'), ['open'])
})

test('notifyGetList: threads show current names, and deleted subjects disappear', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue({ repo, poster: 'bob', title: 'before' })
  await forge.settle()
  await forge.as('alice').must('PATCH', issue.api, { title: 'after', state: 'closed' })
  const renamed = await forge.as('alice').must('PATCH', repo.api, { name: 'renamed' })
  await forge.given.org({ owner: 'alice', name: 'crew' })
  await forge.as('alice').must('POST', `/repos/${renamed.json.full_name}/transfer`, { new_owner: 'crew' })
  const [thread] = (await forge.as('alice').must('GET', '/notifications')).json as Thread[]
  assert.deepEqual(
    [thread?.subject.title, thread?.subject.state, thread?.subject.html_url, thread?.repository.full_name],
    ['after', 'closed', `${forge.url}/crew/renamed/issues/1`, 'crew/renamed'],
  )
  assert.equal(thread?.repository.permissions, null)
  await forge.as('alice').must('DELETE', '/repos/crew/renamed/issues/1')
  assert.deepEqual(await titles(forge, 'alice', '?all=true'), [])
  assert.equal((await forge.as('alice').get(`/notifications/threads/${thread?.id}`)).status, 404)

  const other = await forge.given.repo({ owner: 'alice' })
  await forge.given.issue({ repo: other, poster: 'bob' })
  assert.equal((await titles(forge, 'alice')).length, 1)
  await forge.as('alice').must('DELETE', other.api)
  assert.deepEqual(await titles(forge, 'alice', '?all=true'), [])
})

test('notifyGetRepoList, notifyReadRepoList, notifyReadThread: marks threads of one repository up to a time', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.parse('2026-01-01T10:00:00.250Z') })
  const [one, other] = [await forge.given.repo({ owner: 'alice' }), await forge.given.repo({ owner: 'alice' })]
  const say = async (repo: typeof one, title: string): Promise<void> => {
    await forge.given.issue({ repo, poster: 'bob', title })
    await forge.settle()
    forge.clock.advance(300)
  }
  await say(one, 'early')
  await say(other, 'other')
  forge.clock.advance(1000)
  await say(one, 'late')
  const asAlice = forge.as('alice')
  const shown = (answer: Answer): [number, string[]] => [
    answer.status,
    (answer.json as Thread[]).map((thread) => thread.subject.title),
  ]
  assert.deepEqual(shown(await asAlice.get('/notifications')), [200, ['late', 'other', 'early']])
  assert.deepEqual(shown(await asAlice.get(`${one.api}/notifications?limit=1&page=2`)), [200, ['early']])
  assert.deepEqual(shown(await asAlice.get('/notifications?before=2026-01-01T10:00:00Z')), [200, ['other', 'early']])
  assert.deepEqual(shown(await asAlice.get('/notifications?since=2026-01-01T10:00:01Z')), [200, ['late']])

  assert.equal((await asAlice.put(`${one.api}/notifications?last_read_at=never`)).status, 400)
  assert.equal((await asAlice.put(`${one.api}/notifications?last_read_at=2026-01-01T10:00:00Z`)).status, 205)
  assert.deepEqual(shown(await asAlice.get('/notifications')), [200, ['late', 'other']])
  const [late] = (await asAlice.get('/notifications')).json as Thread[]
  forge.clock.advance(5000)
  assert.equal((await asAlice.patch(`/notifications/threads/${late?.id}?to-status=PINNED`)).status, 205)
  const pinned = (await asAlice.get(`/notifications/threads/${late?.id}`)).json as Thread
  assert.deepEqual([pinned.pinned, pinned.unread], [true, false])
  assert.notEqual(pinned.updated_at, late?.updated_at, 'another status is a change of the thread')
  assert.equal((await asAlice.get('/notifications/new')).json.new, 1)
  assert.equal((await asAlice.patch(`/notifications/threads/${late?.id}?to-status=pinned`)).status, 205)
  assert.equal((await asAlice.get(`/notifications/threads/${late?.id}`)).json.updated_at, pinned.updated_at)
})

test('notifyGetList: the number of queries does not depend on the number of repositories', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const counts: number[] = []
  for (const more of [1, 6]) {
    for (let made = 0; made < more; made++) {
      const repo = await forge.given.repo({ owner: 'alice' })
      const issue = await forge.given.issue({ repo, poster: 'bob' })
      await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'hello' })
    }
    using queries = await countQueries(forge)
    await forge.as('alice').must('GET', '/notifications')
    counts.push(queries.count)
  }
  assert.equal(counts[0], counts[1])
  assert.ok((counts[0] ?? 0) <= 16, `${counts[0]} queries`)
})
