import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge, type Forge } from '../../../testing/forge.ts'
import { collaborator, commitFiles, givenPull } from '../../../testing/given-pull.ts'
import { base64 } from '../../../testing/samples.ts'

const lastCommit = async (forge: Forge, { api }: { readonly api: string }, branch = 'main') =>
  (await forge.as('alice').must('GET', `${api}/commits?limit=1&sha=${branch}`)).json[0]

const textAt = async (forge: Forge, { api }: { readonly api: string }, path: string, branch = 'main') =>
  (await forge.as('alice').get(`${api}/raw/${path}?ref=${branch}`)).text

test('revertPage, cherryPickPage, revertCommit, cherryPickCommit: only writers revert and repeat commits', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const oid = await commitFiles(forge, repo, 'main', { 'a.txt': 'one\n' })
  const bob = await Browser.of(forge, 'bob')
  const guest = new Browser(forge)
  const fields = { _csrf: await bob.csrf('/user/settings'), target: 'direct' }
  for (const form of ['_revert', '_cherrypick']) {
    const web = `/${repo.fullName}/${form}/${oid}/main`
    const answer = await guest.get(web)
    assert.deepEqual([answer.status, answer.headers.get('location')?.split('?')[0]], [303, '/user/login'], form)
    assert.equal((await bob.get(web)).status, 403, form)
    assert.equal((await bob.post(web, fields)).status, 403, form)
  }
  assert.doesNotMatch((await bob.get(`/${repo.fullName}/commit/${oid}`)).text, /_revert|_cherrypick/)
  await forge.as('alice').must('PATCH', repo.api, { private: true })
  assert.equal((await bob.get(`/${repo.fullName}/_revert/${oid}/main`)).status, 404)
  const alice = await Browser.of(forge, 'alice')
  for (const wrong of [`_revert/${oid}/other`, `_revert/${oid}/main/a.txt`, `_revert/${'1'.repeat(40)}/main`]) {
    assert.equal((await alice.get(`/${repo.fullName}/${wrong}`)).status, 404, wrong)
  }
  assert.match((await alice.get(`/${repo.fullName}/commit/${oid}`)).text, new RegExp(`/_revert/${oid}/main"`))
  await forge.as('alice').must('PATCH', repo.api, { archived: true })
  assert.equal((await alice.get(`/${repo.fullName}/_revert/${oid}/main`)).status, 423)
  assert.equal(await textAt(forge, repo, 'a.txt'), 'one\n')
})

test('revertCommit: takes back one commit, keeps later ones, and can go to a new branch', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const wrong = await commitFiles(
    forge,
    repo,
    'main',
    { 'a.txt': 'wrong\n' },
    { message: 'Say "wrong"\n\nWith reasons.' },
  )
  await commitFiles(forge, repo, 'main', { 'b.txt': 'later\n' })
  const alice = await Browser.of(forge, 'alice')
  const web = `/${repo.fullName}/_revert/${wrong}/main`
  const proposed = await alice.submit(web, '_revert/', { target: 'new', new_branch: 'undo' })
  assert.deepEqual(
    [proposed.status, proposed.headers.get('location')],
    [303, `/${repo.fullName}/compare/main...undo?open=1`],
  )
  assert.equal(await textAt(forge, repo, 'a.txt'), 'wrong\n')
  const made = await lastCommit(forge, repo, 'undo')
  assert.equal(made.commit.message.trim(), `Revert "Say "wrong""\n\nThis reverts commit ${wrong}.`)
  assert.deepEqual(
    made.files.map(({ filename, status }: { filename: string; status: string }) => [filename, status]),
    [['a.txt', 'removed']],
  )
  const direct = await alice.submit(web, '_revert/', { target: 'direct', summary: 'Undo it' })
  const undone = await lastCommit(forge, repo)
  assert.deepEqual([direct.status, direct.headers.get('location')], [303, `/${repo.fullName}/commit/${undone.sha}`])
  assert.equal(undone.commit.message.trim(), 'Undo it')
  assert.equal(await textAt(forge, repo, 'b.txt'), 'later\n')
  const again = await alice.submit(web, '_revert/', { target: 'direct' })
  assert.equal(again.status, 422)
  assert.match(again.text, /The branch would not change/)
})

