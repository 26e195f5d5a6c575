import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

test('repoCreateFile: a sign-off keeps the full stop of a name, and the stored message gains no newline', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const person = { name: 'Alan T. Jr.', email: 'alan@example.com' }
  const body = { content: 'eA==', message: 'Signed', signoff: true, author: person, committer: person }
  const { json } = await forge.as('alice').must('POST', `${repo.api}/contents/signed.txt`, body)
  const message = 'Signed\n\nSigned-off-by: Alan T. Jr. <alan@example.com>'
  assert.equal(json.commit.message, message)
  const { json: stored } = await forge.guest.get(`${repo.api}/git/commits/${json.commit.sha}`)
  assert.equal(stored.commit.message, message)
  assert.equal(stored.commit.committer.name, 'Alan T. Jr', 'git strips the full stop in the header')
  const plain = { content: 'eA==', message: 'Plain' }
  const { json: other } = await forge.as('alice').must('POST', `${repo.api}/contents/plain.txt`, plain)
  assert.equal(other.commit.message, 'Plain\n')
})

test('repoGetContents: unknown paths and refs, and other letter case, are 404', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const statuses = await Promise.all(
    ['none', 'readme.md', 'README.md/x', 'README.md?ref=nosuch'].map(
      async (path) => (await forge.guest.get(`${repo.api}/contents/${path}`)).status,
    ),
  )
  assert.deepEqual(statuses, [404, 404, 404, 404])
})

test('repoGetContents: a file by branch and abbreviated commit, with its addresses', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const made = await alice.must('POST', `${repo.api}/contents/a%20b/%C3%BC.txt`, {
    content: base64('x\n'),
    new_branch: 'feature/x',
  })
  const sha: string = made.json.commit.sha
  const byBranch = (await forge.guest.get(`${repo.api}/contents/a%20b/%C3%BC.txt?ref=feature/x`)).json
  assert.equal(byBranch.html_url, `${forge.url}/${repo.fullName}/src/branch/feature/x/a%20b/%C3%BC.txt`)
  assert.equal(byBranch.last_commit_sha, sha)
  const byCommit = (await forge.guest.get(`${repo.api}/contents/a%20b/%C3%BC.txt?ref=${sha.slice(0, 8)}`)).json
  assert.deepEqual([byCommit.content, byCommit.type], [base64('x\n'), 'file'])
  assert.equal(byCommit.download_url, `${forge.url}/${repo.fullName}/raw/commit/${sha}/a%20b/%C3%BC.txt`)
})

test('repoGetContents, repoGetSingleCommit: ids shorter than seven digits do not resolve', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const content = { content: base64('gone\n'), new_branch: 'gone' }
  const { sha } = (await alice.must('POST', `${repo.api}/contents/gone.txt`, content)).json.commit as { sha: string }
  await alice.must('DELETE', `${repo.api}/branches/gone`)
  for (let digits = 1; digits < 7; digits++) {
    const short = sha.slice(0, digits)
    for (const path of [`contents/gone.txt?ref=${short}`, `git/commits/${short}`, `raw/gone.txt?ref=${short}`]) {
      assert.equal((await forge.guest.get(`${repo.api}/${path}`)).status, 404, path)
    }
  }
})

test('repoCreateFile: each of eight concurrent requests on one branch gets its commit', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => alice.post(`${repo.api}/contents/f${index}.txt`, { content: base64('x') })),
  )
  assert.deepEqual(
    replies.map(({ status }) => status),
    Array.from({ length: 8 }, () => 201),
  )
  const { json } = await alice.get(`${repo.api}/contents`)
  assert.equal(json.length, 9)
})

test('repoChangeFiles: each edit sees those before it, and one failure undoes all', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const change = (files: unknown[]) => alice.post(`${repo.api}/contents`, { files })
  const twice = await change([
    { operation: 'create', path: 'a', content: base64('1') },
    { operation: 'create', path: 'a', content: base64('2') },
  ])
  const below = await change([
    { operation: 'create', path: 'a', content: base64('1') },
    { operation: 'create', path: 'a/b', content: base64('2') },
  ])
  const again = await change([
    { operation: 'delete', path: 'README.md' },
    { operation: 'create', path: 'README.md/now-a-folder', content: base64('2') },
  ])
  assert.deepEqual([twice.status, below.status, again.status], [422, 422, 201])
  const { json } = await alice.get(`${repo.api}/git/trees/main?recursive=true`)
  assert.deepEqual(
    json.tree.map((entry: { path: string }) => entry.path),
    ['README.md', 'README.md/now-a-folder'],
  )
})

