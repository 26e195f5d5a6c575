import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

/** The zero time of Go, which Go clients send for an unset time. */
const zero = '0001-01-01T00:00:00Z'

test('repoCreateFile: the zero time counts as absent; malformed times and times that git cannot store are refused', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const write = (name: string, dates: object) => alice.post(`${repo.api}/contents/${name}`, { content: '', dates })
  for (const date of ['yesterday', '2020-01-01', '1969-12-31T23:59:59Z']) {
    assert.equal((await write('bad.txt', { author: date })).status, 422, date)
  }
  const written = await write('a.txt', { author: zero, committer: '0001-01-01T01:00:00+01:00' })
  assert.equal(written.status, 201, written.text)
  const { author, committer } = written.json.commit
  const now = forge.services.clock.nowMs()
  for (const { date } of [author, committer]) assert.ok(Math.abs(Date.parse(date) - now) < 60_000, date)
  const dated = await write('b.txt', { author: '2020-01-02T03:04:05+02:00', committer: zero })
  assert.equal(dated.json.commit.author.date, '2020-01-02T01:04:05Z')
  assert.ok(Math.abs(Date.parse(dated.json.commit.committer.date) - now) < 60_000)
})

test('issueCreateIssue, issueCreateMilestone, issueEditIssue: the zero time sets neither a due date nor the time of the update', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const refused = await alice.post(`${repo.api}/issues`, { title: 'x', due_date: 'soon' })
  assert.equal(refused.status, 422)
  assert.match(refused.json.message, /due_date/)
  const issue = (await alice.must('POST', `${repo.api}/issues`, { title: 'one', due_date: zero })).json
  assert.equal(issue.due_date, null)
  const milestone = (await alice.must('POST', `${repo.api}/milestones`, { title: 'first', due_on: zero })).json
  assert.equal(milestone.due_on, null)
  const path = `${repo.api}/issues/${issue.number}`
  const edited = await alice.send('PATCH', path, { title: 'two', updated_at: zero, due_date: zero })
  assert.deepEqual([edited.status, edited.json.title, edited.json.due_date], [201, 'two', null], edited.text)
  const comment = await alice.post(`${path}/comments`, { body: 'x', updated_at: zero })
  assert.equal(comment.status, 201, comment.text)
  assert.ok(Date.parse(comment.json.created_at) >= Date.parse(issue.created_at))
})

test('issueListIssues, issueGetComments, repoTrackedTimes, issueSearchIssues: the zero time in since and before filters nothing', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const issue = (await alice.must('POST', `${repo.api}/issues`, { title: 'one' })).json
  const path = `${repo.api}/issues/${issue.number}`
  await alice.must('POST', `${path}/comments`, { body: 'x' })
  await alice.must('POST', `${path}/times`, { time: 60, created: zero })
  for (const list of [`${repo.api}/issues`, `${path}/comments`, `${repo.api}/times`, '/repos/issues/search']) {
    const reply = await alice.get(`${list}?since=${zero}&before=${zero}`)
    assert.deepEqual([reply.status, reply.json.length], [200, 1], list)
    assert.equal((await alice.get(`${list}?since=never`)).status, 422, list)
  }
})

test('adminCreateUser: the zero time means now, and a malformed time is refused', async () => {
  await using forge = await startForge()
  const root = forge.as('root')
  const person = { username: 'dan', email: 'dan@example.com', password: 'Passw0rd!pass' }
  assert.equal((await root.post('/admin/users', { ...person, created_at: 'once' })).status, 422)
  const made = await root.post('/admin/users', { ...person, created_at: zero })
  assert.equal(made.status, 201, made.text)
  assert.ok(Date.parse(made.json.created) > Date.parse('2020-01-01T00:00:00Z'))
})
