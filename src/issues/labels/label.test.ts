import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'

const names = (labels: readonly { name: string }[]): string[] => labels.map((label) => label.name)

test('issueAddLabel, issueReplaceLabels, issueRemoveLabel, issueClearLabels: a scoped label replaces the other labels of its scope', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const alice = forge.as('alice')
  for (const name of ['size/big', 'size/small']) {
    await alice.must('POST', `${issue.repo.api}/labels`, { name, color: '#00aabb', exclusive: true })
  }
  await alice.must('POST', `${issue.repo.api}/labels`, { name: 'plain', color: 'abc' })
  const path = `${issue.api}/labels`
  assert.deepEqual(names((await alice.must('POST', path, { labels: ['size/big', 'plain'] })).json), [
    'plain',
    'size/big',
  ])
  assert.deepEqual(names((await alice.must('POST', path, { labels: ['size/small'] })).json), ['plain', 'size/small'])
  assert.deepEqual(names((await alice.must('PUT', path, { labels: ['size/big', 'size/small'] })).json), ['size/small'])
  assert.equal((await alice.post(path, { labels: [1, 'plain'] })).status, 400)
  assert.equal((await alice.post(path, { labels: 'plain' })).status, 422)
  assert.equal((await alice.delete(`${path}/4711`)).status, 422)
  const byReader = await forge.as('bob').delete(path, {})
  assert.deepEqual([byReader.status, byReader.json.code], [403, 'write_access_needed'])
  await alice.must('DELETE', path, {})
  assert.deepEqual((await alice.must('GET', path)).json, [])
})

test('issueCreateLabel: a reader gets 403 and an invalid colour 422; issueGetLabels returns the labels of an issue', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue({ poster: 'bob' })
  const path = `${issue.repo.api}/labels`
  const alice = forge.as('alice')
  assert.equal((await forge.guest.post(path, { name: 'bug', color: '#abc' })).status, 401)
  assert.equal((await forge.as('bob').post(path, { name: 'bug', color: '#abc' })).status, 403)
  assert.equal((await alice.post(path, { name: 'bug', color: 'red' })).status, 422)
  assert.equal((await alice.post(path, { color: '#abc' })).status, 422)
  const { status, json } = await alice.post(path, { name: 'bug', color: '#abc', description: 'it fails' })
  assert.deepEqual([status, json.name, json.color, json.description], [201, 'bug', 'aabbcc', 'it fails'])
  assert.deepEqual((await forge.guest.get(`${issue.api}/labels`)).json, [])
  await alice.must('POST', `${issue.api}/labels`, { labels: ['bug'] })
  assert.deepEqual(names((await forge.guest.get(`${issue.api}/labels`)).json), ['bug'])
  assert.equal((await forge.guest.get(`${issue.repo.api}/issues/4711/labels`)).status, 404)
})

test('issueListLabels and issueGetLabel: counters follow the issues, and the list has the requested order', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const make = async (name: string) => (await alice.must('POST', `${repo.api}/labels`, { name, color: '#123456' })).json
  const [a, b] = [await make('a'), await make('b')]
  await forge.given.issue({ repo, labels: [b.id] })
  const sorted = async (sort: string) => names((await alice.must('GET', `${repo.api}/labels?sort=${sort}`)).json)
  assert.deepEqual(
    [await sorted(''), await sorted('reversealphabetically')],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
  )
  assert.deepEqual(
    [await sorted('mostissues'), await sorted('leastissues')],
    [
      ['b', 'a'],
      ['a', 'b'],
    ],
  )
  assert.equal((await alice.must('GET', `${repo.api}/labels/b`)).json.id, b.id)
  assert.equal((await alice.must('GET', `${repo.api}/labels/${a.id}`)).json.name, 'a')
})

