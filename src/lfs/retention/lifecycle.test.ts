import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { repositoryPath } from '../../git/git-key.ts'
import { examined } from '../../testing/doctor.ts'
import type { Forge } from '../../testing/forge.ts'
import type { GivenRepo } from '../../testing/given.ts'
import { runProgram } from '../../testing/program.ts'
import { base64 } from '../../testing/samples.ts'
import {
  contentOf,
  LfsClient,
  lfsUsageOf,
  outcomes,
  pointerTo,
  startLfs,
  startObjectStorage,
  type LfsContent,
} from '../lfs.test-support.ts'

async function storedFiles(forge: Forge): Promise<number> {
  let count = 0
  for await (const _ of forge.services.blobs.lfs.list('')) count++
  return count
}

/** Uploads an object and commits its pointer. */
async function addObject(forge: Forge, repo: GivenRepo, path: string, content: LfsContent, more: object = {}) {
  assert.equal((await new LfsClient(forge.as(repo.owner), repo).put(content)).status, 200)
  await forge
    .as(repo.owner)
    .must('POST', `${repo.api}/contents/${path}`, { content: base64(pointerTo(content)), ...more })
}

const hasObject = async (forge: Forge, repo: GivenRepo, content: LfsContent): Promise<boolean> =>
  outcomes(await new LfsClient(forge.as('root'), repo).batch('download', [content]))[0] === 'download'

const dayMs = 86_400_000

/** Advances the clock and collects garbage. */
async function collectAfter(forge: Forge, days: number): Promise<void> {
  forge.clock.advance(days * dayMs)
  await forge.as('root').must('POST', '/admin/cron/gc_lfs')
  await forge.settle()
}

for (const storageKind of ['a folder', 'an object storage'] as const) {
  test(`gc_lfs, objects in ${storageKind}: what no reference needs goes after its time, and no sooner`, async () => {
    await using storage = storageKind === 'a folder' ? undefined : await startObjectStorage()
    await using forge = await startLfs({ standAt: Date.now(), settings: { ...storage?.settings } })
    const repo = await forge.given.repo()
    const alice = forge.as('alice')
    const [kept, odd, dropped, never] = ['kept', 'odd', 'dropped', 'never committed'].map((text) => contentOf(text))
    await addObject(forge, repo, 'kept.bin', kept!)
    await addObject(forge, repo, 'dropped.bin', dropped!, { new_branch: 'topic' })
    await new LfsClient(forge.as('alice'), repo).put(never!)
    // As a crash between file and row leaves it.
    const { lfs } = forge.services.blobs
    await lfs.put(`arrivals/aa/${never!.oid}`, Readable.from([never!.bytes]), { maxBytes: 100 })
    await new LfsClient(forge.as('alice'), repo).put(odd!)
    // An unusual but valid form of a pointer.
    const oddPointer = pointerTo(odd!).replace('\noid', '\next-0-x sha256:00\noid')
    await alice.must('POST', `${repo.api}/contents/odd.bin`, { content: base64(oddPointer) })
    const here = async () => Promise.all([kept, odd, dropped, never].map((content) => hasObject(forge, repo, content!)))
    await collectAfter(forge, 8)
    assert.deepEqual(await here(), [true, true, true, false])
    assert.equal(await storedFiles(forge), 3)
    await alice.must('DELETE', `${repo.api}/branches/topic`)
    await collectAfter(forge, 4)
    assert.deepEqual(await here(), [true, true, true, false], 'its time begins when it was last found')
    await collectAfter(forge, 8)
    assert.deepEqual(await here(), [true, true, false, false])
    assert.equal(await storedFiles(forge), 2)
    assert.equal(await lfsUsageOf(forge, 'alice'), kept!.size + odd!.size)
    assert.deepEqual(await examined(forge.services), [])
  })
}

test('gc_lfs: keeps objects that a pusher was told exist', async () => {
  await using forge = await startLfs({ standAt: Date.now() })
  const repo = await forge.given.repo()
  const content = contentOf('unused for a while')
  const alice = new LfsClient(forge.as('alice'), repo)
  await alice.put(content)
  forge.clock.advance(30 * dayMs)
  assert.deepEqual(outcomes(await alice.batch('upload', [content])), ['nothing'])
  await collectAfter(forge, 1)
  assert.equal(await hasObject(forge, repo, content), true)
  await collectAfter(forge, 8)
  assert.equal(await hasObject(forge, repo, content), false)
})

