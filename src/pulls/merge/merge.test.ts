import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRepoByName } from '../../access/access.store.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { findIssue } from '../../issues/issue.store.ts'
import { Unavailable } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { codeOf } from '../../refs/git-repository.ts'
import { moveRefs, type RefOrigin } from '../../refs/changes/ref-door.service.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { mergeEffect } from './merge-record.service.ts'
import { findPullByIssue } from '../pull.store.ts'
import { collaborator, commitFiles, givenPull, type GivenPull } from '../../testing/given-pull.ts'

const merge = (forge: Forge, pull: GivenPull, body: object = { Do: 'merge' }, as = pull.repo.owner) =>
  forge.as(as).post(`${pull.api}/merge`, body)

const newest = async (forge: Forge, repo: GivenRepo, branch = 'main') =>
  (await forge.as(repo.owner).get(`${repo.api}/commits?sha=${branch}&limit=1&stat=false&files=false`)).json[0]

async function rowOf(forge: Forge, repo: GivenRepo): Promise<RepoRow> {
  const { user } = await forge.account(repo.owner)
  return (await findRepoByName(forge.services.db, user.id, repo.name)) as RepoRow
}

for (const [style, parents] of [
  ['merge', 2],
  ['squash', 1],
  ['rebase', 1],
  ['rebase-merge', 2],
  ['fast-forward-only', 1],
] as const) {
  test(`repoMergePullRequest: ${style}`, async () => {
    await using forge = await startForge()
    const pull = await givenPull(forge)
    assert.equal((await forge.guest.get(`${pull.api}/merge`)).status, 404, 'repoPullRequestIsMerged')
    const reply = await merge(forge, pull, { Do: style })
    assert.deepEqual([reply.status, reply.text], [200, ''])
    const tip = await newest(forge, pull.repo)
    assert.equal(tip.parents.length, parents)
    const merged = (await forge.guest.get(pull.api)).json
    assert.deepEqual(
      [merged.merged, merged.state, merged.merge_commit_sha, merged.merged_by.login],
      [true, 'closed', tip.sha, 'alice'],
    )
    assert.equal((await forge.guest.get(`${pull.api}/merge`)).status, 204)
    const found = await forge.guest.get(`${pull.repo.api}/commits/${tip.sha}/pull`)
    assert.equal(found.json.number, pull.number, 'repoGetCommitPullRequest')
    assert.equal((await merge(forge, pull, { Do: style })).status, 405)
  })
}

test('repoMergePullRequest: refuses readers, drafts, closed pull requests, unexpected heads and conflicts', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const pull = await givenPull(forge, { repo, title: 'WIP: later' })
  const status = async (body: object, as?: string) => (await merge(forge, pull, body, as)).status
  assert.equal((await forge.guest.post(`${pull.api}/merge`, { Do: 'merge' })).status, 401)
  assert.equal(await status({}), 422)
  assert.equal(await status({ Do: 'octopus' }), 422)
  assert.equal(await status({ Do: 'merge' }, 'bob'), 405)
  assert.equal(await status({ Do: 'merge' }), 405, 'a draft')
  await forge.as('alice').must('PATCH', pull.api, { title: 'Now', state: 'closed' })
  assert.equal(await status({ Do: 'merge' }), 404, 'closed')
  await forge.as('alice').must('PATCH', pull.api, { state: 'open' })
  assert.equal(await status({ Do: 'merge', head_commit_id: '1'.repeat(40) }), 409)
  await commitFiles(forge, repo, 'main', { [`${pull.branch}.txt`]: 'other\n' })
  assert.equal(await status({ Do: 'merge' }), 405, 'conflict')
  await forge.as('alice').must('PATCH', repo.api, { has_pull_requests: true, allow_merge_commits: false })
  const other = await givenPull(forge, { repo })
  assert.equal((await merge(forge, other)).status, 405, 'style not allowed')
})

