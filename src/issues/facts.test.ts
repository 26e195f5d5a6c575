import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsNamed, idOf } from '../testing/events.ts'
import { startForge } from '../testing/forge.ts'

test('issueEditIssue, issueEditIssueDeadline: each event holds the previous value, and an edit without a change has no event', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue({ title: 'one', body: 'text' })
  const alice = forge.as('alice')
  await alice.must('PATCH', issue.api, { title: 'one', body: 'text', unset_due_date: true })
  assert.deepEqual(await eventsNamed(forge, 'issue.edited'), [])
  await alice.must('PATCH', issue.api, { title: 'two', body: 'more' })
  await alice.must('PATCH', issue.api, { ref: 'main' })
  await alice.must('PATCH', issue.api, { ref: 'main' })
  await alice.must('POST', `${issue.api}/deadline`, { due_date: '2030-01-02T00:00:00Z' })
  await alice.must('PATCH', issue.api, { unset_due_date: true })
  const [title, content, ref, due, noDue, ...more] = await eventsNamed(forge, 'issue.edited')
  const { id: issueId } = (await alice.get(issue.api)).json
  const doerId = await idOf(forge, 'alice')
  const about = { repoId: title?.['repoId'], issueId, doerId, isPull: false }
  assert.deepEqual(title, { ...about, posterId: doerId, oldTitle: 'one' })
  assert.deepEqual(content, { ...about, posterId: doerId, oldContent: 'text' })
  assert.deepEqual(ref, { ...about, oldRef: '' })
  assert.deepEqual(due, { ...about, oldDueUnix: 0 })
  const oldDueUnix = Number(noDue?.['oldDueUnix'])
  assert.equal(new Date(oldDueUnix * 1000).toISOString().slice(0, 10), '2030-01-02')
  assert.deepEqual([noDue, more], [{ ...about, oldDueUnix }, []])
})

test('issueEditComment: an equal text with another date writes no event', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const alice = forge.as('alice')
  const comment = (await alice.must('POST', `${issue.api}/comments`, { body: 'first' })).json
  const path = `${issue.repo.api}/issues/comments/${comment.id}`
  await alice.must('PATCH', path, { body: 'first', updated_at: comment.created_at })
  assert.deepEqual(await eventsNamed(forge, 'comment.edited'), [])
  await alice.must('PATCH', path, { body: 'second' })
  const [edited] = await eventsNamed(forge, 'comment.edited')
  assert.deepEqual([edited?.['commentId'], edited?.['oldContent']], [comment.id, 'first'])
})
