import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRepoByName } from '../../access/access.store.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs } from '../../refs/changes/ref-door.service.ts'
import { eventsNamed } from '../../testing/events.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { collaborator, commitFiles, givenPull, type GivenPull } from '../../testing/given-pull.ts'

const review = (forge: Forge, pull: GivenPull, as: string, body: object) =>
  forge.as(as).post(`${pull.api}/reviews`, body)

const reviews = async (forge: Forge, pull: GivenPull, as = 'alice') =>
  (await forge.as(as).get(`${pull.api}/reviews`)).json as {
    id: number
    state: string
    stale: boolean
    dismissed: boolean
    official: boolean
    user: { login: string }
  }[]

test('repoCreatePullReview: refuses invalid reviews', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const status = async (as: string, body: object) => (await review(forge, pull, as, body)).status
  assert.equal((await forge.guest.post(`${pull.api}/reviews`, { event: 'APPROVED' })).status, 401)
  assert.equal(await status('alice', { event: 'APPROVED' }), 422, 'an own one')
  assert.equal(await status('bob', { event: 'COMMENT' }), 422, 'without a text')
  assert.equal(await status('bob', { event: 'REQUEST_CHANGES', body: ' ' }), 422)
  assert.equal(await status('bob', { event: 'PENDING' }), 422)
  assert.equal(await status('bob', { event: 'APPROVED', commit_id: 'f'.repeat(40) }), 422)
  await forge.as('alice').must('PUT', '/user/block/bob')
  assert.equal(await status('bob', { event: 'APPROVED' }), 403, 'blocked')
})

test('repoCreatePullReview: a review can only name commits of its pull request', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const { repo } = pull
  const other = await givenPull(forge, { repo })
  const base = (await forge.guest.get(`${repo.api}/branches/main`)).json.commit.id
  await forge.account('mallory')
  const { json: fork } = await forge.as('mallory').must('POST', `${repo.api}/forks`, {})
  const api = `/repos/${fork.full_name}`
  const forked = { repo: { ...repo, owner: 'mallory', api }, number: 0 }
  const evil = await commitFiles(forge, forked.repo, 'evil', { 'evil.txt': 'x\n' }, { as: 'mallory' })
  await forge.as('mallory').must('POST', `${repo.api}/pulls`, { head: 'mallory:evil', base: 'main', title: 'Evil' })
  await forge.settle()

  const answer = async (commit: unknown, more: object = {}) => {
    const reply = await review(forge, pull, 'mallory', { event: 'COMMENT', body: 'see', commit_id: commit, ...more })
    return [reply.status, reply.json.commit_id]
  }
  const comments = [{ path: `${pull.branch}.txt`, body: 'here', new_position: 1 }]
  const foreign = { fork: evil, 'another pull request': other.head, base, unknown: 'f'.repeat(40), branch: 'main' }
  for (const [name, commit] of Object.entries(foreign)) {
    for (const named of new Set([commit, commit.slice(0, 10)])) {
      assert.deepEqual(await answer(named), [422, undefined], name)
      assert.deepEqual(await answer(named, { comments }), [422, undefined], `${name}, with comments`)
      assert.deepEqual(await answer(named, { event: 'PENDING' }), [422, undefined], `${name}, pending`)
    }
  }
  for (const head of [undefined, '', pull.head, pull.head.slice(0, 10)]) {
    assert.deepEqual(await answer(head), [200, pull.head], String(head))
  }
  const next = await commitFiles(forge, repo, pull.branch, { 'more.txt': 'more\n' })
  await forge.settle()
  for (const commit of [next, pull.head]) assert.deepEqual(await answer(commit), [200, commit], 'an earlier one')
})

