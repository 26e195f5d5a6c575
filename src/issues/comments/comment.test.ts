import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { changeLock } from '../issue-change.service.ts'
import { findIssue } from '../issue.store.ts'
import { base64 } from '../../testing/samples.ts'

/** Locks a conversation; the API has no operation for this. */
async function lock(forge: Forge, repoId: number, index: number): Promise<void> {
  const { db } = forge.services
  const issue = await findIssue(db, repoId as never, index)
  assert.ok(issue)
  const by = { doerId: issue.poster_id, atUnix: 1, isDated: false }
  await transaction(db, (tx) => changeLock(tx, by, issue, true, 'Spam'))
}

const kinds = (timeline: readonly { type: string }[] | null): string[] => (timeline ?? []).map((entry) => entry.type)

test('issueCreateComment: a reader can neither comment on nor react to a locked issue; a writer can', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const issue = await forge.given.issue({ repo })
  await lock(forge, (await forge.as('alice').must('GET', repo.api)).json.id, issue.number)
  const reply = await forge.as('reader').post(`${issue.api}/comments`, { body: 'hello' })
  assert.deepEqual([reply.status, reply.json.message], [403, 'the conversation is locked'])
  assert.equal((await forge.as('reader').post(`${issue.api}/reactions`, { content: '+1' })).status, 403)
  assert.equal((await forge.as('alice').post(`${issue.api}/comments`, { body: 'hello' })).status, 201)
  const timeline = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json
  assert.deepEqual([kinds(timeline), timeline[0].body], [['lock', 'comment'], 'Spam'])
})

test('issueEditComment: the author and writers edit it, other accounts get 403 without a body; the issue does not count as changed', async () => {
  await using forge = await startForge({ standAt: Date.parse('2030-01-01T00:00:00Z') })
  const issue = await forge.given.issue()
  const { id } = (await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'first' })).json
  const path = `${issue.repo.api}/issues/comments/${id}`
  forge.clock.advance(5000)
  assert.deepEqual([(await forge.as('carol').patch(path, { body: 'x' })).status], [403])
  assert.equal((await forge.as('carol', {}).patch(path, { body: 'x' })).status, 401)
  const edited = (await forge.as('bob').must('PATCH', path, { body: 'second' })).json
  assert.deepEqual([edited.body, edited.updated_at], ['second', '2030-01-01T00:00:05Z'])
  assert.equal((await forge.as('bob').must('GET', issue.api)).json.updated_at, '2030-01-01T00:00:00Z')
  const old = await forge.as('alice').patch(`${issue.api}/comments/${id}`, { body: 'by the old address' })
  assert.deepEqual([old.status, old.json.body], [200, 'by the old address'])
})

test('issueDeleteComment: deletes the comment, lowers the count and neuters its reference', async () => {
  await using forge = await startForge()
  const target = await forge.given.issue()
  const issue = await forge.given.issue({ repo: target.repo })
  const { id } = (await forge.as('bob').must('POST', `${issue.api}/comments`, { body: `see #${target.number}` })).json
  const path = `${issue.repo.api}/issues/comments/${id}`
  assert.equal((await forge.as('alice').must('GET', issue.api)).json.comments, 1)
  await forge.as('bob').must('DELETE', path)
  assert.equal((await forge.as('bob').delete(path)).status, 404)
  assert.equal((await forge.as('alice').must('GET', issue.api)).json.comments, 0)
  const [entry] = (await forge.as('alice').must('GET', `${target.api}/timeline`)).json
  assert.deepEqual([entry.type, entry.ref_action, entry.ref_comment], ['comment_ref', 'neutered', null])
})

test('issueEditComment, issueDeleteComment: the API and the pages refuse other accounts with one code and one text, whatever the entry', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const { id } = (await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'first' })).json
  await forge.as('alice').must('PATCH', issue.api, { title: 'renamed' })
  const timeline = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json
  const renamed = timeline.find((entry: { type: string }) => entry.type === 'change_title')
  const text = 'only the author and people with write access may edit or delete this'
  for (const entry of [id, renamed.id]) {
    const path = `${issue.repo.api}/issues/comments/${entry}`
    for (const reply of [await forge.as('carol').patch(path, { body: 'x' }), await forge.as('carol').delete(path)]) {
      assert.deepEqual([reply.status, reply.json.code, reply.json.message], [403, 'comment_of_other', text])
    }
  }
  assert.equal(
    (await forge.as('alice').patch(`${issue.repo.api}/issues/comments/${renamed.id}`, { body: 'x' })).status,
    204,
  )
})

