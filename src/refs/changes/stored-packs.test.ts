import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Unavailable } from '../../lib/errors.ts'
import { codeOf, type GitRepository } from '../git-repository.ts'
import { compactPacks } from './compact-packs.service.ts'
import { findPacks, insertPacks, listPacks, replacePacks } from './pack.store.ts'
import { graceSeconds } from './remove-unnamed-packs.task.ts'
import { transaction } from '../../db/database.ts'
import { databaseKind } from '../../db/open.ts'
import { withFolder, withS3 } from '../../storage/blobs.test-support.ts'
import type { S3Options } from '../../storage/s3-service.ts'
import { Clone } from '../../testing/clone.ts'
import { removeCopies as removeCopiesIn } from '../../testing/copies.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { examined } from '../../testing/doctor.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { base64 } from '../../testing/samples.ts'

type Settings = NonNullable<NonNullable<Parameters<typeof startForge>[0]>['settings']>

const repository = { STORAGE: 'blobs' }

const inFolder = (path: string): Settings => ({ repository, 'storage.repositories': { PATH: path } })

const inBucket = ({ endpoint, bucket, accessKeyId, secretAccessKey }: S3Options): Settings => ({
  repository,
  'storage.repositories': {
    STORAGE_TYPE: 'minio',
    MINIO_ENDPOINT: endpoint,
    MINIO_BUCKET: bucket,
    MINIO_ACCESS_KEY_ID: accessKeyId,
    MINIO_SECRET_ACCESS_KEY: secretAccessKey,
  },
})

const removeCopies = (forge: Forge): void => removeCopiesIn(forge.services.config.paths.repositories)

/** Works with a repository in every way. `before` is called before each step and returns the forge for it. */
async function workWith(before: () => Promise<Forge>): Promise<void> {
  const alice = async () => (await before()).as('alice')
  const { json: repo } = await (
    await alice()
  ).must('POST', '/user/repos', { name: 'a', auto_init: true, default_branch: 'main' })
  const api = `/repos/${repo.full_name}`
  const first = await (await alice()).must('GET', `${api}/contents/README.md`)
  assert.equal(first.json.type, 'file')
  using clone = await Clone.of(await before(), 'alice', repo.full_name)
  await clone.commit('pushed')
  await clone.must(
    'push',
    '-q',
    await (await before()).gitUrl('alice', repo.full_name),
    'HEAD:main',
    'HEAD:refs/tags/v1',
  )
  const many = Array.from({ length: 120 }, (_, index) => `HEAD:refs/heads/many/${index}`)
  await clone.must('push', '-q', await (await before()).gitUrl('alice', repo.full_name), ...many)
  assert.equal((await (await alice()).must('GET', `${api}/branches?limit=1`)).headers.get('x-total-count'), '121')
  await (
    await alice()
  ).must('POST', `${api}/contents/by-api`, { branch: 'main', new_branch: 'topic', content: base64('x') })
  const { json: pull } = await (await alice()).must('POST', `${api}/pulls`, { base: 'main', head: 'topic', title: 't' })
  assert.equal((await (await alice()).must('GET', `${api}/pulls/${pull.number}/files`)).json[0].filename, 'by-api')
  await (await alice()).must('POST', `${api}/pulls/${pull.number}/merge`, { Do: 'merge' })
  const page = await fetch(`${(await before()).url}/${repo.full_name}`)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /by-api/)
  await (await alice()).must('POST', `${api}/wiki/new`, { title: 'Home', content_base64: base64('wiki') })
  assert.equal((await (await alice()).must('GET', `${api}/wiki/page/Home`)).json.title, 'Home')
  const { json: commit } = await (
    await alice()
  ).must('GET', `${api}/git/commits/${(await tip(await before(), api)).sha}`)
  assert.equal(commit.parents.length, 2)
  const { json: fork } = await (await before()).as('bob').must('POST', `${api}/forks`, {})
  await (await before()).as('bob').must('POST', `/repos/${fork.full_name}/contents/of-bob`, { content: base64('b') })
  const { json: other } = await (
    await before()
  )
    .as('bob')
    .must('POST', `${api}/pulls`, { base: 'main', head: 'bob:main', title: 'f' })
  assert.equal((await (await alice()).must('GET', `${api}/pulls/${other.number}/files`)).json[0].filename, 'of-bob')
  await (await alice()).must('POST', `${api}/pulls/${other.number}/merge`, { Do: 'squash' })
  await clone.must('pull', '-q', await (await before()).gitUrl('alice', repo.full_name), 'main')
  assert.deepEqual(readdirSync(clone.path).sort(), ['.git', 'README.md', 'by-api', 'of-bob', 'pushed'])
  await clone.must('fsck', '--strict')
  await (await before()).as('alice').must('DELETE', `${api}/branches/many/7`)
  await (await before()).settle()
  using whole = await Clone.of(await before(), 'bob', repo.full_name)
  assert.equal(await whole.must('rev-parse', 'HEAD'), (await tip(await before(), api)).sha)
}

