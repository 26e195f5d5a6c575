import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { collaborator, givenPull } from '../testing/given-pull.ts'

const sizeOf = (text: string): number => Buffer.byteLength(text)

/** Returns the titles of a list, in its order. */
const titles = async (forge: Forge, path: string, as = 'alice'): Promise<string[]> =>
  (await forge.as(as).must('GET', path)).json.map((issue: { title: string }) => issue.title)

test('issueCreateIssue: guests, a disabled unit and an archived repository are refused before the body is read', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const guest = await forge.as('guest', {}).post(`${repo.api}/issues`, { title: 'x' })
  assert.equal(guest.status, 401)
  await forge.as('alice').must('PATCH', repo.api, { has_issues: false })
  assert.equal((await forge.as('bob').post(`${repo.api}/issues`, { title: 'x' })).status, 403)
  assert.equal((await forge.as('alice').get(`${repo.api}/issues?type=issues`)).status, 404)
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await forge.as('alice').post(`${repo.api}/issues`, {})).status, 423)
})

test('issueCreateIssue: fields for writers are ignored for readers; titles are trimmed and cut to 255 bytes', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const label = await forge.as('alice').must('POST', `${repo.api}/labels`, { name: 'bug', color: '#f00' })
  const input = {
    title: `  ${'é'.repeat(200)}`,
    labels: [label.json.id],
    assignees: ['alice'],
    due_date: '2030-01-02T03:04:05Z',
  }
  const byBob = (await forge.as('bob').must('POST', `${repo.api}/issues`, input)).json
  assert.deepEqual([byBob.labels, byBob.assignees, byBob.due_date], [[], null, null])
  assert.equal(sizeOf(byBob.title), 255)
  const byAlice = (await forge.as('alice').must('POST', `${repo.api}/issues`, input)).json
  assert.deepEqual(
    [byAlice.labels[0].color, byAlice.assignee.login, byAlice.due_date],
    ['ff0000', 'alice', '2030-01-02T03:04:05Z'],
  )
})

test('issueCreateIssue: twenty concurrent issues get different numbers, and the counters agree', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) => forge.as('alice').post(`${repo.api}/issues`, { title: `issue ${index}` })),
  )
  const numbers = replies.map(({ json }) => json.number as number).toSorted((one, other) => one - other)
  assert.deepEqual(
    numbers,
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  assert.equal((await forge.as('alice').must('GET', repo.api)).json.open_issues_count, 20)
})

test('issueEditIssue: a refused change of state keeps the other changes of the request', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const needed = await forge.given.issue({ repo, title: 'needed' })
  const issue = await forge.given.issue({ repo, title: 'before' })
  const meta = { owner: 'alice', repo: repo.name, index: needed.number }
  await forge.as('alice').must('POST', `${issue.api}/dependencies`, meta)
  const refused = await forge.as('alice').patch(issue.api, { title: 'after', state: 'closed' })
  assert.deepEqual([refused.status, refused.json.code], [412, 'dependency_open'])
  const read = (await forge.as('alice').must('GET', issue.api)).json
  assert.deepEqual([read.title, read.state], ['after', 'open'])
  await forge.as('alice').must('PATCH', needed.api, { state: 'closed' })
  assert.equal((await forge.as('alice').must('PATCH', issue.api, { state: 'closed' })).json.state, 'closed')
})

test('issueEditIssue: readers are refused without a body; an unknown assignee is 422, an unknown milestone 404', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const byReader = await forge.as('bob').patch(issue.api, { title: 'x' })
  assert.deepEqual([byReader.status, byReader.json.code], [403, 'edit_forbidden'])
  assert.equal((await forge.as('alice').patch(issue.api, { assignees: ['nobody-here'] })).status, 422)
  assert.equal((await forge.as('alice').patch(issue.api, { milestone: 4711 })).status, 404)
})

test('issueEditIssue: only administrators set updated_at, between the creation of the issue and now', async () => {
  await using forge = await startForge({ standAt: Date.parse('2030-01-01T00:00:00Z') })
  const repo = await forge.given.repo()
  const issue = await forge.given.issue({ repo, poster: 'bob' })
  forge.clock.advance(60_000)
  const edit = (as: string, updatedAt: string) =>
    forge.as(as).patch(issue.api, { title: `by ${as}`, updated_at: updatedAt })
  assert.equal((await edit('bob', '2030-01-01T00:00:30Z')).status, 403)
  assert.equal((await edit('alice', '2029-12-31T23:59:59Z')).status, 403)
  assert.equal((await edit('alice', '2030-01-01T00:01:01Z')).status, 403)
  assert.equal((await edit('alice', 'soon')).status, 422)
  const edited = await edit('alice', '2030-01-01T00:00:30Z')
  assert.deepEqual([edited.status, edited.json.updated_at], [201, '2030-01-01T00:00:30Z'])
  const [entry] = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json
  assert.deepEqual([entry.type, entry.created_at], ['change_title', '2030-01-01T00:00:30Z'])
})