test('revertCommit: a conflict changes nothing and names the files; a protected branch refuses', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const first = await commitFiles(forge, repo, 'main', { 'a.txt': 'one\n' })
  await commitFiles(forge, repo, 'main', { 'a.txt': 'two\n' })
  const alice = await Browser.of(forge, 'alice')
  const { sha: before } = await lastCommit(forge, repo)
  const refused = await alice.submit(`/${repo.fullName}/_revert/${first}/main`, '_revert/', { target: 'direct' })
  assert.equal(refused.status, 422)
  assert.match(refused.text, /other changes at the same places in a\.txt/)
  assert.equal((await lastCommit(forge, repo)).sha, before)
  await collaborator(forge, repo, 'bob')
  await forge.as('alice').must('POST', `${repo.api}/branch_protections`, { rule_name: 'main', enable_push: false })
  const bob = await Browser.of(forge, 'bob')
  const kept = await bob.submit(`/${repo.fullName}/_revert/${before}/main`, '_revert/', { target: 'direct' })
  assert.equal(kept.status, 403)
  assert.equal((await lastCommit(forge, repo)).sha, before)
})

test('revertCommit: a merge is taken back against its first parent, and a first commit as a whole', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const pull = await givenPull(forge)
  await forge.as('alice').must('POST', `${pull.api}/merge`, { Do: 'merge' })
  await forge.settle()
  const { merge_commit_sha: merged, base } = (await forge.as('alice').get(pull.api)).json
  const alice = await Browser.of(forge, 'alice')
  const repo = { api: `/repos/${base.repo.full_name}` }
  const filesOf = async () =>
    (await forge.as('alice').must('GET', `${repo.api}/git/trees/main?recursive=true`)).json.tree.map(
      ({ path }: { path: string }) => path,
    )
  const withMerge = await filesOf()
  const web = `/${base.repo.full_name}/_revert`
  assert.equal((await alice.submit(`${web}/${merged}/main`, '_revert/', { target: 'direct' })).status, 303)
  assert.ok((await filesOf()).length < withMerge.length)
  const { json: commits } = await forge.as('alice').must('GET', `${repo.api}/commits?limit=50`)
  const root = commits.find(({ parents }: { parents: unknown[] }) => parents.length === 0)
  assert.equal((await alice.submit(`${web}/${root.sha}/main`, '_revert/', { target: 'direct' })).status, 303)
  assert.deepEqual(await filesOf(), [])
})

test('cherryPickCommit: repeats a commit of another branch with its author', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await commitFiles(forge, repo, 'side', { 'other.txt': 'not this\n' })
  const { json: written } = await forge.as('alice').must('POST', `${repo.api}/contents/a.txt`, {
    branch: 'side',
    content: base64('one\n'),
    message: 'Write it',
    author: { name: 'Grace', email: 'grace@example.com' },
    dates: { author: '2020-02-03T04:05:06+02:00' },
  })
  const oid = written.commit.sha
  const alice = await Browser.of(forge, 'alice')
  const web = `/${repo.fullName}/_cherrypick/${oid}/main`
  assert.match((await alice.get(web)).text, /value="Write it"/)
  const made = await alice.submit(web, '_cherrypick/', { target: 'direct' })
  assert.equal(made.status, 303)
  const { commit, files } = await lastCommit(forge, repo)
  assert.equal(commit.message.trim(), `Write it\n\n(cherry picked from commit ${oid})`)
  assert.deepEqual([commit.author.name, commit.author.date], ['Grace', '2020-02-03T04:05:06+02:00'])
  assert.equal(commit.committer.name, 'alice')
  assert.deepEqual(
    files.map(({ filename }: { filename: string }) => filename),
    ['a.txt'],
  )
  assert.equal((await forge.as('alice').get(`${repo.api}/contents/other.txt`)).status, 404)
})