const tip = async (forge: Forge, api: string): Promise<{ sha: string }> =>
  (await forge.as('alice').must('GET', `${api}/commits?limit=1`)).json[0]

test('stored packs: everything works when the copy is removed before each request', async () => {
  for (const withStore of [
    (use: (settings: Settings) => Promise<void>) => withFolder((folder) => use(inFolder(join(folder, 'packs')))),
    (use: (settings: Settings) => Promise<void>) => withS3(({ s3 }) => use(inBucket(s3!))),
  ]) {
    await withStore(async (settings) => {
      await using forge = await startForge({ users: ['alice', 'bob'], settings })
      await workWith(async () => {
        await forge.settle()
        removeCopies(forge)
        return forge
      })
      assert.deepEqual(await examined(forge.services), [])
    })
  }
})

test('stored packs: two processes with a folder of their own each show every change at once', async (context) => {
  await using database = await openTestDatabase()
  if (databaseKind(database.db) !== 'postgres') return context.skip('SQLite has one process')
  await withFolder(async (folder) => {
    const settings = { repository, storage: { PATH: folder }, security: { SECRET_KEY: 'a key of both processes' } }
    const start = async () => {
      const dataFolder = await mkdtemp(join(tmpdir(), 'ingot-replica-'))
      const forge = await startForge({ users: ['alice', 'bob'], settings, database: database.options, dataFolder })
      return { forge, end: () => rm(dataFolder, { recursive: true, force: true }) }
    }
    const both = [await start(), await start()] as const
    let turn = 0
    try {
      await workWith(async () => both[turn++ % 2]!.forge)
      for (const { forge } of both) assert.deepEqual(await examined(forge.services), [])
    } finally {
      for (const { forge, end } of both) {
        await forge[Symbol.asyncDispose]()
        await end()
      }
    }
  })
})

/** The folders of the copies of repositories on the disk. */
function copiesOf({ services: { config } }: Forge): string[] {
  const root = config.paths.repositories
  return readdirSync(root).flatMap((name) =>
    /^[0-9a-f]{2}$/.test(name) ? readdirSync(join(root, name)).map((key) => join(root, name, key)) : [],
  )
}

test('stored packs: folders that a git process makes again in a removed copy do not keep a new copy away', async () => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const { api } = await forge.given.repo({ owner: 'alice' })
    await forge.settle()
    const [copy = ''] = copiesOf(forge)
    rmSync(copy, { recursive: true })
    mkdirSync(join(copy, 'refs', 'heads'), { recursive: true })
    const alice = forge.as('alice')
    await alice.must('GET', `${api}/contents/README.md`)
    await alice.must('POST', `${api}/contents/more`, { content: base64('x') })
    removeCopies(forge)
    assert.deepEqual(await examined(forge.services), [])
  })
})

