import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

test('repoGetContents: unknown paths and refs, and other letter case, are not found', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const statuses = await Promise.all(
    ['none', 'readme.md', 'README.md/x', 'README.md?ref=nosuch'].map(
      async (path) => (await forge.guest.get(`${repo.api}/contents/${path}`)).status,
    ),
  )
  assert.deepEqual(statuses, [404, 404, 404, 404])
})

test('repoGetContents: a file by branch, by abbreviated commit, and its addresses', async () => {
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

test('repoCreateFile: of eight at once on one branch each gets its commit', async () => {
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

test('repoChangeFiles: what one request does to a path is seen by the next entry, and one failure undoes all', async () => {
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

test('repoUpdateFile, repoDeleteFile: a wrong object id is refused, and a deletion takes its fields from the query', async () => {
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

test('repoApplyDiffPatch: guests sign in first, and a patch that does not apply is 422', async () => {
  await using forge = await startForge()
  const repo = await forge.given.repo()
  const body = { sha: '0', content: '--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n' }
  assert.equal((await forge.guest.post(`${repo.api}/diffpatch`, body)).status, 401)
  assert.equal((await forge.as('alice').post(`${repo.api}/diffpatch`, body)).status, 422)
})
