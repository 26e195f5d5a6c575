import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { base64 } from '../testing/samples.ts'

test('repoGetSingleCommit, repoDownloadCommitDiffOrPatch, repoCompareDiff: branches, tags and ids resolve; bad and unknown names are refused', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const made = await alice.must('POST', `${repo.api}/contents/a.txt`, { content: base64('a\n'), new_branch: 'topic/x' })
  const sha: string = made.json.commit.sha
  const commit = (await forge.guest.get(`${repo.api}/git/commits/topic%2Fx`)).json
  assert.deepEqual([commit.sha, commit.commit.tree.sha, commit.stats.total], [sha, sha, 0])
  const refused = await Promise.all(
    ['a..b', 'nosuch', '1'.repeat(40)].map(
      async (name) => (await forge.guest.get(`${repo.api}/git/commits/${name}`)).status,
    ),
  )
  assert.deepEqual(refused, [422, 404, 404])
  const diff = await forge.guest.get(`${repo.api}/git/commits/${sha}.diff`)
  assert.deepEqual(
    [diff.headers.get('content-type'), diff.text.includes('+++ b/a.txt')],
    ['text/plain; charset=utf-8', true],
  )
  assert.match(
    (await forge.guest.get(`${repo.api}/git/commits/${sha}.patch`)).text,
    /^From [0-9a-f]{40} .*\nFrom: alice /,
  )
  const compared = (await forge.guest.get(`${repo.api}/compare/main...topic/x`)).json
  assert.deepEqual([compared.total_commits, compared.files], [1, [{ filename: 'a.txt', status: 'added' }]])
  assert.equal((await forge.guest.get(`${repo.api}/compare/main...nobody:main`)).status, 404)
})