test('stored packs: a copy that lacks some parts is made again', async () => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const { api, fullName } = await forge.given.repo({ owner: 'alice' })
    const alice = forge.as('alice')
    const parts = ['HEAD', 'config', 'refs', 'objects', 'objects/pack', 'generation']
    const whole = async (copy: string): Promise<void> => {
      const { json: branches } = await alice.must('GET', `${api}/branches`)
      assert.equal(branches.length, 1)
      assert.equal((await fetch(new URL(`/${fullName}`, forge.url))).status, 200)
      await alice.must('POST', `${api}/contents/${randomUUID()}`, { content: base64('x') })
      for (const part of parts) assert.ok(existsSync(join(copy, part)), part)
    }
    for (const part of parts) {
      await forge.settle()
      const [copy = ''] = copiesOf(forge)
      rmSync(join(copy, part), { recursive: true })
      await whole(copy)
      // All other parts.
      await forge.settle()
      for (const name of readdirSync(copy)) if (name !== part) rmSync(join(copy, name), { recursive: true })
      await whole(copy)
    }
    assert.deepEqual(await examined(forge.services), [])
  })
})

test('stored packs: a copy that is removed while a reader brings it up is brought up again', async (t) => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const { api } = await forge.given.repo({ owner: 'alice' })
    await forge.as('alice').must('POST', `${api}/contents/more`, { content: base64('x') })
    const store = forge.services.packs!
    const get = store.get.bind(store)
    let removals = 0
    t.mock.method(store, 'get', async (key: string) => {
      const found = await get(key)
      if (removals++ < 2) removeCopies(forge)
      return found
    })
    for (const path of ['/contents/more', '/branches/main', '/commits']) {
      await forge.settle()
      removeCopies(forge)
      removals = 0
      await forge.as('alice').must('GET', api + path)
      assert.ok(removals > 2, path)
    }
    assert.deepEqual(await examined(forge.services), [])
  })
})

/** The number of files in the storage of packs. */
async function countBlobs(forge: Forge): Promise<number> {
  let count = 0
  for await (const _ of forge.services.packs!.list('')) count += 1
  return count
}

const inEmptyFolder = (use: (settings: Settings, folder: string) => Promise<void>): Promise<void> =>
  withFolder((folder) => use(inFolder(join(folder, 'packs')), join(folder, 'packs')))

test('stored packs: a storage that is away refuses changes with 503 and makes nothing; other reads go on', async (t) => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const repo = await forge.given.repo({ owner: 'alice' })
    const other = await forge.given.repo({ owner: 'alice' })
    await forge.settle()
    const alice = forge.as('alice')
    const before = await tip(forge, repo.api)
    using clone = await Clone.of(forge, 'alice', repo.fullName)
    await clone.commit('late')
    removeCopies(forge)
    await alice.must('GET', `${repo.api}/contents/README.md`)
    const store = forge.services.packs!
    const away = () => Promise.reject(new Unavailable('the storage does not answer', 'storage_unavailable'))
    const mocks = [t.mock.method(store, 'put', away), t.mock.method(store, 'get', away)]
    const commit = await alice.post(`${repo.api}/contents/new`, { content: base64('x') })
    assert.equal(commit.status, 503)
    assert.equal((await alice.post('/user/repos', { name: 'third', auto_init: true })).status, 503)
    const push = await clone.git('push', '-q', 'origin', 'HEAD:main')
    assert.equal(push.code, 1)
    assert.match(push.err, /the storage does not answer/)
    assert.equal((await alice.get(`${other.api}/contents/README.md`)).status, 503)
    assert.deepEqual(await tip(forge, repo.api), before)
    for (const { mock } of mocks) mock.restore()
    await clone.must('push', '-q', 'origin', 'HEAD:main')
    await alice.must('POST', `${repo.api}/contents/new`, { content: base64('x') })
    await alice.must('GET', `${other.api}/contents/README.md`)
    assert.equal((await alice.get('/repos/alice/third')).status, 404)
    removeCopies(forge)
    assert.deepEqual(await examined(forge.services), [])
  })
})

/** Lets the process end before it sets the reference of a pull request: until `restore`, no such reference is set. */
function endBeforePullRefs(t: TestContext, { services: { git } }: Forge) {
  const check = git.checkUpdates.bind(git)
  return t.mock.method(git, 'checkUpdates', async (...args: Parameters<typeof check>) => {
    if (args[1].some(({ ref }) => ref.startsWith('refs/pull/'))) throw new Unavailable('it ends', 'git_unavailable')
    return check(...args)
  }).mock
}

