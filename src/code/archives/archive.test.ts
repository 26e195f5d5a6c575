import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { until } from '../../testing/until.ts'

const mebibyte = 1024 * 1024

const storedBytes = async (forge: Forge): Promise<number> => {
  let sum = 0
  for await (const { sizeBytes } of forge.services.blobs.repoArchive.list('')) sum += sizeBytes
  return sum
}

const rowsOf = (forge: Forge) => forge.services.db.selectFrom('repo_archive').selectAll().execute()

/** Pushes a tree that repeats one file; returns its branch. */
async function pushRepeated(forge: Forge, repository: string, sizeBytes: number, times: number): Promise<string> {
  using clone = await Clone.of(forge, 'alice', repository)
  const git = (args: string[], input: string | Buffer) =>
    execFileSync('git', ['-C', clone.path, ...args], { input, encoding: 'utf8' }).trim()
  const blob = git(['hash-object', '-w', '--stdin'], randomBytes(sizeBytes))
  const names = Array.from({ length: times }, (_, each) => `100644 blob ${blob}\tfile-${each}\n`)
  const tree = git(['mktree'], names.join(''))
  const commit = git(['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', tree, '-p', 'HEAD'], 'again\n')
  await clone.must('push', '-q', 'origin', `${commit}:refs/heads/again`)
  return 'again'
}

test('repoGetArchive, webArchive: a tree that repeats a file hundreds of times is refused before writing', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const branch = await pushRepeated(forge, repo.fullName, 4 * mebibyte, 300)
  for (const format of ['zip', 'tar.gz']) {
    const refused = await forge.guest.get(`${repo.api}/archive/${branch}.${format}`)
    assert.deepEqual([refused.status, refused.json.code], [413, 'tree_too_large'])
  }
  assert.equal((await forge.guest.get(`/${repo.fullName}/archive/${branch}.zip`, { site: true })).status, 413)
  assert.equal(await storedBytes(forge), 0)
  // A bundle has each object once.
  const bundle = await forge.guest.get(`${repo.api}/archive/${branch}.bundle`)
  assert.deepEqual([bundle.status, bundle.bytes.length < 5 * mebibyte], [200, true])
  assert.equal((await forge.guest.get(`${repo.api}/archive/main.zip`)).status, 200)
})

test('repoGetArchive: nested trees with too many files are refused', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const git = (args: string[], input: string) =>
    execFileSync('git', ['-C', clone.path, ...args], { input, encoding: 'utf8' }).trim()
  let [mode, type, oid] = ['100644', 'blob', git(['hash-object', '-w', '--stdin'], 'small\n')]
  for (let level = 0; level < 12; level++) {
    const entries = Array.from({ length: 20 }, (_, each) => `${mode} ${type} ${oid}\t${each}\n`)
    ;[mode, type, oid] = ['040000', 'tree', git(['mktree'], entries.join(''))]
  }
  const commit = git(['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', oid, '-p', 'HEAD'], 'deep\n')
  await clone.must('push', '-q', 'origin', `${commit}:refs/heads/deep`)
  const refused = await forge.guest.get(`${repo.api}/archive/deep.tar.gz`)
  assert.deepEqual([refused.status, refused.json.code], [413, 'tree_too_large'])
})

test('repoGetArchive: an archive that exceeds the limit leaves nothing', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { ingot: { MAX_ARCHIVE_SIZE: '1 MiB' } },
  })
  const repo = await forge.given.repo({ owner: 'alice' })
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  await clone.commit('a.bin', randomBytes(0.7 * mebibyte))
  await clone.commit('a.bin', randomBytes(0.7 * mebibyte))
  await clone.must('push', '-q', 'origin', 'main')
  // The history is larger than the newest commit.
  assert.equal((await forge.guest.get(`${repo.api}/archive/main.bundle`)).status, 413)
  assert.equal(await storedBytes(forge), 0)
  assert.equal((await forge.guest.get(`${repo.api}/archive/main.zip`)).status, 200)
})

test('repoGetArchive: the work ends when all waiting clients have disconnected', async () => {
  await using forge = await startForge({ users: ['alice'], settings: { ingot: { MAX_GIT_ARCHIVES: 4 } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  await pushRepeated(forge, repo.fullName, 4 * mebibyte, 30)
  const { admission } = forge.services
  const ask = (signal: AbortSignal, format = 'zip') =>
    fetch(`${forge.url}/api/v1${repo.api}/archive/again.${format}`, { signal }).then(
      ({ status }) => status,
      () => 'gone',
    )
  const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()]
  const replies = [ask(one.signal), ask(two.signal), ask(three.signal, 'tar.gz')]
  await until(() => admission.archives.taken === 1 && admission.archives.waiting === 1)
  one.abort()
  assert.equal(await replies[0], 'gone')
  assert.equal(admission.archives.taken, 1, 'a client still waits')
  two.abort()
  three.abort()
  await until(() => admission.archives.taken + admission.archives.waiting === 0)
  assert.equal(await storedBytes(forge), 0)
  assert.deepEqual(await rowsOf(forge), [])
})

test('repoGetArchive: stored archives are limited per repository and in total; the oldest are deleted and made again', async () => {
  await using forge = await startForge({
    users: ['alice'],
    settings: { ingot: { MAX_ARCHIVE_SIZE: '1 MiB', MAX_STORED_ARCHIVES: '4 MiB' } },
  })
  const busy = await forge.given.repo({ owner: 'alice' })
  const quiet = await forge.given.repo({ owner: 'alice' })
  const archive = async (api: string, ref: string) => {
    forge.clock.advance(1000)
    assert.equal((await forge.guest.get(`${api}/archive/${ref}.zip`)).status, 200)
  }
  await archive(quiet.api, 'main')
  using clone = await Clone.of(forge, 'alice', busy.fullName)
  const commits: string[] = []
  for (let each = 0; each < 6; each++) commits.push(await clone.commit('a.bin', randomBytes(400_000)))
  await clone.must('push', '-q', 'origin', 'main')
  for (const commit of commits) await archive(busy.api, commit)
  const kept = (await rowsOf(forge)).map(({ commit_oid }) => commit_oid as string)
  assert.deepEqual(
    commits.map((commit) => kept.includes(commit)),
    [false, false, false, false, true, true],
  )
  assert.equal(kept.length, 3, 'the older archive of the quiet repository stays')
  const rows = await rowsOf(forge)
  assert.equal(
    await storedBytes(forge),
    rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
  )
  await archive(busy.api, commits[0] as string)
})