test('repoListAllGitRefs, repoListGitRefs, getTree, getBlob, getAnnotatedTag: objects resolve by name; others are refused', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/dir/a.txt`, { content: base64('a\n') })
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1', message: 'Said' })
  const names = (await forge.guest.get(`${repo.api}/git/refs`)).json.map((ref: { ref: string }) => ref.ref)
  assert.deepEqual(names, ['refs/heads/main', 'refs/tags/v1'])
  const [tag] = (await forge.guest.get(`${repo.api}/git/refs/tags`)).json
  assert.equal(tag.object.type, 'tag')
  assert.equal((await forge.guest.get(`${repo.api}/git/tags/${tag.object.sha}`)).json.message, 'Said\n')
  const tree = (await forge.guest.get(`${repo.api}/git/trees/v1?recursive=1&per_page=2&page=2`)).json
  assert.deepEqual([tree.tree[0].path, tree.tree[0].size, tree.total_count, tree.truncated], ['dir/a.txt', 2, 3, true])
  const blob = (await forge.guest.get(`${repo.api}/git/blobs/${tree.tree[0].sha}`)).json
  assert.deepEqual([blob.content, blob.size], [base64('a\n'), 2])
  for (const sha of [tag.object.sha, tree.sha, (await forge.guest.get(`${repo.api}/commits`)).json[0].sha]) {
    const object = (await forge.guest.get(`${repo.api}/git/blobs/${sha}`)).json
    const bytes = Buffer.from(object.content, 'base64')
    assert.deepEqual([object.sha, object.size], [sha, bytes.length])
    assert.ok(bytes.length > 0)
  }
  const statuses = await Promise.all(
    ['git/refs/heads/none', 'git/tags/main', 'git/trees/none', 'git/blobs/main'].map(
      async (path) => (await forge.guest.get(`${repo.api}/${path}`)).status,
    ),
  )
  assert.deepEqual(statuses, [404, 400, 400, 400])
})

test('repoSyncForkDefault, repoSyncForkBranch: a fork is fast-forwarded; the infos count commits; guests must sign in', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const bob = forge.as('bob')
  const fork = (await bob.must('POST', `${repo.api}/forks`, { name: 'mine' })).json.full_name as string
  await forge.settle()
  await forge.as('alice').must('POST', `${repo.api}/contents/a.txt`, { content: '' })
  // repoSyncForkDefaultInfo, then repoSyncForkBranchInfo
  const info = (await bob.get(`/repos/${fork}/sync_fork`)).json
  assert.deepEqual([info.allowed, info.commits_behind], [true, 1])
  assert.equal((await forge.guest.post(`/repos/${fork}/sync_fork`)).status, 401)
  assert.equal((await forge.as('carol').post(`/repos/${fork}/sync_fork/main`)).status, 403)
  assert.equal((await bob.post(`/repos/${fork}/sync_fork`)).status, 204)
  assert.equal((await bob.get(`/repos/${fork}/sync_fork/main`)).json.commits_behind, 0)
  assert.equal((await bob.post(`/repos/${fork}/sync_fork/main`)).status, 400)
  assert.equal((await bob.get(`${repo.api}/sync_fork`)).status, 400)
  await bob.must('POST', `/repos/${fork}/branches`, { new_branch_name: 'own' })
  const own = (await bob.get(`/repos/${fork}/sync_fork/own`)).json
  assert.deepEqual([own.allowed, own.base_commit, own.commits_behind], [false, '', 0])
  assert.equal((await bob.post(`/repos/${fork}/sync_fork/own`)).status, 400)
  assert.equal((await bob.get(`/repos/${fork}/sync_fork/none`)).status, 404)
})

test('repoCreateBranchProtection and its siblings: unknown people and used names are refused; an edit keeps other values', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const base = `${repo.api}/branch_protections`
  // repoListBranchProtection, repoGetBranchProtection, repoEditBranchProtection, repoDeleteBranchProtection
  assert.equal((await forge.as('bob').get(base)).status, 403)
  assert.equal((await alice.post(base, {})).status, 400)
  assert.equal((await alice.post(base, { rule_name: 'x', merge_whitelist_usernames: ['ghost'] })).status, 422)
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  await alice.must('POST', base, {
    rule_name: 'r/*',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['bob'],
  })
  assert.equal((await alice.post(base, { rule_name: 'r/*' })).status, 403)
  const changed = (await alice.patch(`${base}/r%2F*`, { enable_push: false })).json
  assert.deepEqual(
    [changed.enable_push_whitelist, changed.push_whitelist_usernames, changed.branch_name],
    [false, ['bob'], ''],
  )
  assert.deepEqual((await alice.get(base)).json, [(await alice.get(`${base}/r%2F*`)).json])
  assert.deepEqual(
    [(await alice.delete(`${base}/r%2F*`)).status, (await alice.delete(`${base}/r%2F*`)).status],
    [204, 404],
  )
})

test('repoCreateTagProtection and its siblings: a rule allows at least one account, and a pattern has one rule', async () => {
  await using forge = await startForge({ users: ['bob'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const base = `${repo.api}/tag_protections`
  // repoListTagProtection, repoGetTagProtection, repoEditTagProtection, repoDeleteTagProtection
  assert.equal((await alice.post(base, { name_pattern: 'v*' })).status, 400)
  assert.equal((await alice.post(base, { name_pattern: '/(/', whitelist_usernames: ['alice'] })).status, 422)
  const { id } = (await alice.must('POST', base, { name_pattern: ' v* ', whitelist_usernames: ['alice'] })).json
  assert.equal((await alice.post(base, { name_pattern: 'v*', whitelist_usernames: ['alice'] })).status, 403)
  const changed = (await alice.patch(`${base}/${id}`, { whitelist_usernames: ['bob'] })).json
  assert.deepEqual([changed.name_pattern, changed.whitelist_usernames], ['v*', ['bob']])
  assert.deepEqual((await alice.get(base)).json, [(await alice.get(`${base}/${id}`)).json])
  assert.equal((await alice.post(`${repo.api}/tags`, { tag_name: 'v1' })).status, 422)
  assert.deepEqual(
    [(await alice.delete(`${base}/${id}`)).status, (await alice.get(`${base}/${id}`)).status],
    [204, 404],
  )
})

test('repoListTags, repoGetTag, repoDeleteTag: the newest tag is first; a second deletion is 404', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/tags`, { tag_name: 'light/1' })
  const tags = await alice.get(`${repo.api}/tags`)
  assert.deepEqual(tags.json, [(await alice.get(`${repo.api}/tags/light/1`)).json])
  assert.equal(tags.headers.get('link'), null)
  assert.deepEqual(
    [(await alice.delete(`${repo.api}/tags/light/1`)).status, (await alice.delete(`${repo.api}/tags/light/1`)).status],
    [204, 404],
  )
})