test('repoMergePullRequest: one of six concurrent requests merges the pull request', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const replies = await Promise.all(Array.from({ length: 6 }, () => merge(forge, pull, { Do: 'squash' })))
  const statuses = replies.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.equal(statuses[0], 200)
  assert.ok(
    statuses.slice(1).every((status) => status === 405 || status === 409),
    String(statuses),
  )
  const log = await forge.as('alice').get(`${pull.repo.api}/commits`)
  assert.equal(log.json.length, 2, 'one commit was added')
})

test('repoMergePullRequest: concurrent merges and pushes lose no commit', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const pulls = [await givenPull(forge, { repo }), await givenPull(forge, { repo }), await givenPull(forge, { repo })]
  const replies = await Promise.all([
    ...pulls.map((pull) => merge(forge, pull)),
    commitFiles(forge, repo, 'main', { 'between.txt': 'x\n' }).catch(() => undefined),
  ])
  const merged = pulls.filter((_, index) => (replies[index] as { status: number }).status === 200)
  assert.ok(merged.length > 0)
  for (const pull of pulls) {
    const { json } = await forge.guest.get(pull.api)
    assert.equal(json.merged, merged.includes(pull), 'rows agree with the answers')
    const file = await forge.guest.get(`${repo.api}/contents/${pull.branch}.txt`)
    assert.equal(file.status, merged.includes(pull) ? 200 : 404, 'and with the base')
  }
})

/** Prepares a merge: the commit of the base, and what belongs to it. */
async function givenPreparedMerge(forge: Forge) {
  const pull = await givenPull(forge)
  const { git, db } = forge.services
  const repo = await rowOf(forge, pull.repo)
  const { user } = await forge.account('alice')
  const issue = await findIssue(db, repo.id, pull.number)
  const row = issue && (await findPullByIssue(db, issue.id))
  assert.ok(row)
  const head = await git.readCommit(repo.git_key, row.synced_oid)
  /** Writes a commit with the given parent. */
  const commitOn = async (base: Oid, ...more: Oid[]): Promise<Oid> => {
    const person = { name: 'Alice', email: 'alice@example.com', unixSeconds: 1, offsetMinutes: 0 }
    const { oid } = await git.writeCommit(repo.git_key, {
      parents: [base, ...more],
      tree: head.tree,
      author: person,
      committer: person,
      message: 'prepared\n',
    })
    return oid
  }
  const base = (await git.readRef(repo.git_key, branchRef('main'))) as Oid
  const made = await commitOn(base, head.oid)
  const change = { ref: branchRef('main'), old: base, new: made }
  const origin: RefOrigin = { doerId: user.id, via: 'merge' }
  const effect = mergeEffect({ pullId: row.id, mergerId: user.id, closes: [], reopens: [] })
  const shown = async (): Promise<unknown[]> => {
    const { json } = await forge.guest.get(pull.api)
    return [json.merged, json.merge_commit_sha, json.merged_by?.login]
  }
  return { repo, change, made, commitOn, origin, effect, shown, merged: [true, made, 'alice'] }
}

test('a merge is recorded with the move of its base, and stays when the base moves on', async () => {
  await using forge = await startForge()
  const { services } = forge
  const { repo, change, made, commitOn, origin, effect, shown, merged } = await givenPreparedMerge(forge)
  assert.deepEqual(await moveRefs(services, codeOf(repo), [change], origin, { effect }), { ok: true })
  assert.deepEqual(await shown(), merged)
  const next = { ...change, old: made, new: await commitOn(made) }
  assert.deepEqual(await moveRefs(services, codeOf(repo), [next], origin), { ok: true })
  assert.deepEqual(await shown(), merged)
  const { json } = await forge.guest.get(`/repos/alice/${repo.name}/branches/main`)
  assert.equal(json.commit.id, next.new)
})

test('a merge is not recorded when the base moved elsewhere meanwhile', async () => {
  await using forge = await startForge()
  const { services } = forge
  const { repo, change, commitOn, origin, effect, shown } = await givenPreparedMerge(forge)
  await moveRefs(services, codeOf(repo), [{ ...change, new: await commitOn(change.old) }], origin)
  const result = await moveRefs(services, codeOf(repo), [change], origin, { effect })
  assert.equal(result.ok ? '' : result.reason, 'stale')
  assert.equal((await shown())[0], false)
})