test('repoCreatePullReview: a review of a commit of a rewritten head is accepted and stale', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const { db, git } = forge.services
  const { user } = await forge.account('alice')
  const row = await findRepoByName(db, user.id, pull.repo.name)
  assert.ok(row)
  const old = await git.readCommit(row.git_key, pull.head as Oid)
  const person = { name: 'Alice', email: 'alice@example.com', unixSeconds: 1, offsetMinutes: 0 }
  const empty = (await git.readCommit(row.git_key, old.parents[0] as Oid)).tree
  const { oid: made } = await git.writeCommit(row.git_key, {
    parents: old.parents,
    tree: empty,
    author: person,
    committer: person,
    message: 'rewritten\n',
  })
  const change = { ref: branchRef(pull.branch), old: old.oid, new: made }
  await moveRefs(forge.services, codeOf(row), [change], { doerId: user.id, via: 'push' })
  await forge.settle()
  const { status, json } = await review(forge, pull, 'bob', { event: 'COMMENT', body: 'x', commit_id: pull.head })
  assert.deepEqual([status, json.commit_id, json.stale], [200, pull.head, true])
})

test('repoCreatePullReview, repoSubmitPullReview: only its author sees a pending review until its submission', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const file = `${pull.branch}.txt`
  const pending = await review(forge, pull, 'bob', {
    event: 'PENDING',
    body: 'not yet',
    comments: [{ path: file, body: 'a note', new_position: 1 }],
  })
  assert.deepEqual([pending.status, pending.json.state, pending.json.comments_count], [200, 'PENDING', 1])
  const at = `${pull.api}/reviews/${pending.json.id}`
  for (const path of [at, `${at}/comments`]) assert.equal((await forge.as('alice').get(path)).status, 404, path)
  assert.equal((await forge.as('root').get(at)).status, 200, 'repoGetPullReview by an administrator')
  const seen = await forge.as('alice').get(`${pull.repo.api}/issues/${pull.number}/timeline`)
  assert.ok(!seen.text.includes('not yet'))
  const joined = await review(forge, pull, 'bob', {
    event: 'PENDING',
    body: 'still',
    comments: [{ path: file, new_position: 1 }],
  })
  assert.deepEqual([joined.json.id, joined.json.comments_count], [pending.json.id, 2])
  const all = async (name: string) => (await forge.as(name).must('GET', `${pull.api}/comments`)).json.length
  assert.deepEqual([await all('bob'), await all('root'), await all('alice')], [2, 2, 0], 'repoGetPullRequestComments')
  assert.equal((await forge.as('bob').post(at, { event: 'PENDING', body: 'x' })).status, 422)
  assert.equal((await forge.as('alice').post(at, { event: 'COMMENT', body: 'x' })).status, 404)
  const submitted = await forge.as('bob').post(at, { event: 'APPROVED', body: 'fine' })
  assert.deepEqual([submitted.status, submitted.json.state], [200, 'APPROVED'])
  assert.equal((await forge.as('bob').post(at, { event: 'COMMENT', body: 'x' })).status, 422)
  assert.equal((await forge.as('alice').get(`${at}/comments`)).json.length, 2, 'repoGetPullReviewComments')
  const page = await forge.guest.must('GET', `${pull.api}/comments?limit=1&page=2`)
  assert.deepEqual([page.json.length, page.headers.get('x-total-count')], [1, '2'])
  assert.equal(page.json[0].pull_request_review_id, pending.json.id)
})

test('repoCreatePullReview: two concurrent pending reviews of one account become one', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await forge.account('bob')
  const both = await Promise.all(['a', 'b'].map((body) => review(forge, pull, 'bob', { event: 'PENDING', body })))
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200],
  )
  assert.equal((await reviews(forge, pull, 'bob')).length, 1)
})