test('repoUpdateFile, repoDeleteFile: a wrong object id is refused, and a deletion reads its fields from the query', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const { sha } = (await alice.get(`${repo.api}/contents/README.md`)).json
  const wrong = '1'.repeat(40)
  assert.equal((await alice.put(`${repo.api}/contents/README.md`, { sha: wrong, content: '' })).status, 422)
  assert.equal((await alice.delete(`${repo.api}/contents/README.md`, { sha: wrong })).status, 400)
  const reply = await alice.delete(`${repo.api}/contents/README.md?sha=${sha}&message=Gone`)
  assert.deepEqual([reply.status, reply.json.commit.message], [200, 'Gone\n'])
})

test('repoApplyDiffPatch: guests must sign in, and a patch that does not apply is 422', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const body = { sha: '0', content: '--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n' }
  assert.equal((await forge.guest.post(`${repo.api}/diffpatch`, body)).status, 401)
  assert.equal((await forge.as('alice').post(`${repo.api}/diffpatch`, body)).status, 422)
})

test('repoUpdateFile, repoChangeFiles: a file cannot move below a path that was a file', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents`, {
    files: [
      { operation: 'create', path: 'a', content: '' },
      { operation: 'create', path: 'b', content: 'Yg==' },
    ],
  })
  const { sha } = (await alice.must('GET', `${repo.api}/contents/a`)).json
  const below = await alice.put(`${repo.api}/contents/a/b/c`, { sha, from_path: 'a', content: '' })
  assert.deepEqual([below.status, below.json.code], [422, 'path_no_folder'])
  const files = [
    { operation: 'delete', path: 'a' },
    { operation: 'update', path: 'a/c', from_path: 'b', content: '' },
  ]
  assert.equal((await alice.post(`${repo.api}/contents`, { files })).status, 422)
  assert.equal((await alice.get(`${repo.api}/contents/b`)).status, 200, 'nothing was done')
  // A new file may replace a removed one.
  const replaced = [files[0], { operation: 'create', path: 'a/c', content: '' }]
  assert.equal((await alice.post(`${repo.api}/contents`, { files: replaced })).status, 201)
})

test('repoCreateFile, repoUpdateFile, repoDeleteFile, repoApplyDiffPatch: protections are checked before contents', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/there`, { content: '' })
  const objects = async (): Promise<number> => {
    const row = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
    return forge.services.git.sizeBytes(row.git_key)
  }
  const wrong = '0'.repeat(40)
  const patch = `diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n`
  const asks: [string, () => ReturnType<typeof alice.post>][] = [
    ['a file that exists', () => alice.post(`${repo.api}/contents/there`, { content: '' })],
    ['another content', () => alice.put(`${repo.api}/contents/there`, { content: '', sha: wrong })],
    ['no such file', () => alice.put(`${repo.api}/contents/nowhere`, { content: '', sha: wrong })],
    ['deleting another content', () => alice.delete(`${repo.api}/contents/there`, { sha: wrong })],
    ['several files', () => alice.post(`${repo.api}/contents`, { files: [{ operation: 'delete', path: 'nowhere' }] })],
    ['a patch that does not apply', () => alice.post(`${repo.api}/diffpatch`, { content: 'nonsense', sha: wrong })],
    ['a patch', () => alice.post(`${repo.api}/diffpatch`, { content: patch, sha: wrong })],
  ]
  await alice.must('POST', `${repo.api}/branch_protections`, { rule_name: 'main' })
  const before = await objects()
  for (const [label, ask] of asks) {
    const { status, json } = await ask()
    assert.deepEqual([status, json.code], [403, 'branch_protected'], label)
  }
  assert.equal(await objects(), before, 'nothing was written')

  // Unprotected files may change, and a moved file counts with both names.
  const rule = `${repo.api}/branch_protections/main`
  await alice.must('PATCH', rule, { unprotected_file_patterns: 'docs/**;x' })
  assert.equal((await alice.post(`${repo.api}/contents/docs/new`, { content: '' })).status, 201)
  assert.equal((await alice.post(`${repo.api}/diffpatch`, { content: patch, sha: wrong })).status, 201)
  const { sha } = (await alice.must('GET', `${repo.api}/contents/there`)).json
  const moved = await alice.put(`${repo.api}/contents/docs/there`, { content: '', sha, from_path: 'there' })
  assert.equal(moved.status, 403)
  const other = patch.replaceAll('x', 'y')
  assert.equal((await alice.post(`${repo.api}/diffpatch`, { content: other, sha: wrong })).status, 403)
  await alice.must('PATCH', rule, { enable_push: true, protected_file_patterns: 'y' })
  assert.equal((await alice.post(`${repo.api}/diffpatch`, { content: other, sha: wrong })).status, 403)
  await alice.must('PATCH', rule, { protected_file_patterns: '', require_signed_commits: true })
  assert.equal((await alice.post(`${repo.api}/contents/unsigned`, { content: '' })).status, 403)
})
