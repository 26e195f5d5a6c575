import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countQueries } from '../testing/count-queries.ts'
import type { Oid } from '../lib/ids.ts'
import { codeOf } from '../refs/git-repository.ts'
import { moveRefs } from '../refs/changes/ref-door.service.ts'
import { startForge } from '../testing/forge.ts'
import { collaborator, commitFiles, givenPull } from '../testing/given-pull.ts'
import { longestStall } from '../testing/loop-stalls.ts'

test('repoCreatePullRequest: refusals follow the order of the contract', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo, 'topic', { 'a.txt': 'a\n' })
  const post = async (who: string, body: object) => {
    const reply = await forge.as(who).post(`${repo.api}/pulls`, body)
    return [reply.status, reply.json.code]
  }
  const fine = { head: 'topic', base: 'main', title: 'T' }
  assert.equal((await forge.guest.post(`${repo.api}/pulls`, fine)).status, 401)
  assert.deepEqual(await post('alice', { head: 'topic', base: 'main' }), [422, 'invalid'])
  assert.deepEqual(await post('alice', { ...fine, head: 'main' }), [422, 'same_branches'])
  assert.deepEqual(await post('alice', { ...fine, head: 'alice:main' }), [422, 'same_branches'])
  assert.deepEqual(await post('alice', { ...fine, base: 'none' }), [404, 'branch_not_found'])
  assert.deepEqual(await post('alice', { ...fine, head: 'none' }), [404, 'branch_not_found'])
  assert.deepEqual(await post('alice', { ...fine, head: 'nobody:topic' }), [404, 'head_not_found'])
  assert.deepEqual(await post('alice', { ...fine, milestone: 99 }), [404, 'milestone_not_found'])
  assert.deepEqual(await post('alice', { ...fine, assignee: 'nobody' }), [422, 'assignee_unknown'])
  await forge.account('bob')
  await forge.as('alice').must('PUT', '/user/block/bob')
  assert.deepEqual(await post('bob', fine), [403, 'blocked'])
})

test('repoCreatePullRequest, repoGetPullRequest: a new pull request is checked before the reply', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const read = await forge.guest.get(pull.api)
  assert.equal(read.status, 200)
  assert.deepEqual(
    [read.json.mergeable, read.json.additions, read.json.changed_files, read.json.head.sha, read.json.state],
    [true, 1, 1, pull.head, 'open'],
  )
  const ref = await forge.guest.get(`${pull.repo.api}/git/refs/pull/${pull.number}/head`)
  assert.equal(ref.json[0].object.sha, pull.head)
})

test('repoCreatePullRequest: one of eight concurrent requests for the same branches succeeds', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo, 'topic', { 'a.txt': 'a\n' })
  const body = { head: 'topic', base: 'main', title: 'T' }
  const replies = await Promise.all(Array.from({ length: 8 }, () => forge.as('alice').post(`${repo.api}/pulls`, body)))
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [201, 409, 409, 409, 409, 409, 409, 409],
  )
  const list = await forge.as('alice').get(`${repo.api}/pulls`)
  assert.equal(list.json.length, 1)
})

test('repoListPullRequests: filters apply, and the number of queries is fixed', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const first = await givenPull(forge, { repo })
  const second = await givenPull(forge, { repo })
  await forge.as('alice').must('PATCH', first.api, { state: 'closed' })
  const numbers = async (query: string) =>
    (await forge.as('alice').get(`${repo.api}/pulls?${query}`)).json.map((each: { number: number }) => each.number)
  assert.deepEqual(await numbers(''), [second.number, first.number])
  assert.deepEqual(await numbers('state=bogus'), [second.number, first.number])
  assert.deepEqual(await numbers('state=open'), [second.number])
  assert.deepEqual(await numbers('state=closed'), [first.number])
  assert.deepEqual(await numbers('state=all&sort=oldest'), [first.number, second.number])
  assert.equal((await forge.as('alice').get(`${repo.api}/pulls?poster=nobody`)).status, 400)
  assert.equal((await forge.as('alice').get(`${repo.api}/pulls?labels=x`)).status, 422)
  // The minimum of several runs leaves out the queries of job workers.
  const queriesOfList = async (): Promise<number> => {
    await forge.settle()
    const counts: number[] = []
    for (let run = 0; run < 4; run++) {
      using queries = await countQueries(forge)
      await numbers('state=all')
      counts.push(queries.count)
    }
    return Math.min(...counts)
  }
  const forTwo = await queriesOfList()
  for (let made = 0; made < 4; made++) await givenPull(forge, { repo })
  assert.equal(await queriesOfList(), forTwo, 'the same for two and for six')
  assert.ok(forTwo <= 16, `${forTwo} queries`)
})