test('repoListPullReviews: verdicts are official by rights, replaced by newer ones, and stale after content changes', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await collaborator(forge, pull.repo, 'bob')
  assert.equal((await review(forge, pull, 'carol', { event: 'APPROVED' })).json.official, false)
  assert.equal((await review(forge, pull, 'bob', { event: 'APPROVED' })).json.official, true)
  await review(forge, pull, 'bob', { event: 'REQUEST_CHANGES', body: 'no' })
  const flags = (await reviews(forge, pull)).map(({ state, official, dismissed }) => [state, official, dismissed])
  assert.deepEqual(flags, [
    ['APPROVED', false, false],
    ['APPROVED', false, true],
    ['REQUEST_CHANGES', true, false],
  ])
  await commitFiles(forge, pull.repo, pull.branch, { 'more.txt': 'more\n' })
  await forge.settle()
  assert.ok((await reviews(forge, pull)).every(({ stale }) => stale))
})

test('repoGetPullRequest: the number of comments includes reviews after a comment is created or deleted', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const counts = async () => {
    const { comments, review_comments: reviewed } = (await forge.guest.get(pull.api)).json
    return [comments, reviewed]
  }
  await review(forge, pull, 'bob', { event: 'APPROVED' })
  await review(forge, pull, 'bob', { event: 'COMMENT', body: 'hm' })
  assert.deepEqual(await counts(), [0, 2], 'a review alone does not raise the count')
  const comments = `${pull.repo.api}/issues/${pull.number}/comments`
  const { json: made } = await forge.as('bob').must('POST', comments, { body: 'hello' })
  assert.deepEqual(await counts(), [3, 2])
  await review(forge, pull, 'bob', { event: 'COMMENT', body: 'again' })
  assert.deepEqual(await counts(), [3, 3])
  await forge.as('bob').must('DELETE', `${pull.repo.api}/issues/comments/${made.id}`)
  assert.deepEqual(await counts(), [3, 3])
})

test('repoDeletePullReview: deleting a verdict restores the preceding one', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await collaborator(forge, pull.repo, 'bob')
  await review(forge, pull, 'bob', { event: 'APPROVED' })
  const { json } = await review(forge, pull, 'bob', { event: 'REQUEST_CHANGES', body: 'no' })
  assert.equal((await forge.as('alice').delete(`${pull.api}/reviews/${json.id}`)).status, 403)
  assert.equal((await forge.as('bob').delete(`${pull.api}/reviews/${json.id}`)).status, 204)
  const [left, ...others] = await reviews(forge, pull)
  assert.deepEqual([left?.state, left?.official, left?.dismissed, others.length], ['APPROVED', true, false, 0])
})

test('repoDismissPullReview, repoUnDismissPullReview: administrators dismiss verdicts of open pull requests only', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await collaborator(forge, pull.repo, 'bob')
  const { json: verdict } = await review(forge, pull, 'bob', { event: 'REQUEST_CHANGES', body: 'no' })
  const { json: note } = await review(forge, pull, 'carol', { event: 'COMMENT', body: 'hm' })
  const at = (id: number, what: string) => `${pull.api}/reviews/${id}/${what}`
  const body = { message: 'not needed' }
  assert.equal((await forge.as('bob').post(at(verdict.id, 'dismissals'), body)).status, 403)
  assert.equal((await forge.as('alice').post(at(note.id, 'dismissals'), body)).status, 403)
  assert.equal((await forge.as('alice').post(at(verdict.id, 'dismissals'), body)).json.dismissed, true)
  assert.equal((await forge.as('alice').post(at(verdict.id, 'undismissals'))).json.dismissed, false)
  await forge.as('alice').must('PATCH', pull.api, { state: 'closed' })
  assert.equal((await forge.as('alice').post(at(verdict.id, 'dismissals'), body)).status, 403)
})