test('repoCreatePullRequest: every machine has the commits of a fork before their reference is there', async (t) => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice', 'bob'], settings })
    const base = await forge.given.repo({ owner: 'alice' })
    const { json: fork } = await forge.as('bob').must('POST', `${base.api}/forks`, {})
    await forge.as('bob').must('POST', `/repos/${fork.full_name}/contents/more`, { content: base64('more') })
    await forge.settle()
    const ended = endBeforePullRefs(t, forge)
    const opened = await forge
      .as('bob')
      .post(`${base.api}/pulls`, { base: 'main', head: 'bob:main', title: 'from a fork' })
    assert.equal(opened.status, 503)
    await forge.settle()
    ended.restore()
    removeCopies(forge)
    const missing = `repository ${fork.parent.id} (${base.name}): refs/pull/1/head is missing`
    assert.deepEqual(await examined(forge.services), [`pull-requests: ${missing} (fixable)`])
    await examined(forge.services, { fix: true })
    assert.deepEqual(await examined(forge.services), [])
    const { json: files } = await forge.as('alice').must('GET', `${base.api}/pulls/1/files`)
    assert.equal(files[0].filename, 'more')
  })
})

test('git push to refs/for: every machine has the commits of a topic before their reference is there', async (t) => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const repo = await forge.given.repo({ owner: 'alice' })
    using clone = await Clone.of(forge, 'alice', repo.fullName)
    const push = () => clone.git('push', '-q', 'origin', 'HEAD:refs/for/main/topic')
    await clone.commit('first')
    assert.equal((await push()).code, 0)
    await forge.settle()
    await clone.commit('second')
    const ended = endBeforePullRefs(t, forge)
    assert.equal((await push()).code, 1)
    await forge.settle()
    ended.restore()
    removeCopies(forge)
    forge.clock.advance(3_600_000)
    await forge.settle()
    const { json: commits } = await forge.as('alice').must('GET', `${repo.api}/pulls/1/commits`)
    assert.equal(commits.length, 2)
    const [tip = ''] = (await clone.must('ls-remote', 'origin', 'refs/pull/1/head')).split('\t')
    assert.equal(tip, await clone.must('rev-parse', 'HEAD'))
  })
})

test('createFork: packs are shared in the storage, and the fork outlives its base', async () => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice', 'bob'], settings })
    const base = await forge.given.repo({ owner: 'alice' })
    await forge.as('alice').must('POST', `${base.api}/contents/more`, { content: base64('more') })
    const blobs = () => countBlobs(forge)
    await forge.settle()
    const count = await blobs()
    const { json: fork } = await forge.as('bob').must('POST', `${base.api}/forks`, {})
    assert.equal(await blobs(), count)
    await forge.as('alice').must('DELETE', base.api)
    await forge.settle()
    forge.clock.advance(2 * graceSeconds * 1000)
    await forge.app.scheduler.runNow('remove_unnamed_packs')
    await forge.settle()
    removeCopies(forge)
    const found = await forge.as('bob').must('GET', `/repos/${fork.full_name}/contents/more`)
    assert.equal(found.json.type, 'file')
    await forge.as('bob').must('DELETE', `/repos/${fork.full_name}`)
    await forge.settle()
    await forge.app.scheduler.runNow('remove_unnamed_packs')
    await forge.settle()
    assert.equal(await blobs(), 0)
  })
})

/** The git repository of the code of a repository. */
const codeWithName = async ({ services }: Forge, name: string): Promise<GitRepository> =>
  codeOf(await services.db.selectFrom('repo').selectAll().where('name', '=', name).executeTakeFirstOrThrow())

test('stored packs: many packs are joined, and the replaced ones are deleted after the grace time', async () => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const { services } = forge
    const made = await forge.given.repo({ owner: 'alice' })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await forge.as('alice').must('POST', `${made.api}/contents/${name}`, { content: base64(name) })
    }
    const code = await codeWithName(forge, made.name)
    const live = async () => (await listPacks(services.db, code)).length
    assert.equal(await live(), 9)
    // Of two processes, one joins.
    await Promise.all([compactPacks(services, code), compactPacks(services, code)])
    assert.ok((await live()) <= 2)
    removeCopies(forge)
    assert.equal((await forge.as('alice').must('GET', `${made.api}/commits`)).json.length, 9)
    await forge.as('alice').must('POST', `${made.api}/contents/late`, { content: base64('late') })
    await forge.settle()
    const blobs = () => countBlobs(forge)
    const before = await blobs()
    await forge.app.scheduler.runNow('remove_unnamed_packs')
    await forge.settle()
    assert.equal(await blobs(), before)
    forge.clock.advance(2 * graceSeconds * 1000)
    await forge.app.scheduler.runNow('remove_unnamed_packs')
    await forge.settle()
    assert.equal(await blobs(), 2 * (await live()))
    removeCopies(forge)
    assert.deepEqual(await examined(services), [])
  })
})