test('repoListPinnedPullRequests, repoGetPullRequestByBaseHead: find pull requests by pin and by branches', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  await forge.as('alice').must('POST', `${pull.repo.api}/issues/${pull.number}/pin`)
  const pinned = await forge.guest.get(`${pull.repo.api}/pulls/pinned`)
  assert.deepEqual([pinned.json.length, pinned.json[0].pin_order], [1, 1])
  const found = await forge.guest.get(`${pull.repo.api}/pulls/main/${pull.branch}`)
  assert.equal(found.json.number, pull.number)
  assert.equal((await forge.guest.get(`${pull.repo.api}/pulls/main/none`)).status, 404)
})

test('repoGetPullRequestCommits, repoGetPullRequestFiles, repoDownloadPullDiffOrPatch, downloadPullDiffOrPatch: return the changes', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const commits = await forge.guest.get(`${pull.api}/commits`)
  assert.deepEqual([commits.json[0].sha, commits.headers.get('x-total-count')], [pull.head, '1'])
  const files = await forge.guest.get(`${pull.api}/files`)
  assert.deepEqual([files.json[0].filename, files.json[0].status], [`${pull.branch}.txt`, 'added'])
  assert.match((await forge.guest.get(`${pull.api}.diff`)).text, /^diff --git /)
  assert.match((await forge.guest.get(`${pull.api}.patch`)).text, /^From /)
  const site = await forge.guest.get(`/${pull.repo.fullName}/pulls/${pull.number}.diff`, { site: true })
  assert.equal(site.text, (await forge.guest.get(`${pull.api}.diff`)).text)
})

test('repoEditPullRequest: others get an empty 403, a refused state keeps the earlier changes', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const refused = await forge.as('mallory').patch(pull.api, { title: 'x' })
  assert.deepEqual([refused.status, refused.json.message !== ''], [403, true])
  const issue = await forge.given.issue({ repo: pull.repo })
  await forge.as('alice').must('POST', `${pull.repo.api}/issues/${pull.number}/dependencies`, {
    index: issue.number,
    owner: 'alice',
    repo: pull.repo.name,
  })
  const blocked = await forge.as('alice').patch(pull.api, { title: 'Renamed', state: 'closed' })
  assert.equal(blocked.status, 412)
  const now = await forge.as('alice').get(pull.api)
  assert.deepEqual([now.json.title, now.json.state], ['Renamed', 'open'])
})

test('repoEditPullRequest: a changed base is checked before the reply', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo, 'stable', { 'shared.txt': 'theirs\n' })
  await commitFiles(forge, repo, 'topic', { 'shared.txt': 'mine\n' })
  const made = await forge.as('alice').must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'T' })
  assert.equal(made.json.mergeable, true)
  const moved = await forge.as('alice').patch(`${repo.api}/pulls/1`, { base: 'stable' })
  assert.deepEqual([moved.status, moved.json.base.ref, moved.json.mergeable], [201, 'stable', false])
  assert.equal((await forge.as('alice').patch(`${repo.api}/pulls/1`, { base: 'topic' })).status, 422)
  assert.equal((await forge.as('alice').patch(`${repo.api}/pulls/1`, { base: 'none' })).status, 404)
})

