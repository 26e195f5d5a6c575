import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestDatabase } from './database.ts'
import { examined } from './doctor.ts'
import { startForge as startInner } from './forge.ts'
import { commitFiles, givenPull, startForge, testPassword, type Forge, type GivenRepo } from './index.ts'
import { runProgram } from './program.ts'

/** What a forge answers about everything that the tests change. */
async function answersOf(forge: Forge, repo: GivenRepo): Promise<unknown> {
  const paths = [
    '/admin/users',
    '/repos/search',
    '/repos/issues/search?state=all',
    repo.api,
    ...[
      'branches',
      'commits',
      'contents/README.md',
      'contents',
      'issues?state=all',
      'releases',
      'labels',
      'activities/feeds',
    ].map((path) => `${repo.api}/${path}`),
  ]
  const answers = await Promise.all(paths.map((path) => forge.as('root').get(path)))
  return answers.map(({ status, json }, index) => ({ path: paths[index], status, json }))
}

/** Changes rows, references and files, and makes new ones. */
async function changeAll(forge: Forge, repo: GivenRepo): Promise<readonly number[]> {
  await forge.as('alice').must('PATCH', repo.api, { description: 'changed', has_wiki: false })
  await commitFiles(forge, repo, 'main', { 'README.md': 'changed\n', 'more.md': 'more\n' })
  await forge.as('alice').must('DELETE', `${repo.api}/branches/topic`)
  await forge.as('alice').must('PATCH', `${repo.api}/issues/1`, { title: 'changed', state: 'closed' })
  await forge
    .as('root')
    .must('POST', '/admin/users', { username: 'carol', email: 'carol@example.com', password: testPassword })
  const issue = await forge.given.issue({ repo })
  const pull = await givenPull(forge, { repo })
  const form = new FormData()
  form.set('attachment', new Blob(['a file']), 'file.txt')
  const file = await forge.as('alice').must('POST', `${issue.api}/assets`, undefined, { raw: form })
  const second = await forge.given.repo({ owner: 'bob' })
  const { json } = await forge.as('bob').get(second.api)
  forge.clock.advance(3_600_000)
  return [issue.number, pull.number, file.json.id, json.id]
}

test('reset() brings rows, repositories, files, ids and the time back, as often as wanted', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'], standAt: Date.UTC(2026, 0, 1) })
  const repo = await forge.given.repo({ owner: 'alice', files: { 'README.md': 'first\n' } })
  await forge.given.issue({ repo, title: 'An issue with words' })
  await commitFiles(forge, repo, 'topic', { 'topic.md': 'topic\n' })
  const { url } = forge
  const mark = await forge.snapshot()
  assert.equal(mark.atMs, forge.clock.nowMs())
  const before = await answersOf(forge, repo)
  const made: unknown[] = []
  for (let round = 0; round < 3; round += 1) {
    made.push(await changeAll(forge, repo))
    assert.notDeepEqual(await answersOf(forge, repo), before)
    await forge.reset(mark)
    assert.equal(forge.url, url)
    assert.equal(forge.clock.nowMs(), mark.atMs)
    assert.deepEqual(await answersOf(forge, repo), before)
    assert.equal((await forge.as('alice').get('/user')).status, 200)
    // Words of titles are indexed by the database, and an account that was made later is gone.
    const { json } = await forge.as('alice').get(`/repos/issues/search?q=words`)
    assert.deepEqual(
      json.map(({ title }: { title: string }) => title),
      ['An issue with words'],
    )
    assert.equal((await forge.as('root').get('/users/carol')).status, 404)
  }
  assert.deepEqual(made, [made[0], made[0], made[0]])
  const clone = mkdtempSync(join(tmpdir(), 'ingot-clone-'))
  try {
    const { code, err } = await runProgram('git', ['clone', '-q', await forge.gitUrl('alice', repo.fullName), clone])
    assert.equal(code, 0, err)
    assert.equal((await runProgram('git', ['branch', '-r'], { cwd: clone })).out.includes('origin/topic'), true)
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
})

test('reset() leaves a forge that the doctor finds in order, and goes between several snapshots', async () => {
  await using forge = await startInner({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const empty = await forge.snapshot()
  const issue = await forge.given.issue({ repo })
  await commitFiles(forge, repo, 'topic', { 'topic.md': 'topic\n' })
  const filled = await forge.snapshot()
  await changeAll(forge, repo)
  for (const [mark, status, branches] of [
    [empty, 404, 1],
    [filled, 200, 2],
    [empty, 404, 1],
    [filled, 200, 2],
  ] as const) {
    await forge.reset(mark)
    assert.equal((await forge.as('alice').get(issue.api)).status, status)
    assert.equal((await forge.as('alice').get(`${repo.api}/branches`)).json.length, branches)
    assert.deepEqual(await examined(forge.services), [])
  }
})

test('reset() forgets what the forge counts in memory, and what was due', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const mark = await forge.snapshot()
  const signIn = async (password: string): Promise<number> => {
    const answer = await forge.as('alice', { basic: { login: 'alice', password } }).get('/user')
    return answer.status
  }
  const guess = async (): Promise<number> => {
    let guesses = 0
    while (guesses < 200 && (await signIn('wrong')) !== 429) guesses += 1
    return guesses
  }
  const allowed = await guess()
  assert.ok(allowed > 0 && allowed < 200, `${allowed} guesses`)
  await forge.reset(mark)
  assert.equal(await signIn(testPassword), 200)
  // Work that is still due belongs to the state that goes.
  const repo = await forge.given.repo({ owner: 'alice' })
  await Promise.all(Array.from({ length: 20 }, () => forge.given.issue({ repo })))
  await forge.reset(mark)
  await forge.settle()
  assert.equal((await forge.as('alice').get(repo.api)).status, 404)
})

test('reset() with a runner: it works on, with the credentials of the snapshot', async () => {
  await using forge = await startForge({ users: ['alice'], runner: true })
  const mark = await forge.snapshot()
  const workflow = 'on: push\njobs: { hello: { runs-on: ubuntu-latest, steps: [{ run: echo hello }] } }\n'
  for (let round = 0; round < 2; round += 1) {
    const repo = await forge.given.repo({ owner: 'alice', name: 'hello' })
    await commitFiles(forge, repo, 'main', { '.forgejo/workflows/hello.yml': workflow })
    await forge.settle()
    const { json } = await forge.as('alice').get(`${repo.api}/actions/tasks`)
    assert.deepEqual(
      json.workflow_runs.map(({ status }: { status: string }) => status),
      ['success'],
    )
    await forge.reset(mark)
  }
})

test('snapshot() and reset() refuse what they cannot bring back', async () => {
  await using database = await openTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'ingot-data-'))
  try {
    await using shared = await startInner({ database: database.options, dataFolder: folder })
    await assert.rejects(shared.snapshot(), /shares its database/)
    await using elsewhere = await startForge({ settings: { attachment: { PATH: join(folder, 'elsewhere') } } })
    await assert.rejects(elsewhere.snapshot(), /outside its data folder/)
    await using forge = await startForge()
    await using other = await startForge()
    const mark = await forge.snapshot()
    await assert.rejects(other.reset(mark), /another forge/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a forge with a data folder of its own has snapshots on SQLite', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'ingot-data-'))
  try {
    await using forge = await startForge({ users: ['alice'], dataFolder })
    const repo = await forge.given.repo({ owner: 'alice' })
    const mark = await forge.snapshot()
    const before = await answersOf(forge, repo)
    await forge.given.issue({ repo })
    await forge.reset(mark)
    assert.deepEqual(await answersOf(forge, repo), before)
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
})