test('issueDelete: deletes its comments, files, references and pin; the number is not reused', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const other = await forge.given.issue({ repo, title: 'other' })
  const issue = await forge.given.issue({ repo, body: `see #${other.number}` })
  await forge.as('alice').must('POST', `${issue.api}/pin`)
  await forge.as('alice').must('POST', `${other.api}/pin`)
  const form = new FormData()
  form.set('attachment', new File(['text'], 'a.txt'))
  const file = (await forge.as('alice').must('POST', `${issue.api}/assets`, undefined, { raw: form })).json
  assert.equal((await forge.as('bob').delete(issue.api)).status, 403)
  await forge.as('alice').must('DELETE', issue.api)
  assert.equal((await forge.as('alice').get(issue.api)).status, 404)
  assert.equal((await forge.as('alice').get(`/attachments/${file.uuid}`, { site: true })).status, 404)
  await forge.settle()
  for await (const { key } of forge.services.blobs.attachments.list('')) assert.fail(`${key} is left`)
  const timeline = (await forge.as('alice').must('GET', `${other.api}/timeline`)).json
  assert.deepEqual(
    timeline.map((entry: { type: string }) => entry.type),
    ['pin'],
  )
  assert.equal((await forge.as('alice').must('GET', other.api)).json.pin_order, 1)
  assert.equal((await forge.given.issue({ repo })).number, issue.number + 1)
})

test('issueListIssues: fifty issues with labels, assignees and milestones take a fixed, small number of queries', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'bug', color: '#f00' })).json
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'v1' })).json
  for (let index = 0; index < 50; index++) {
    const more = { labels: [label.id], milestone: milestone.id, assignees: ['alice'] }
    await alice.must('POST', `${repo.api}/issues`, { title: `issue ${index}`, ...more })
  }
  await alice.must('GET', `${repo.api}/issues?limit=50`)
  const countOf = async (limit: number): Promise<number> => {
    // The new label invalidates the cached answers.
    await alice.must('POST', `${repo.api}/labels`, { name: `label ${limit}`, color: '#00f' })
    using queries = await countQueries(forge)
    assert.equal((await alice.must('GET', `${repo.api}/issues?limit=${limit}`)).json.length, limit)
    return queries.count
  }
  const few = await countOf(2)
  assert.equal(await countOf(50), few)
  assert.ok(few <= 12, `${few} queries`)
})

test('issueListIssues: filters by label, milestone, account, time and state; unknown names filter nothing', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const label = (name: string) => alice.must('POST', `${repo.api}/labels`, { name, color: '#f00' })
  await forge.account('bob')
  const [bug, ui] = [(await label('bug')).json, (await label('ui')).json]
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'v1' })).json
  await forge.given.issue({ repo, title: 'plain', body: 'hello @bob' })
  await forge.given.issue({ repo, title: 'one', labels: [bug.id] })
  await forge.given.issue({ repo, title: 'two', labels: [bug.id, ui.id], milestone: milestone.id, assignees: ['bob'] })
  await forge.given.issue({ repo, title: 'done', closed: true })
  const list = (query: string) => titles(forge, `${repo.api}/issues?${query}`)
  assert.deepEqual(await list(''), ['two', 'one', 'plain'])
  assert.deepEqual(await list('labels=bug,ui'), ['two'])
  assert.deepEqual(await list('labels=nothing'), ['two', 'one', 'plain'])
  assert.deepEqual(await list('milestones=v1'), ['two'])
  assert.deepEqual(await list(`milestones=${milestone.id}`), ['two'])
  assert.deepEqual(await list('assigned_by=BOB'), ['two'])
  assert.deepEqual(await list('state=closed'), ['done'])
  assert.deepEqual(await list('state=all&sort=oldest'), ['plain', 'one', 'two', 'done'])
  const total = (await alice.must('GET', `${repo.api}/issues?state=all&limit=1`)).headers
  assert.equal(total.get('x-total-count'), '4')
  assert.match(total.get('link') ?? '', /page=2.*rel="next"/)
  assert.equal((await alice.get(`${repo.api}/issues?created_by=nobody-here`)).status, 404)
  assert.equal((await alice.get(`${repo.api}/issues?since=yesterday`)).status, 422)
})

test('issueListIssues: finds words in title, text and comments: required words, excluded words and phrases', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.given.issue({ repo, title: 'Kettle', body: 'the fridge is silent' })
  await forge.given.issue({ repo, title: 'Fridge hums' })
  const third = await forge.given.issue({ repo, title: 'Toaster' })
  await forge.as('alice').must('POST', `${third.api}/comments`, { body: 'smells of fridge oil' })
  const search = (text: string) => titles(forge, `${repo.api}/issues?q=${encodeURIComponent(text)}`)
  assert.deepEqual(await search('FRIDGE'), ['Toaster', 'Fridge hums', 'Kettle'])
  assert.deepEqual(await search('+fridge +silent'), ['Kettle'])
  assert.deepEqual(await search('fridge -hums'), ['Toaster', 'Kettle'])
  assert.deepEqual(await search('"fridge oil"'), ['Toaster'])
  assert.deepEqual(await search(`#${third.number}`), ['Toaster'])
  assert.deepEqual(await search('"; drop table \' -- *'), [])
  await forge.as('alice').must('PATCH', third.api, { title: 'Oven' })
  assert.deepEqual(await search('toaster'), [])
  assert.deepEqual(await search('oven'), ['Oven'])
})