test('gc_lfs: an unreadable history removes nothing', async () => {
  await using forge = await startLfs({ standAt: Date.now() })
  const repo = await forge.given.repo()
  const content = contentOf('content')
  await addObject(forge, repo, 'a.bin', content)
  const row = await forge.services.db.selectFrom('repo').selectAll().executeTakeFirstOrThrow()
  const repository = repositoryPath(forge.services.config.paths.repositories, row.git_key)
  assert.equal(existsSync(join(repository, 'objects')), true)
  rmSync(join(repository, 'objects'), { recursive: true })
  forge.clock.advance(30 * dayMs)
  await forge.as('root').must('POST', '/admin/cron/gc_lfs')
  await forge.settle()
  // The task is retried before it has failed.
  for (let attempt = 1; attempt < 5; attempt++) {
    forge.clock.advance(15 * 60_000)
    await forge.settle()
  }
  assert.match(String(forge.defects), /rev-list|git/)
  const left = await forge.services.db.selectFrom('lfs_object').select('oid').execute()
  assert.deepEqual(
    left.map(({ oid }) => oid),
    [content.oid],
  )
  forge.defects.length = 0
})

test('deletion of a repository: deletes its own contents and keeps those of forks', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const [shared, own] = [contentOf('shared'), contentOf('own')]
  await addObject(forge, repo, 'shared.bin', shared)
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { owner: 'bob', name: repo.name, fullName: `bob/${repo.name}`, api: `/repos/bob/${repo.name}` }
  await addObject(forge, repo, 'own.bin', own)
  assert.deepEqual(await Promise.all([shared, own].map((each) => hasObject(forge, fork, each))), [true, false])
  assert.deepEqual([await lfsUsageOf(forge, 'alice'), await lfsUsageOf(forge, 'bob')], [9, 6])
  await forge.as('alice').must('DELETE', repo.api)
  await forge.settle()
  assert.equal(await storedFiles(forge), 1)
  assert.equal(await hasObject(forge, fork, shared), true)
  assert.deepEqual([await lfsUsageOf(forge, 'alice'), await lfsUsageOf(forge, 'bob')], [0, 6])
  await forge.as('bob').must('DELETE', fork.api)
  await forge.settle()
  assert.equal(await storedFiles(forge), 0)
  assert.deepEqual(await examined(forge.services), [])
})

test('deletion of repositories while others send and link the same contents: no content is lost', async () => {
  await using forge = await startLfs({ users: ['alice'] })
  const keeper = await forge.given.repo()
  const contents = Array.from({ length: 6 }, (_, index) => contentOf(`content ${index}`))
  const alice = forge.as('alice')
  for (let round = 0; round < 4; round++) {
    const doomed = await forge.given.repo()
    const owner = new LfsClient(alice, doomed)
    for (const content of contents) assert.equal((await owner.put(content)).status, 200)
    const client = new LfsClient(alice, await forge.given.repo())
    const [, ...answers] = await Promise.all([
      alice.must('DELETE', doomed.api),
      ...contents.map((content, index) => (index % 2 ? client.put(content) : client.batch('upload', [content]))),
      forge.as('alice').get(keeper.api),
    ])
    await forge.settle()
    for (const [index, content] of contents.entries()) {
      const answer = answers[index]!
      assert.equal(answer.status, 200)
      const wasTaken = index % 2 === 1 || outcomes(answer)[0] === 'nothing'
      if (wasTaken) assert.equal((await client.get(content.oid)).text, content.bytes.toString(), `round ${round}`)
    }
  }
  assert.deepEqual(await examined(forge.services), [])
})

test('pull requests from forks: only merged commits bring their objects', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  await forge.as('bob').must('POST', `${repo.api}/forks`, {})
  const fork = { owner: 'bob', name: repo.name, fullName: `bob/${repo.name}`, api: `/repos/bob/${repo.name}` }
  const [merged, other] = [contentOf('merged'), contentOf('other')]
  await addObject(forge, fork, 'merged.bin', merged, { new_branch: 'topic' })
  await new LfsClient(forge.as('bob'), fork).put(other)
  const pull = { head: 'bob:topic', base: 'main', title: 'Merge me' }
  const { number } = (await forge.as('bob').must('POST', `${repo.api}/pulls`, pull)).json
  await forge.settle()
  assert.equal(await hasObject(forge, repo, merged), false)
  await forge.as('alice').must('POST', `${repo.api}/pulls/${number}/merge`, { Do: 'squash' })
  await forge.settle()
  assert.deepEqual(await Promise.all([merged, other].map((each) => hasObject(forge, repo, each))), [true, false])
  assert.equal((await forge.guest.get(`${repo.api}/media/merged.bin`)).text, 'merged')
  // The other direction: an updated fork.
  const late = contentOf('late')
  await addObject(forge, repo, 'late.bin', late)
  await forge.as('bob').must('POST', `${fork.api}/sync_fork/main`)
  await forge.settle()
  assert.equal(await hasObject(forge, fork, late), true)
  assert.deepEqual(await examined(forge.services), [])
})