test('repoMergePullRequest: a merge that failed in git can be retried at once', async (t) => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const busy = t.mock.method(forge.services.git, 'keepObjects', () =>
    Promise.reject(new Unavailable('the disk is away', 'disk_away')),
  )
  assert.equal((await merge(forge, pull)).status, 503)
  busy.mock.restore()
  assert.equal((await merge(forge, pull)).status, 200)
})

test('repoMergePullRequest: the merger closes the issues that the texts reference', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const issue = await forge.given.issue({ repo })
  const kept = await forge.given.issue({ repo })
  const addressed = await forge.given.issue({ repo })
  const address = `${forge.url}/${repo.fullName}/issues/${addressed.number}`
  const body = `fixes #${issue.number}, see #${kept.number}\n\nCloses ${address}.`
  const pull = await givenPull(forge, { repo, body })
  assert.equal((await merge(forge, pull)).status, 200)
  for (const each of [issue, addressed]) assert.equal((await forge.guest.get(each.api)).json.state, 'closed')
  assert.equal((await forge.guest.get(kept.api)).json.state, 'open')
})

test('repoMergePullRequest: deleting the head retargets dependent pull requests; protected heads stay', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const parent = await givenPull(forge, { repo })
  const child = await givenPull(forge, { repo, base: parent.branch })
  assert.equal((await merge(forge, parent, { Do: 'merge', delete_branch_after_merge: true })).status, 200)
  assert.equal((await forge.guest.get(`${repo.api}/branches/${parent.branch}`)).status, 404)
  const moved = (await forge.guest.get(child.api)).json
  assert.deepEqual([moved.state, moved.base.ref], ['open', 'main'])
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, { rule_name: child.branch })
  assert.equal((await merge(forge, child, { Do: 'merge', delete_branch_after_merge: true })).status, 403)
  assert.equal((await forge.guest.get(child.api)).json.merged, true)
})

test('repoMergePullRequest: a request that is silent about the head follows the repository, as far as the branch may be deleted', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PATCH', repo.api, { default_delete_branch_after_merge: true })
  const headOf = async (pull: { readonly branch: string }) =>
    (await alice.get(`${repo.api}/branches/${pull.branch}`)).status
  const [silent, kept, fixed] = [
    await givenPull(forge, { repo }),
    await givenPull(forge, { repo }),
    await givenPull(forge, { repo }),
  ]
  assert.equal((await merge(forge, silent, { Do: 'merge' })).status, 200)
  assert.equal(await headOf(silent), 404)
  assert.equal((await merge(forge, kept, { Do: 'merge', delete_branch_after_merge: false })).status, 200)
  assert.equal(await headOf(kept), 200)
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: fixed.branch })
  assert.equal((await merge(forge, fixed, { Do: 'merge' })).status, 200)
  assert.equal(await headOf(fixed), 200)
})

test('repoMergePullRequest: protection blocks until an official approval; only administrators may force', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob')
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', required_approvals: 1 })
  const pull = await givenPull(forge, { repo })
  assert.equal((await merge(forge, pull, { Do: 'merge' }, 'bob')).status, 405)
  assert.equal((await merge(forge, pull, { Do: 'merge', force_merge: true }, 'bob')).status, 405)
  await forge.as('bob').must('POST', `${pull.api}/reviews`, { event: 'APPROVED' })
  assert.equal((await merge(forge, pull, { Do: 'merge' }, 'bob')).status, 200)
  const forced = await givenPull(forge, { repo })
  assert.equal((await merge(forge, forced, { Do: 'merge', force_merge: true })).status, 200)
})