test('repoEditPullRequest: a refused base or permission leaves the title, the text and the state as they are', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await commitFiles(forge, repo, 'topic', { 'a.txt': 'a\n' })
  await commitFiles(forge, repo, 'stable', { 'b.txt': 'b\n' })
  const alice = forge.as('alice')
  for (const base of ['main', 'stable']) {
    await alice.must('POST', `${repo.api}/pulls`, { head: 'topic', base, title: 'T', body: 'B' })
  }
  await forge.account('root')
  const others = { title: 'Renamed', body: 'Rewritten' }
  const refusals = [
    ['alice', { base: 'none' }, 404],
    ['alice', { base: 'topic' }, 422],
    ['alice', { base: 'stable' }, 409],
    ['alice', { base: 'stable', state: 'closed' }, 422],
    ['root', { allow_maintainer_edit: true }, 403],
  ] as const
  for (const [who, refused, status] of refusals) {
    const answer = await forge.as(who).patch(`${repo.api}/pulls/1`, { ...others, ...refused })
    const { title, body, state } = (await alice.must('GET', `${repo.api}/pulls/1`)).json
    assert.deepEqual([answer.status, title, body, state], [status, 'T', 'B', 'open'], JSON.stringify(refused))
  }
})

test('repoGetPullRequest: a push shows at once; a deleted branch closes the pull request, which can be reopened', async () => {
  await using forge = await startForge()
  const pull = await givenPull(forge)
  const next = await commitFiles(forge, pull.repo, pull.branch, { 'more.txt': 'more\n' })
  const seen = await forge.guest.get(pull.api)
  assert.deepEqual([seen.json.head.sha, seen.json.changed_files, seen.json.mergeable], [next, 2, true])
  await forge.settle()
  const entries = await forge.guest.get(`${pull.repo.api}/issues/${pull.number}/timeline`)
  assert.equal(entries.json.filter((entry: { type: string }) => entry.type === 'pull_push').length, 2)
  await forge.as('alice').must('DELETE', `${pull.repo.api}/branches/${pull.branch}`)
  const closed = await forge.guest.get(pull.api)
  assert.deepEqual(
    [closed.json.state, closed.json.head.ref, closed.json.head.sha],
    ['closed', `refs/pull/${pull.number}/head`, next],
  )
  const reopened = await forge.as('alice').patch(pull.api, { state: 'open' })
  assert.deepEqual([reopened.status, reopened.json.state], [201, 'open'])
})

test('repoCreatePullRequest: the changes from a fork stay readable after its deletion', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { ...repo, owner: 'bob', fullName: `bob/${repo.name}`, api: `/repos/bob/${repo.name}` }
  const head = await commitFiles(forge, fork, 'topic', { 'fork.txt': 'fork\n' })
  const made = await forge.as('bob').must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'T' })
  assert.deepEqual([made.json.head.sha, made.json.head.repo.full_name], [head, fork.fullName])
  const next = await commitFiles(forge, fork, 'topic', { 'again.txt': 'again\n' })
  assert.equal((await forge.guest.get(`${repo.api}/pulls/1/files`)).json.length, 2)
  await forge.settle()
  await forge.as('bob').must('DELETE', fork.api)
  const gone = await forge.guest.get(`${repo.api}/pulls/1`)
  assert.deepEqual(
    [gone.json.state, gone.json.head.repo, gone.json.head.repo_id, gone.json.head.sha],
    ['closed', null, -1, next],
  )
  assert.match((await forge.guest.get(`${repo.api}/pulls/1.diff`)).text, /again\.txt/)
})

test('repoGetPullRequest: a head repository is hidden from readers without access to it', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { ...repo, owner: 'bob', fullName: `bob/${repo.name}`, api: `/repos/bob/${repo.name}` }
  await commitFiles(forge, fork, 'topic', { 'fork.txt': 'fork\n' })
  await forge.as('bob').must('POST', `${repo.api}/pulls`, { head: 'bob:topic', base: 'main', title: 'T' })
  await forge.as('root').must('PATCH', '/admin/users/bob', { login_name: 'bob', source_id: 0, visibility: 'private' })
  assert.equal((await forge.as('carol').get(`${repo.api}/pulls/1`)).json.head.repo, null)
  assert.equal((await forge.as('bob').get(`${repo.api}/pulls/1`)).json.head.repo.full_name, fork.fullName)
})