test('transfers and templates: move objects and their charge', async () => {
  await using forge = await startLfs({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ template: true })
  const content = contentOf('content')
  await addObject(forge, repo, 'a.bin', content)
  await forge.as('alice').must('PATCH', repo.api, { template: true })
  await forge.as('bob').must('POST', `${repo.api}/generate`, { owner: 'bob', name: 'made', git_content: true })
  assert.equal((await forge.guest.get('/repos/bob/made/media/a.bin')).text, 'content')
  assert.equal(await lfsUsageOf(forge, 'bob'), content.size)
  await forge.as('root').must('POST', `${repo.api}/transfer`, { new_owner: 'bob' })
  if ((await forge.guest.get(`/repos/bob/${repo.name}`)).status === 404) {
    await forge.as('bob').must('POST', `${repo.api}/transfer/accept`)
  }
  assert.deepEqual([await lfsUsageOf(forge, 'alice'), await lfsUsageOf(forge, 'bob')], [0, 2 * content.size])
  assert.equal((await forge.guest.get(`/repos/bob/${repo.name}/media/a.bin`)).text, 'content')
  assert.deepEqual(await examined(forge.services), [])
})

test('repoGetRawFileOrLFS: serves false pointers as files, and objects as safely as files', async () => {
  await using forge = await startLfs()
  const hidden = await forge.given.repo({ private: true })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const secret = contentOf('a secret content')
  await addObject(forge, hidden, 'secret.bin', secret)
  const page = contentOf('<script>alert(1)</script>')
  await addObject(forge, repo, 'page.bin', page)
  const lies: Record<string, string> = {
    'other-repository': pointerTo(secret),
    'other-size': pointerTo({ ...page, size: 5 }),
    path: pointerTo({ oid: '../../../../etc/passwd', size: 5 }),
    long: pointerTo(page) + 'x'.repeat(1000),
    'no-version': pointerTo(page).slice(8),
  }
  for (const [path, content] of Object.entries(lies)) {
    await alice.must('POST', `${repo.api}/contents/${path}`, { content: base64(content) })
    assert.equal((await forge.guest.get(`${repo.api}/media/${path}`)).text, content, path)
  }
  const shown = await forge.guest.get(`${repo.api}/media/page.bin`)
  assert.deepEqual(
    [shown.text, shown.headers.get('content-type')],
    [page.bytes.toString(), 'text/plain; charset=utf-8'],
  )
  const part = await forge.guest.get(`/${repo.fullName}/media/branch/main/page.bin`, {
    site: true,
    headers: { range: 'bytes=1-6' },
  })
  assert.deepEqual([part.status, part.text], [206, 'script'])
  assert.equal((await forge.guest.get(`${repo.api}/raw/page.bin`)).text, pointerTo(page))
})

test('repoCreateFile, repoChangeFiles: files that match LFS attributes become objects', async () => {
  await using forge = await startLfs({ settings: { server: { LFS_MAX_FILE_SIZE: 1000 } } })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  const make = (path: string, content: string) =>
    alice.post(`${repo.api}/contents/${path}`, { content: base64(content) })
  await make('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n')
  await make('plain/.gitattributes', '*.bin -filter\n')
  const raw = async (path: string) => (await alice.get(`${repo.api}/raw/${path}`)).text
  const content = contentOf('made by the API')
  await make('dir/a.bin', content.bytes.toString())
  assert.equal(await raw('dir/a.bin'), pointerTo(content))
  await make('plain/a.bin', 'plain')
  assert.equal(await raw('plain/a.bin'), 'plain')
  await make('empty.bin', '')
  assert.equal(await raw('empty.bin'), '')
  await make('pointer.bin', pointerTo(content))
  assert.equal(await raw('pointer.bin'), pointerTo(content))
  assert.equal((await make('large.bin', 'x'.repeat(1001))).status, 422)
  const moved = await alice.must('GET', `${repo.api}/contents/dir/a.bin`)
  await alice.must('POST', `${repo.api}/contents`, {
    files: [
      { operation: 'update', path: 'b.bin', from_path: 'dir/a.bin', sha: moved.json.sha, content: base64('changed') },
      { operation: 'create', path: 'c.txt', content: base64('text') },
    ],
  })
  assert.deepEqual([await raw('b.bin'), await raw('c.txt')], [pointerTo(contentOf('changed')), 'text'])
  assert.equal((await alice.get(`${repo.api}/media/b.bin`)).text, 'changed')
  assert.deepEqual(await examined(forge.services), [])
})