test('issueGetComment: an entry that is no comment has no content; an entry of another repository is 404', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const other = await forge.given.repo()
  await forge.as('alice').must('PATCH', issue.api, { title: 'renamed' })
  const [entry] = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json
  assert.equal((await forge.as('alice').get(`${issue.repo.api}/issues/comments/${entry.id}`)).status, 204)
  assert.equal((await forge.as('alice').get(`${other.api}/issues/comments/${entry.id}`)).status, 404)
})

test('issueGetRepoComments and issueGetComments: filters by time, and returns all comments without a page parameter', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  for (const body of ['one', 'two', 'three']) await forge.as('alice').must('POST', `${issue.api}/comments`, { body })
  const bodies = async (path: string) =>
    (await forge.as('bob').must('GET', path)).json.map((comment: { body: string }) => comment.body)
  assert.deepEqual(await bodies(`${issue.api}/comments`), ['one', 'two', 'three'])
  assert.deepEqual(await bodies(`${issue.api}/comments?limit=1`), ['one'])
  assert.deepEqual(await bodies(`${issue.api}/comments?limit=2&page=2`), ['three'])
  const page = await forge.as('bob').must('GET', `${issue.api}/comments?limit=2`)
  assert.equal(page.headers.get('x-total-count'), '3')
  await forge.as('alice').must('POST', `${issue.api}/comments`, { body: 'four' })
  assert.deepEqual(await bodies(`${issue.api}/comments?limit=2&page=2`), ['three', 'four'])
  await forge.as('alice').must('DELETE', `${issue.repo.api}/issues/comments/${page.json[0].id}`)
  assert.deepEqual(await bodies(`${issue.api}/comments?limit=1`), ['two'])
  assert.deepEqual(await bodies(`${issue.repo.api}/issues/comments?limit=2&page=2`), ['four'])
  assert.equal((await forge.as('bob').get(`${issue.api}/comments?since=x`)).status, 422)
})

test('issueGetCommentsAndTimeline: omits references from a private repository that the viewer cannot read', async () => {
  await using forge = await startForge()
  const target = await forge.given.issue()
  const hidden = await forge.given.repo({ private: true })
  await forge.given.issue({ repo: hidden, body: `about ${target.repo.fullName}#${target.number}` })
  const seen = async (as: string) => kinds((await forge.as(as).must('GET', `${target.api}/timeline`)).json)
  assert.deepEqual([await seen('alice'), await seen('bob')], [['issue_ref'], []])
})

test('issueEditIssue: an edit neuters removed references and records new ones', async () => {
  await using forge = await startForge()
  const target = await forge.given.issue()
  const issue = await forge.given.issue({ repo: target.repo, body: `see #${target.number}` })
  const actions = async () =>
    ((await forge.as('alice').must('GET', `${target.api}/timeline`)).json as { ref_action: string }[]).map(
      (entry) => entry.ref_action,
    )
  await forge.as('alice').must('PATCH', issue.api, { body: `see #${target.number} again` })
  assert.deepEqual(await actions(), ['none'])
  await forge.as('alice').must('PATCH', issue.api, { body: 'nothing' })
  assert.deepEqual(await actions(), ['neutered'])
})

test('issueCreateComment: a mention in a list counts if the account can read the issue', async () => {
  await using forge = await startForge()
  await forge.account('bob')
  const open = await forge.given.issue()
  const hidden = await forge.given.issue({ repo: await forge.given.repo({ private: true }) })
  for (const issue of [open, hidden]) {
    await forge.as('alice').must('POST', `${issue.api}/comments`, { body: 'what does @bob think of `@carol`?' })
    const found = (await forge.as('alice').must('GET', `${issue.repo.api}/issues?mentioned_by=bob`)).json
    assert.equal(found.length, issue === open ? 1 : 0)
  }
})