test('issueSearchIssues: filters by the relation of the caller to issues, and by labels', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/labels`, { name: 'bug', color: '#aa0000' })
  const bug = (await alice.must('GET', `${repo.api}/labels`)).json[0].id
  await alice.must('POST', `${repo.api}/issues`, { title: 'given', assignees: ['alice'], labels: [bug] })
  await alice.must('POST', `${repo.api}/issues`, { title: 'named', body: 'for @bob' })
  await forge.settle()
  const search = (query: string, who: string) => titles(forge, `/repos/issues/search?${query}`, who)
  assert.deepEqual(await search('assigned=true', 'alice'), ['given'])
  assert.deepEqual(await search('assigned=true&labels=bug', 'alice'), ['given'])
  assert.deepEqual(await search('labels=bug', 'bob'), ['given'])
  assert.deepEqual(await search('mentioned=true', 'bob'), ['named'])
  assert.deepEqual(await search('assigned=true&mentioned=true', 'bob'), [])
  assert.deepEqual(await search('reviewed=true', 'bob'), [])
  assert.deepEqual(await search('review_requested=true', 'bob'), [])
})

test('issueSearchIssues: relation filters count only readable issues, by state and kind', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const [open, hidden] = [await forge.given.repo(), await forge.given.repo({ private: true })]
  await collaborator(forge, hidden, 'bob', 'read')
  const about = { assignees: ['bob'], body: 'for @bob' }
  for (const repo of [open, open, hidden]) await forge.given.issue({ repo, ...about })
  const last = await forge.given.issue({ repo: open, ...about })
  await forge.as('alice').must('PATCH', last.api, { state: 'closed' })
  await givenPull(forge, { repo: open, ...about })
  const found = async (who: string, query: string): Promise<readonly (number | string | null)[]> => {
    const { json, headers } = await forge.as(who).must('GET', `/repos/issues/search?${query}`)
    return [json.length, headers.get('x-total-count')]
  }
  for (const query of ['assigned=true', 'mentioned=true']) {
    assert.deepEqual(await found('bob', `${query}&state=all`), [5, '5'], query)
    assert.deepEqual(await found('bob', `${query}&state=all&limit=2`), [2, '5'], query)
    assert.deepEqual(await found('bob', `${query}&state=closed`), [1, '1'], query)
    assert.deepEqual(await found('bob', `${query}&type=pulls`), [1, '1'], query)
    assert.deepEqual(await found('bob', `${query}&type=pulls&state=closed`), [0, '0'], query)
    assert.deepEqual(await found('alice', `${query}&state=all`), [0, '0'], query)
  }
  assert.deepEqual(await found('alice', 'created=true&state=all&type=issues'), [4, '4'])
  await forge.as('alice').must('DELETE', `${hidden.api}/collaborators/bob`)
  assert.deepEqual(await found('bob', 'mentioned=true&state=all'), [4, '4'])
})

test('issueSearchIssues: other accounts see public issues; the owner and the team must exist', async () => {
  await using forge = await startForge()
  await forge.given.issue({ repo: await forge.given.repo(), title: 'open' })
  await forge.given.issue({ repo: await forge.given.repo({ private: true }), title: 'hidden' })
  assert.deepEqual(await titles(forge, '/repos/issues/search?owner=alice'), ['hidden', 'open'])
  assert.deepEqual(await titles(forge, '/repos/issues/search?owner=alice', 'bob'), ['open'])
  assert.deepEqual(await titles(forge, '/repos/issues/search?created=true', 'bob'), [])
  const bob = forge.as('bob')
  assert.equal((await bob.get('/repos/issues/search?owner=nobody-here')).status, 400)
  assert.equal((await bob.get('/repos/issues/search?team=owners')).status, 400)
})

test('issueGetIssue: a private repository and an unknown number are 404', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ private: true })
  const issue = await forge.given.issue({ repo })
  assert.equal((await forge.as('bob').get(issue.api)).status, 404)
  for (const number of ['0', '99', '-1', 'abc', '99999999999']) {
    assert.equal((await forge.as('alice').get(`${repo.api}/issues/${number}`)).status, 404)
  }
})

test('issueEditIssueDeadline: sets the last second of the day; a removed date is the zero time', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const set = (body: object) => forge.as('alice').post(`${issue.api}/deadline`, body)
  assert.deepEqual((await set({ due_date: '2030-05-06T07:08:09Z' })).json, { due_date: '2030-05-06T23:59:59Z' })
  assert.deepEqual((await set({})).json, { due_date: '0001-01-01T00:00:00Z' })
  assert.equal((await forge.as('bob').post(`${issue.api}/deadline`, {})).status, 403)
})