test('doctor: finds unowned and lost contents and wrong sizes, and repairs what it can', async () => {
  await using forge = await startLfs()
  const repo = await forge.given.repo()
  const [one, other] = [contentOf('one'), contentOf('other')]
  const client = new LfsClient(forge.as('alice'), repo)
  await client.put(one)
  await client.put(other)
  await forge.settle()
  await transaction(forge.services.db, async (tx) => {
    await tx.deleteFrom('lfs_object').where('oid', '=', one.oid).execute()
  })
  const found = await examined(forge.services, { fix: true })
  assert.deepEqual(new Set(found.map((line) => line.split(':')[0])), new Set(['counters', 'lfs', 'usage']))
  await forge.settle()
  assert.equal(await storedFiles(forge), 1)
  assert.deepEqual(await examined(forge.services), [])
})

/** A folder for clones, with git and the LFS client and without settings of the machine. */
function workshop() {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-lfs-'))
  const env = {
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
    GIT_LFS_SKIP_SMUDGE: '0',
  }
  return {
    folder,
    env,
    async git(cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
      return runProgram('git', args, { cwd: join(folder, cwd), env: { ...env, ...more } })
    },
    async must(cwd: string, ...args: string[]): Promise<string> {
      const { code, out, err } = await this.git(cwd, args)
      assert.equal(code, 0, `git ${args.join(' ')}: ${err}`)
      return out
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

test('the LFS client over HTTP: push, clone, fetch of a branch, and locks that stop others', async () => {
  await using forge = await startLfs()
  using shop = workshop()
  const repo = await forge.given.repo({ private: true })
  await forge.account('bob')
  await forge.as('alice').must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  await shop.must('', 'lfs', 'install', '--skip-repo')
  for (const [name, email] of [
    ['user.name', 'A'],
    ['user.email', 'a@example.com'],
  ] as const) {
    await shop.must('', 'config', '--global', name, email)
  }
  await shop.must('', 'clone', '-q', await forge.gitUrl('alice', repo.fullName), 'a')
  await shop.must('a', 'lfs', 'track', '--lockable', '*.bin')
  const at = (...path: string[]) => join(shop.folder, ...path)
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251))
  await writeFile(at('a', 'one.bin'), bytes)
  await writeFile(at('a', 'same.bin'), bytes)
  await shop.must('a', 'add', '.')
  await shop.must('a', 'commit', '-qm', 'Objects')
  await shop.must('a', 'push', '-q', 'origin', 'HEAD:main', 'HEAD:topic')
  await shop.must('', 'clone', '-q', await forge.gitUrl('bob', repo.fullName), 'b')
  assert.equal((await readFile(at('b', 'same.bin'))).equals(bytes), true)
  await shop.must('b', 'lfs', 'fsck')
  await shop.must('a', 'lfs', 'lock', 'one.bin')
  assert.match(await shop.must('b', 'lfs', 'locks'), /one\.bin\s+alice/)
  await chmod(at('b', 'one.bin'), 0o644)
  await writeFile(at('b', 'one.bin'), 'changed')
  await shop.must('b', 'commit', '-qam', 'Change what is locked')
  const remote = (await shop.must('b', 'remote', 'get-url', 'origin')).trim()
  await shop.must('b', 'config', `lfs.${remote}/info/lfs.locksverify`, 'true')
  const held = await shop.git('b', ['push', '-q', 'origin', 'HEAD:main'])
  assert.notEqual(held.code, 0)
  assert.match(held.out + held.err, /one\.bin.*alice|alice.*one\.bin/s)
  assert.notEqual((await shop.git('b', ['lfs', 'unlock', 'one.bin'])).code, 0)
  await shop.must('a', 'lfs', 'unlock', 'one.bin')
  await shop.must('b', 'push', '-q', 'origin', 'HEAD:main')
  await forge.settle()
  assert.deepEqual(await examined(forge.services), [])
})
