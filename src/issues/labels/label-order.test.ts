import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenPull } from '../../testing/given-pull.ts'
import { startForge } from '../../testing/forge.ts'
import { Receiver } from '../../webhooks/receiver.test-support.ts'

test('issueGetIssue, issueListIssues, issueGetLabels and others: every answer lists labels by name, whatever was set first', async () => {
  await using forge = await startForge()
  await using receiver = await Receiver.start()
  const pull = await givenPull(forge)
  const { api } = pull.repo
  const alice = forge.as('alice')
  const config = { url: receiver.url, content_type: 'json' }
  await alice.must('POST', `${api}/hooks`, { type: 'gitea', active: true, events: ['issues', 'pull_request'], config })
  const ids: number[] = []
  for (const name of ['b', 'é', 'B', 'a', 'A']) {
    const { json } = await alice.must('POST', `${api}/labels`, { name, color: '#00aabb' })
    ids.push(json.id)
  }
  const byName = ['A', 'B', 'a', 'b', 'é']
  const namesOf = (labels: readonly { readonly name: string }[]) => labels.map(({ name }) => name)
  const made = (await alice.must('POST', `${api}/issues`, { title: 'an issue', labels: ids })).json
  assert.deepEqual(namesOf(made.labels), byName)
  const set = await alice.must('POST', `${api}/issues/${pull.number}/labels`, { labels: ids })
  assert.deepEqual(namesOf(set.json), byName)
  const answers = {
    issue: (await alice.get(`${api}/issues/${made.number}`)).json.labels,
    issues: (await alice.get(`${api}/issues?type=issues`)).json[0].labels,
    search: (await alice.get('/repos/issues/search?type=issues')).json[0].labels,
    labels: (await alice.get(`${api}/issues/${made.number}/labels`)).json,
    pull: (await alice.get(pull.api)).json.labels,
    pulls: (await alice.get(`${api}/pulls`)).json[0].labels,
    repository: (await alice.get(`${api}/labels`)).json,
    replaced: (await alice.must('PUT', `${api}/issues/${made.number}/labels`, { labels: ids.toReversed() })).json,
  }
  for (const [where, labels] of Object.entries(answers)) assert.deepEqual(namesOf(labels), byName, where)
  await forge.settle()
  const delivered = receiver.got.map(({ json }) => namesOf((json.issue ?? json.pull_request).labels))
  assert.ok(delivered.length > 0)
  for (const labels of delivered) assert.deepEqual(labels, byName)
})