test('repoMergePullRequest, repoCancelScheduledAutoMerge: a scheduled merge waits for its statuses', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, {
    rule_name: 'main',
    enable_status_check: true,
    status_check_contexts: ['ci'],
  })
  const pull = await givenPull(forge, { repo })
  const wait = { Do: 'squash', merge_when_checks_succeed: true, MergeTitleField: 'Automatic' }
  assert.equal((await forge.as('alice').delete(`${pull.api}/merge`)).status, 404)
  assert.equal((await merge(forge, pull, wait)).status, 201)
  assert.equal((await merge(forge, pull, wait)).status, 409)
  assert.equal((await forge.as('bob').delete(`${pull.api}/merge`)).status, 403)
  assert.equal((await forge.as('alice').delete(`${pull.api}/merge`)).status, 204)
  assert.equal((await merge(forge, pull, wait)).status, 201)
  await forge.as('alice').must('POST', `${repo.api}/statuses/${pull.head}`, { context: 'ci', state: 'success' })
  await forge.settle()
  assert.equal((await forge.guest.get(pull.api)).json.merged, true)
  assert.equal((await newest(forge, repo)).commit.message, 'Automatic\n')
})

test('repoMergePullRequest: merges by hand can be marked and are detected when pushed', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const marked = await givenPull(forge, { repo })
  const tip = (await newest(forge, repo)).sha
  assert.equal((await merge(forge, marked, { Do: 'manually-merged', MergeCommitID: tip })).status, 405)
  await forge
    .as('alice')
    .must('PATCH', repo.api, { has_pull_requests: true, allow_manual_merge: true, autodetect_manual_merge: true })
  assert.equal((await merge(forge, marked, { Do: 'manually-merged', MergeCommitID: 'abc' })).status, 409)
  assert.equal((await merge(forge, marked, { Do: 'manually-merged', MergeCommitID: marked.head })).status, 409)
  assert.equal((await merge(forge, marked, { Do: 'manually-merged', MergeCommitID: tip })).status, 200)
  assert.equal((await forge.guest.get(marked.api)).json.merge_commit_sha, tip)

  const noticed = await givenPull(forge, { repo })
  const { git } = forge.services
  const row = await rowOf(forge, repo)
  const base = (await newest(forge, repo)).sha as Oid
  const head = await git.readCommit(row.git_key, noticed.head as Oid)
  const person = { name: 'Bob', email: 'bob@example.com', unixSeconds: 1, offsetMinutes: 0 }
  const { user } = await forge.account('bob')
  const merged = { parents: [base, head.oid], tree: head.tree, author: person, committer: person, message: 'at home\n' }
  const { oid: made } = await git.writeCommit(row.git_key, merged)
  const change = { ref: branchRef('main'), old: base, new: made }
  await moveRefs(forge.services, codeOf(row), [change], { doerId: user.id, via: 'push' })
  await forge.settle()
  const { json } = await forge.guest.get(noticed.api)
  assert.deepEqual([json.merged, json.merge_commit_sha, json.merged_by.login], [true, made, 'bob'])
})

test('repoUpdatePullRequest: updates by merge and rebase, refuses, and keeps an up-to-date head', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const one = await givenPull(forge, { repo })
  const two = await givenPull(forge, { repo })
  const update = (pull: GivenPull, query = '', as = 'alice') => forge.as(as).post(`${pull.api}/update${query}`)
  assert.equal((await update(one)).status, 200, 'nothing to do')
  assert.equal((await forge.guest.get(one.api)).json.head.sha, one.head)
  const base = await commitFiles(forge, repo, 'main', { 'moved.txt': 'x\n' })
  const refused = await update(one, '', 'bob')
  assert.deepEqual([refused.status, refused.json.message !== ''], [403, true])
  assert.equal((await update(one)).status, 200)
  const merged = await newest(forge, repo, one.branch)
  assert.deepEqual([merged.parents.length, merged.commit.message], [2, `Merge branch 'main' into ${one.branch}\n`])
  assert.equal((await update(two, '?style=rebase')).status, 200)
  assert.equal((await newest(forge, repo, two.branch)).parents[0].sha, base)
  assert.equal((await forge.guest.get(two.api)).json.merge_base, base)
  await forge.as('alice').must('PATCH', one.api, { state: 'closed' })
  assert.equal((await update(one)).status, 422)
})