test('readCommitMessages: a push to the default branch closes the issues in its messages, once', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  await forge.as('alice').must('POST', `${issue.repo.api}/contents/a.txt`, {
    content: base64('a'),
    message: `Add it\n\nfixes #${issue.number} @1h30m`,
  })
  await forge.settle()
  assert.equal((await forge.as('alice').must('GET', issue.api)).json.state, 'closed')
  const timeline = (await forge.as('alice').must('GET', `${issue.api}/timeline`)).json
  assert.deepEqual(kinds(timeline), ['commit_ref', 'close', 'add_time_manual'])
  assert.match(timeline[0].body, /^<a href="\/alice\/.*\/commit\/[0-9a-f]{40}">Add it<\/a>$/)
  const [time] = (await forge.as('alice').must('GET', `${issue.api}/times`)).json
  assert.equal(time.time, 5400)
})

test('issuePostIssueReaction, issueGetIssueReactions, issueDeleteIssueReaction: a first reaction is 201 and a repeated one 200; unknown reactions are refused; an empty list is null', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const path = `${issue.api}/reactions`
  const bob = forge.as('bob')
  assert.equal((await bob.get(path)).json, null)
  assert.equal((await bob.post(path, { content: 'heart' })).status, 201)
  assert.equal((await bob.post(path, { content: 'heart' })).status, 200)
  assert.equal((await bob.post(path, { content: 'shrug' })).status, 403)
  const [reaction] = (await bob.must('GET', path)).json
  assert.deepEqual([reaction.content, reaction.user.login], ['heart', 'bob'])
  assert.equal((await bob.delete(path, { content: 'heart' })).status, 200)
  assert.equal((await bob.get(path)).json, null)
})

test('issuePostCommentReaction, issueGetCommentReactions, issueDeleteCommentReaction: the path names a comment of the repository', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const bob = forge.as('bob')
  const { id } = (await bob.must('POST', `${issue.api}/comments`, { body: 'x' })).json
  const path = `${issue.repo.api}/issues/comments/${id}/reactions`
  assert.equal((await forge.guest.post(path, { content: 'eyes' })).status, 401)
  assert.equal((await bob.post(path, { content: 'shrug' })).status, 403)
  const elsewhere = `${(await forge.given.repo()).api}/issues/comments/${id}/reactions`
  assert.equal((await bob.get(elsewhere)).status, 404)
  assert.equal((await bob.post(elsewhere, { content: 'eyes' })).status, 404)
  assert.equal((await bob.get(path)).json, null)
  assert.equal((await bob.post(path, { content: 'eyes' })).status, 201)
  assert.equal((await bob.post(path, { content: 'eyes' })).status, 200)
  const [reaction] = (await forge.guest.get(path)).json
  assert.deepEqual([reaction.content, reaction.user.login], ['eyes', 'bob'])
  assert.equal((await bob.get(`${issue.api}/reactions`)).json, null, 'those of the issue are others')
  assert.equal((await forge.as('alice').delete(path, { content: 'eyes' })).status, 200)
  assert.equal((await bob.get(path)).json.length, 1, 'one takes back only what one gave')
  assert.equal((await bob.delete(path, { content: 'eyes' })).status, 200)
  assert.equal((await bob.get(path)).json, null)
})

test('issueEditCommentDeprecated, issueDeleteCommentDeprecated: act like the short path, for the author and writers', async () => {
  await using forge = await startForge()
  const issue = await forge.given.issue()
  const { id } = (await forge.as('bob').must('POST', `${issue.api}/comments`, { body: 'first' })).json
  const path = `${issue.api}/comments/${id}`
  assert.equal((await forge.guest.patch(path, { body: 'x' })).status, 401)
  assert.equal((await forge.as('carol').patch(path, { body: 'x' })).status, 403)
  assert.equal((await forge.as('carol').delete(path)).status, 403)
  assert.equal((await forge.as('bob').patch(`${issue.api}/comments/4711`, { body: 'x' })).status, 404)
  assert.equal((await forge.as('bob').must('PATCH', path, { body: 'second' })).json.body, 'second')
  assert.equal((await forge.as('alice').delete(path)).status, 204)
  assert.equal((await forge.as('alice').delete(path)).status, 404)
  assert.deepEqual((await forge.as('bob').must('GET', `${issue.api}/comments`)).json, [])
})