test('repoEditPullRequest: readying a draft requests reviews from its code owners', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  await collaborator(forge, repo, 'bob')
  await commitFiles(forge, repo, 'main', { CODEOWNERS: '.*\\.txt @bob @alice\n' })
  const pull = await givenPull(forge, { repo, title: 'WIP: later' })
  assert.deepEqual((await forge.guest.get(pull.api)).json.requested_reviewers, [])
  const ready = await forge.as('alice').patch(pull.api, { title: 'Ready' })
  assert.deepEqual(
    ready.json.requested_reviewers.map((user: { login: string }) => user.login),
    ['bob'],
  )
})

test('repoCreatePullRequest, repoCreateTag: slow regular expressions do not block other requests', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const slow = '(a+)+b'
  const endless = 'a'.repeat(60)
  await commitFiles(forge, repo, 'main', { CODEOWNERS: `${slow} @root\n`.repeat(500) })
  for (const ending of ['c', 'd', 'e']) {
    const protection = { name_pattern: `/^${slow}${ending}$/`, whitelist_usernames: ['root'] }
    await forge.as('alice').must('POST', `${repo.api}/tag_protections`, protection)
  }
  const stall = await longestStall(async () => {
    await commitFiles(forge, repo, 'topic', { [endless]: 'x\n' })
    const opened = { head: 'topic', base: 'main', title: 'T' }
    const { json } = await forge.as('alice').must('POST', `${repo.api}/pulls`, opened)
    assert.deepEqual(json.requested_reviewers, [])
    const created = await forge.as('alice').post(`${repo.api}/tags`, { tag_name: endless })
    assert.equal(created.status, 201, 'no rule matches the tag, and each is decided')
    const refused = await forge.as('alice').post(`${repo.api}/tags`, { tag_name: `${endless}bd` })
    assert.match(refused.json.message, /is protected/)
  })
  assert.ok(stall < 200, `the event loop stood still for ${stall} ms`)
})

test('repoGetPullRequestFiles: binary files and mode changes have no changed lines', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const pull = await givenPull(forge, { repo })
  const { git, db } = forge.services
  const row = await db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const person = { name: 'Alice', email: 'alice@example.com', unixSeconds: 1, offsetMinutes: 0 }
  const { user } = await forge.account('alice')
  const commitTo = async (branch: string, mode: string, binary: number): Promise<void> => {
    const ref = `refs/heads/${branch}`
    const old = (await git.readRef(row.git_key, ref)) as Oid
    const changes = [
      { op: 'write' as const, path: 'run.sh', mode, content: Buffer.from('same\n') },
      { op: 'write' as const, path: 'data.bin', content: Buffer.from([0, binary]) },
    ]
    const made = await git.writeCommit(row.git_key, {
      parents: [old],
      tree: { base: old, changes },
      author: person,
      committer: person,
      message: `${branch} ${binary}`,
    })
    const change = { ref, old, new: made.oid }
    await moveRefs(forge.services, codeOf(row), [change], { doerId: user.id, via: 'push' })
  }
  await commitTo('main', '100644', 1)
  await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'other' })
  await commitTo('other', '100755', 2)
  await forge.settle()
  const opened = await forge.as('alice').must('POST', `${repo.api}/pulls`, { base: 'main', head: 'other', title: 'T' })
  const { json } = await forge.guest.get(`${repo.api}/pulls/${opened.json.number}/files`)
  const shown = json.map((file: { filename: string; status: string }) => [file.filename, file.status])
  assert.deepEqual(shown.toSorted(), [
    ['data.bin', 'unchanged'],
    ['run.sh', 'unchanged'],
  ])
  assert.equal((await forge.guest.get(`${pull.api}/files`)).json[0].status, 'added')
})