test('stored packs: many packs are joined without waiting for the next maintenance', async () => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const { services } = forge
    const made = await forge.given.repo({ owner: 'alice' })
    const code = await codeWithName(forge, made.name)
    const live = async () => (await listPacks(services.db, code)).length
    const commits = async (count: number, prefix: string) => {
      for (let index = 0; index < count; index++) {
        await forge.as('alice').must('POST', `${made.api}/contents/${prefix}${index}`, { content: base64(prefix) })
      }
      await forge.settle()
    }
    const later = async (ms: number) => {
      forge.clock.advance(ms)
      await forge.settle()
    }
    await commits(20, 'few')
    assert.equal(await live(), 21)
    await commits(50, 'many')
    await later(15_000)
    assert.ok((await live()) < 64)
    // The division of packs that waits since then holds no later maintenance.
    await commits(64, 'more')
    await later(15_000)
    assert.ok((await live()) < 64)
    await commits(10, 'last')
    await later(6 * 60_000)
    assert.ok((await live()) < 10)
    assert.equal((await forge.as('alice').must('GET', `${made.api}/contents`)).json.length, 145)
    assert.deepEqual(await examined(services), [])
  })
})

test('stored packs: a joined pack that equals one of its inputs stays', async () => {
  await inEmptyFolder(async (settings) => {
    await using forge = await startForge({ users: ['alice'], settings })
    const { services } = forge
    const made = await forge.given.repo({ owner: 'alice' })
    const code = await codeWithName(forge, made.name)
    const [only] = await listPacks(services.db, code)
    const other = { ...only!, name: 'f'.repeat(40) }
    await transaction(services.db, async (tx) => {
      await insertPacks(tx, code, [other])
      assert.ok(await replacePacks(tx, code, [only!.name, other.name], [only!], 1))
      assert.ok(!(await replacePacks(tx, code, [only!.name, other.name], [only!], 1)))
    })
    const names = [only!.name, other.name]
    assert.deepEqual(
      await findPacks(services.db, code, [...names, 'e'.repeat(40)]),
      new Map(names.map((name) => [name, { isReplaced: name === other.name }])),
    )
    assert.deepEqual(await listPacks(services.db, code), [only])
    removeCopies(forge)
    assert.deepEqual(await examined(services), [])
  })
})

test('stored packs: the server refuses to start with repositories that are elsewhere, and with git hooks', async () => {
  await withFolder(async (folder) => {
    const dataFolder = join(folder, 'data')
    const start = async (settings: Settings): Promise<void> => {
      await using forge = await startForge({ users: ['alice'], dataFolder, settings })
      if ((await forge.as('alice').get('/repos/alice/r')).status === 404) {
        await forge.given.repo({ owner: 'alice', name: 'r' })
      }
    }
    const packs = inFolder(join(folder, 'packs'))
    const moved = (name: string): void => rmSync(join(folder, name), { recursive: true, force: true })
    if (process.env['INGOT_TEST_DATABASE']) return
    await start({ repository: { STORAGE: 'local' } })
    await assert.rejects(start(packs), /the repositories of this database are in \[repository\]\.ROOT/)
    for (const name of ['data', 'packs']) moved(name)
    await start(packs)
    await start(packs)
    await assert.rejects(
      start({ repository: { STORAGE: 'local' } }),
      /are stored as packs; set \[repository\]\.STORAGE = blobs/,
    )
    await assert.rejects(
      start({ ...packs, security: { DISABLE_GIT_HOOKS: false } }),
      /\[repository\] STORAGE: blobs has no place for the git hooks/,
    )
  })
})