test('issueEditLabel and issueDeleteLabel: an edit without is_archived unarchives; deletion also deletes the timeline entries', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const label = (await alice.must('POST', `${repo.api}/labels`, { name: 'old', color: '#abc', is_archived: true })).json
  const issue = await forge.given.issue({ repo, labels: [label.id] })
  const path = `${repo.api}/labels/${label.id}`
  assert.equal((await alice.must('PATCH', path, { name: 'new' })).json.is_archived, false)
  assert.equal((await alice.patch(path, { color: 'red' })).status, 422)
  assert.equal((await forge.as('bob').patch(path, { name: 'x' })).status, 403)
  await alice.must('DELETE', path)
  await alice.must('DELETE', path)
  assert.equal((await alice.must('GET', `${issue.api}/timeline`)).json, null)
  assert.deepEqual((await alice.must('GET', issue.api)).json.labels, [])
})

test('orgCreateLabel, orgListLabels, orgGetLabel, orgEditLabel, orgDeleteLabel: only owners of the organization change its labels', async () => {
  await using forge = await startForge()
  const org = await forge.given.org()
  const alice = forge.as('alice')
  assert.equal((await forge.as('bob').post(`/orgs/${org}/labels`, { name: 'x', color: '#000' })).status, 403)
  const label = (await alice.must('POST', `/orgs/${org}/labels`, { name: 'shared', color: '#000' })).json
  assert.match(label.url, new RegExp(`/api/v1/orgs/${org}/labels/${label.id}$`))
  assert.equal((await alice.must('PATCH', `/orgs/${org}/labels/${label.id}`, { color: 'fff' })).json.color, 'ffffff')
  assert.deepEqual(names((await alice.must('GET', `/orgs/${org}/labels`)).json), ['shared'])
  assert.equal((await alice.must('GET', `/orgs/${org}/labels/${label.id}`)).json.name, 'shared')
  await alice.must('DELETE', `/orgs/${org}/labels/${label.id}`)
  assert.equal((await alice.get(`/orgs/${org}/labels/${label.id}`)).status, 404)
})

test('makeFirstLabels: a new repository has the labels of the requested set', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo({ issue_labels: 'Default' })
  const labels = (await forge.as('alice').must('GET', `${repo.api}/labels`)).json
  assert.deepEqual([labels.length, labels[0].name, labels[0].color], [7, 'bug', 'ee0701'])
})

test('issueCreateMilestone, issueEditMilestone, issueDeleteMilestone, issueGetMilestone, issueGetMilestonesList', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const late = (await alice.must('POST', `${repo.api}/milestones`, { title: ' late ', due_on: '2030-01-01T00:00:00Z' }))
    .json
  await alice.must('POST', `${repo.api}/milestones`, { title: 'never' })
  await alice.must('POST', `${repo.api}/milestones`, { title: 'soon', due_on: '2029-01-01T00:00:00Z', state: 'closed' })
  const listed = async (query: string) =>
    (await alice.must('GET', `${repo.api}/milestones?${query}`)).json.map((each: { title: string }) => each.title)
  assert.deepEqual(await listed(''), ['soon', 'late', 'never'])
  assert.deepEqual([await listed('state=open'), await listed('name=SOO')], [['late', 'never'], ['soon']])
  const issue = await forge.given.issue({ repo, milestone: late.id })
  await alice.must('PATCH', issue.api, { state: 'closed' })
  const read = (await alice.must('GET', `${repo.api}/milestones/late`)).json
  assert.deepEqual([read.open_issues, read.closed_issues], [0, 1])
  const closed = (await alice.must('PATCH', `${repo.api}/milestones/${late.id}`, { title: '', state: 'closed' })).json
  assert.deepEqual([closed.title, closed.state, closed.closed_at === null], ['late', 'closed', false])
  assert.equal((await forge.as('bob').delete(`${repo.api}/milestones/${late.id}`)).status, 403)
  await alice.must('DELETE', `${repo.api}/milestones/${late.id}`)
  assert.equal((await alice.must('GET', issue.api)).json.milestone, null)
})