test('repoListStatuses, repoListStatusesByRef, repoGetCombinedStatusByRef: unknown names have no statuses', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const shown = await Promise.all(
    ['statuses/none', 'commits/none/statuses', 'commits/none/status'].map(
      async (path) => (await forge.guest.get(`${repo.api}/${path}`)).json,
    ),
  )
  assert.deepEqual([shown[0], shown[1], shown[2].total_count, shown[2].statuses], [[], [], 0, null])
})

test('repoGetEditorConfig: later sections win; without the file the answer is 404', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const path = `${repo.api}/editorconfig/a.go`
  assert.equal((await forge.guest.get(path)).status, 404)
  const text =
    'root = true\n[*]\nindent_style = space\nindent_size = 2\n[*.{go,mod}]\nindent_style = tab\nindent_size = unset\n'
  await forge.as('alice').must('POST', `${repo.api}/contents/.editorconfig`, { content: base64(text) })
  assert.deepEqual((await forge.guest.get(path)).json, { indent_style: 'tab', indent_size: 'tab' })
})

test('repoGetContentsList, repoGetBranch, repoGetNote, repoSigningKey: what a new repository shows', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const list = (await forge.guest.get(`${repo.api}/contents`)).json
  assert.deepEqual([list[0].path, list[0].content], ['README.md', null])
  const branch = (await forge.guest.get(`${repo.api}/branches/main`)).json
  assert.deepEqual([branch.name, branch.user_can_push, branch.status_check_contexts], ['main', false, []])
  assert.equal((await forge.guest.get(`${repo.api}/git/notes/a..b`)).status, 422)
  const key = await forge.guest.get(`${repo.api}/signing-key.gpg`)
  assert.deepEqual([key.status, key.text], [200, ''])
})

test('webRawFile, webRawBlob, webMediaFile, webArchive and repoDownloadArchive, repoGetRawFileOrLFS: all send the same bytes', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const { sha } = (await forge.guest.get(`${repo.api}/contents/README.md`)).json
  const site = { site: true }
  const texts = await Promise.all([
    forge.guest.get(`/${repo.fullName}/raw/branch/main/README.md`, site),
    forge.guest.get(`/${repo.fullName}/raw/blob/${sha}`, site),
    forge.guest.get(`/${repo.fullName}/media/branch/main/README.md`, site),
    forge.guest.get(`${repo.api}/media/README.md`),
  ])
  assert.equal(new Set(texts.map(({ text }) => text)).size, 1)
  const archives = await Promise.all([
    forge.guest.get(`/${repo.fullName}/archive/main.zip`, site),
    forge.guest.get(`${repo.api}/zipball/main`),
  ])
  assert.equal(archives[0].bytes.equals(archives[1].bytes), true)
})

test('repoListGitHooks, repoGetGitHook, repoDeleteGitHook: they work only where hooks are enabled', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  for (const path of ['hooks/git', 'hooks/git/update']) {
    assert.equal((await forge.as('root').get(`${repo.api}/${path}`)).status, 403)
  }
  assert.equal((await forge.as('root').delete(`${repo.api}/hooks/git/update`)).status, 403)
})

test('repoCreateStatus, repoListStatusesByRef, repoGetCombinedStatusByRef: an annotated tag stands for its commit', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  const tag = (await alice.must('POST', `${repo.api}/tags`, { tag_name: 'v1', message: 'annotated' })).json
  assert.notEqual(tag.id, tag.commit.sha)
  for (const [index, name] of ['v1', tag.id, tag.commit.sha].entries()) {
    const made = await alice.must('POST', `${repo.api}/statuses/${name}`, { context: `${index}`, state: 'success' })
    assert.match(made.json.url, new RegExp(`/statuses/${tag.commit.sha}$`))
  }
  for (const name of ['v1', tag.id, tag.commit.sha, 'refs%2Ftags%2Fv1']) {
    assert.equal((await alice.get(`${repo.api}/commits/${name}/statuses`)).json.length, 3, name)
    assert.equal((await alice.get(`${repo.api}/statuses/${name}`)).json.length, 3, name)
    assert.equal((await alice.get(`${repo.api}/commits/${name}/status`)).json.sha, tag.commit.sha, name)
  }
})