test('repoCreatePullReviewComment, repoGetPullReviewComment, repoDeletePullReviewComment: line positions and rights', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const { json } = await review(forge, pull, 'bob', { event: 'COMMENT', body: 'see' })
  const at = `${pull.api}/reviews/${json.id}/comments`
  const made = await forge.as('bob').post(at, { path: `${pull.branch}.txt`, body: 'here', new_position: 1 })
  assert.deepEqual(
    [made.status, made.json.position, made.json.diff_hunk, made.json.commit_id],
    [200, 1, `@@ -0,0 +1 @@\n+${pull.branch}`, pull.head],
  )
  const far = await forge.as('bob').post(at, { path: 'nowhere.txt', body: 'there', old_position: 9 })
  assert.deepEqual([far.status, far.json.original_position, far.json.diff_hunk], [200, 9, ''])
  const one = `${at}/${made.json.id}`
  assert.equal((await forge.guest.get(one)).json.body, 'here')
  assert.equal((await forge.guest.delete(`${at}/999`)).status, 404)
  assert.equal((await forge.guest.delete(one)).status, 401)
  const refused = await forge.as('carol').delete(one)
  assert.deepEqual([refused.status, refused.json.message !== ''], [403, true])
  assert.equal((await forge.as('alice').delete(one)).status, 204)
  assert.equal((await forge.guest.get(one)).status, 404)
})

test('repoCreatePullReviewRequests, repoDeletePullReviewRequests: rights of requester and reviewer', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await collaborator(forge, pull.repo, 'bob')
  await forge.account('carol')
  const at = `${pull.api}/requested_reviewers`
  const ask = async (as: string, body: object) => {
    const reply = await forge.as(as).post(at, body)
    return [reply.status, reply.json.length]
  }
  assert.deepEqual(await ask('alice', { reviewers: ['bob', 'carol@example.com'] }), [201, 2])
  assert.deepEqual(await ask('alice', { reviewers: ['bob'] }), [201, 0])
  assert.equal((await ask('alice', { reviewers: ['alice'] }))[0], 422)
  assert.equal((await ask('alice', { reviewers: ['nobody'] }))[0], 404)
  assert.equal((await ask('alice', { team_reviewers: ['crew'] }))[0], 422)
  assert.equal((await ask('dave', { reviewers: ['bob'] }))[0], 422)
  assert.equal((await ask('root', { reviewers: ['bob'] }))[0], 422)
  assert.equal((await forge.as('carol').delete(at, { reviewers: ['carol'] })).status, 204, 'declined')
  const requested = (await forge.guest.get(pull.api)).json.requested_reviewers
  assert.deepEqual(
    requested.map((user: { login: string }) => user.login),
    ['bob'],
  )
})

test('repoCreatePullReviewComment, repoDeletePullReviewComment, repoDeletePullReview: a pending review notifies nobody', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const bob = forge.as('bob')
  const line = { path: `${pull.branch}.txt`, body: 'a note', new_position: 1 }
  const commentOn = async (at: string) => (await bob.must('POST', `${at}/comments`, line)).json.id as number
  const pending = await review(forge, pull, 'bob', { event: 'PENDING', body: 'not yet' })
  const hidden = `${pull.api}/reviews/${pending.json.id}`
  await bob.must('DELETE', `${hidden}/comments/${await commentOn(hidden)}`)
  await bob.must('DELETE', hidden)
  for (const name of ['issue.commented', 'comment.deleted', 'review.deleted'] as const) {
    assert.deepEqual(await eventsNamed(forge, name), [], name)
  }
  const reviewed = await review(forge, pull, 'bob', { event: 'COMMENT', body: 'hear me' })
  const at = `${pull.api}/reviews/${reviewed.json.id}`
  const commentId = await commentOn(at)
  await bob.must('DELETE', `${at}/comments/${commentId}`)
  await bob.must('DELETE', at)
  const idsOf = async (name: 'issue.commented' | 'comment.deleted') =>
    (await eventsNamed(forge, name)).map((data) => [data['commentId'], data['isPull']])
  assert.deepEqual(await idsOf('issue.commented'), [[commentId, true]])
  assert.deepEqual(await idsOf('comment.deleted'), [[commentId, true]])
  assert.equal((await eventsNamed(forge, 'review.deleted'))[0]?.['reviewId'], reviewed.json.id)
})
