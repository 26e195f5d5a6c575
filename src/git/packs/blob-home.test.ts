import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { zeroOid } from '../../lib/refs.ts'
import type { GitKey } from '../git-key.ts'
import { repositoryPath } from '../git-key.ts'
import { commitOn, newRepository, serveGit, startTestGit } from '../git.test-support.ts'
import { packsToJoin } from './join-packs.ts'
import type { RefSource, RefState, StoredPack } from '../git.ts'
import type { GitOptions } from '../git-options.ts'
import { until } from '../../testing/until.ts'

/** A git layer whose packs are in memory, and a source with what `name` has recorded. */
async function given(options: Partial<GitOptions> = {}, request?: () => object) {
  const stored = new Map<string, Buffer>()
  let failure: Error | undefined
  let fetched = 0
  const packs: NonNullable<GitOptions['packs']> = {
    async put(key, content) {
      if (failure) throw failure
      const bytes = await buffer(content)
      stored.set(key, bytes)
      return { sizeBytes: bytes.length, sha256: hash('sha256', bytes) }
    },
    async get(key) {
      if (failure) throw failure
      fetched += 1
      const bytes = stored.get(key)
      return bytes && { stream: Readable.from([bytes], { objectMode: false }) }
    },
  }
  const states = new Map<GitKey, RefState>()
  const replaced = new Set<string>()
  const source: RefSource = {
    generation: async (key) => states.get(key)?.generation,
    state: async (key) => states.get(key),
    request,
    async findPacks(key, names) {
      const live = new Set(states.get(key)?.packs.map(({ name }) => name))
      const known = names.filter((name) => live.has(name) || replaced.has(name))
      return new Map(known.map((name) => [name, { isReplaced: !live.has(name) }]))
    },
  }
  const tested = await startTestGit({ packs, source, ...options })
  const { git, root } = tested
  return {
    git,
    stored,
    states,
    fetches: () => fetched,
    fail: (error: Error | undefined) => (failure = error),
    folder: (key: GitKey) => repositoryPath(root, key),
    /** A change names one pack instead of all others. */
    replacePacks(key: GitKey, made: StoredPack) {
      const before = states.get(key)!
      for (const { name } of before.packs) replaced.add(name)
      states.set(key, { ...before, generation: before.generation + 1, packs: [made] })
    },
    /** Makes a repository with a commit, whose packs the source names. */
    async repository(): Promise<GitKey> {
      const key = await newRepository(git)
      const found = await git.keepObjects(key)
      const refs = new Map((await git.readRefs(key)).map(({ name, oid }) => [name, oid]))
      states.set(key, { generation: 0, objectFormat: 'sha1', head: 'main', refs, packs: found })
      return key
    },
    [Symbol.asyncDispose]: () => tested[Symbol.asyncDispose](),
  }
}

const packFiles = (folder: string): string[] => readdirSync(join(folder, 'objects', 'pack')).sort()

test('blob home: written objects become one pack, which is stored once', async () => {
  await using it = await given()
  const key = await it.repository()
  assert.deepEqual(
    readdirSync(join(it.folder(key), 'objects')).filter(
      (name) => name.length === 2 && readdirSync(join(it.folder(key), 'objects', name)).length > 0,
    ),
    [],
  )
  assert.equal(it.stored.size, 2)
  assert.deepEqual(await it.git.keepObjects(key), [])
  assert.equal(it.stored.size, 2)
  // The source names nothing: a change that was not made stored the pack for nothing.
  it.states.delete(key)
  const [one, other] = await Promise.all([it.git.keepObjects(key), it.git.keepObjects(key)])
  assert.deepEqual(one, other)
  assert.equal(it.stored.size, 4)
})

test('blob home: concurrent readers of a copy that is away share one fetch', async () => {
  await using it = await given()
  const key = await it.repository()
  rmSync(it.folder(key), { recursive: true })
  const found = await Promise.all(Array.from({ length: 20 }, () => it.git.readRef(key, 'refs/heads/main')))
  assert.equal(new Set(found).size, 1)
  assert.equal(it.fetches(), 2)
  assert.ok((await it.git.fsck(key)).ok)
  // A start after a crash between the folder and its packs.
  rmSync(join(it.folder(key), 'generation'))
  for (const file of packFiles(it.folder(key))) rmSync(join(it.folder(key), 'objects', 'pack', file))
  await it.git.bringUp(key)
  assert.ok((await it.git.fsck(key)).ok)
})

test('blob home: a request that has compared a copy finds objects which another process has stored since', async () => {
  const request = {}
  await using it = await given({ shared: true }, () => request)
  const { git, states } = it
  const [key, other] = [await it.repository(), await it.repository()]
  const first = (await git.readRef(key, 'refs/heads/main'))!
  const own = states.get(key)!.packs
  /** A commit that is stored after the request has compared the copy. */
  const late = async (name: string): Promise<Oid> => {
    await git.readRef(key, 'refs/heads/main')
    const oid = await commitOn(git, other, 'main', { [name]: 'x' })
    const all = states.get(other)!
    states.set(other, { ...all, packs: [...all.packs, ...(await git.keepObjects(other))] })
    const state = states.get(key)!
    states.set(key, { ...state, generation: state.generation + 1, packs: [...own, ...states.get(other)!.packs] })
    return oid
  }
  const change = (oid: Oid) => [{ ref: 'refs/heads/late', old: zeroOid('sha1'), new: oid }]
  const calls: Record<string, (oid: Oid) => Promise<unknown>> = {
    readCommit: (oid) => git.readCommit(key, oid),
    resolve: async (oid) => assert.ok(await git.resolve(key, oid)),
    objectInfo: async (oid) => assert.ok(await git.objectInfo(key, oid)),
    missingObjects: async (oid) => assert.deepEqual(await git.missingObjects(key, [oid]), []),
    checkUpdates: async (oid) => assert.deepEqual(await git.checkUpdates(key, change(oid)), []),
    divergence: (oid) => git.divergence(key, { base: first, heads: [oid] }),
    eachChangedPath: (oid) => git.eachChangedPath(key, { from: oid, not: first }, () => true),
  }
  for (const [name, call] of Object.entries(calls)) await call(await late(name))
  const none = 'e'.repeat(40) as Oid
  await assert.rejects(git.readCommit(key, none), { code: 'git_object_missing' })
  assert.equal(await git.objectInfo(key, none), undefined)
})

test('blob home: a missing or damaged pack, or a storage that is away, refuses the read and leaves nothing', async () => {
  await using it = await given()
  const key = await it.repository()
  const [name = '', bytes = Buffer.alloc(0)] = [...it.stored].find(([each]) => each.endsWith('.pack')) ?? []
  const away = new Unavailable('the storage does not answer', 'storage_away')
  const faults = [
    { begin: () => it.fail(away), end: () => it.fail(undefined) },
    { begin: () => it.stored.delete(name), end: () => it.stored.set(name, bytes) },
    { begin: () => it.stored.set(name, bytes.subarray(1)), end: () => it.stored.set(name, bytes) },
  ]
  for (const { begin, end } of faults) {
    rmSync(it.folder(key), { recursive: true })
    begin()
    await assert.rejects(it.git.readRef(key, 'refs/heads/main'), Unavailable)
    assert.deepEqual(packFiles(it.folder(key)), [])
    end()
    assert.ok(await it.git.readRef(key, 'refs/heads/main'))
  }
  // What needs no missing pack goes on.
  it.fail(away)
  assert.ok(await it.git.readRef(key, 'refs/heads/main'))
  await assert.rejects(it.git.keepObjects(await newRepository(it.git)), Unavailable)
})

test('blob home: a copy that somebody removes comes back without what only it had', async () => {
  await using it = await given()
  const key = await it.repository()
  const { git } = it
  const head = (await git.readRef(key, 'refs/heads/main'))!
  for (let round = 0; round < 3; round++) {
    rmSync(it.folder(key), { recursive: true })
    const found = await Promise.all(Array.from({ length: 5 }, () => git.readRef(key, 'refs/heads/main')))
    assert.deepEqual(new Set(found), new Set([head]))
    assert.equal(await git.countCommits(key, { from: [head] }), 1)
  }
  // Objects that were written to a removed copy and cached do not count as written.
  const lost = await commitOn(git, key, 'main', { lost: 'x' })
  rmSync(it.folder(key), { recursive: true })
  await git.ready(key)
  assert.equal((await git.checkUpdates(key, [{ ref: 'refs/heads/lost', old: undefined, new: lost }])).length, 1)
})

test('blob home: copies that were not used for the longest time are evicted, and none in use', async () => {
  await using it = await given({ copyBudget: { bytes: 1, idleMs: 0 } })
  const used = await it.repository()
  const oid = (await it.git.readRef(used, 'refs/heads/main'))!
  const { tree } = await it.git.readCommit(used, oid)
  const [file] = await it.git.readTree(used, tree)
  const { stream } = await it.git.streamBlob(used, file!.oid)
  const others = [await it.repository(), await it.repository()]
  await until(async () => others.slice(0, 1).every((key) => !existsSync(it.folder(key))))
  assert.ok(existsSync(it.folder(used)))
  assert.equal((await buffer(stream)).toString(), '# hello\n')
  // A repository that is being made has no copy elsewhere.
  const made = await newRepository(it.git)
  for (const key of others) assert.ok(await it.git.readRef(key, 'refs/heads/main'))
  await until(async () => {
    await it.git.readRef(others[0]!, 'refs/heads/main')
    rmSync(it.folder(others[0]!), { recursive: true, force: true })
    return !existsSync(it.folder(used))
  })
  assert.ok(existsSync(it.folder(made)))
  assert.equal(await it.git.readRef(used, 'refs/heads/main'), oid)
})

test('blob home: a large copy gets a bitmap after it was brought up, and loses it with the packs that it names', async () => {
  await using it = await given()
  const { git, states } = it
  const key = await it.repository()
  const change = async (files: Record<string, string>): Promise<void> => {
    const oid = await commitOn(git, key, 'main', files)
    const state = states.get(key)!
    const packs = [...state.packs, ...(await git.keepObjects(key))]
    states.set(key, { ...state, generation: state.generation + 1, refs: new Map([['refs/heads/main', oid]]), packs })
  }
  await change({ large: randomBytes(3 << 20).toString('hex') })
  rmSync(it.folder(key), { recursive: true })
  assert.ok(await git.readRef(key, 'refs/heads/main'))
  const bitmaps = () => packFiles(it.folder(key)).filter((name) => /^multi-pack-index(-.*\.bitmap)?$/.test(name))
  await until(() => bitmaps().length === 2)
  assert.ok((await git.fsck(key)).ok)
  const before = states.get(key)!
  const made = await git.joinPacks(
    key,
    before.packs.map(({ name }) => name),
  )
  it.replacePacks(key, made)
  await git.bringUp(key)
  assert.deepEqual(bitmaps(), [])
  assert.ok((await git.fsck(key)).ok)
  await until(() => bitmaps().length === 2)
})

test('packs to join: sizes become a geometric progression, and few packs are left alone', () => {
  const chosen = (...sizes: number[]) =>
    packsToJoin(sizes.map((sizeBytes) => ({ sizeBytes }))).map((each) => each.sizeBytes)
  assert.deepEqual(chosen(1, 1, 1, 1, 1, 1, 1), [])
  assert.deepEqual(chosen(1, 1, 1, 1, 1, 1, 1, 1), [1, 1, 1, 1, 1, 1, 1, 1])
  assert.deepEqual(chosen(1, 2, 6, 18, 54, 162, 486, 1458), [])
  assert.deepEqual(chosen(1000, 3, 1, 1, 1, 1, 1, 2), [1, 1, 1, 1, 1, 2, 3])
})

test('blob home: packs are joined into one with all their objects, and copies drop the replaced ones', async () => {
  await using it = await given()
  const { git, states } = it
  const key = await it.repository()
  for (const name of ['a', 'b', 'c']) {
    const oid = await commitOn(git, key, 'main', { [name]: `${name}\n` })
    const state = states.get(key)!
    const packs = [...state.packs, ...(await git.keepObjects(key))]
    states.set(key, { ...state, generation: state.generation + 1, refs: new Map([['refs/heads/main', oid]]), packs })
  }
  const before = states.get(key)!
  assert.equal(before.packs.length, 4)
  const made = await git.joinPacks(
    key,
    before.packs.map(({ name }) => name),
  )
  it.replacePacks(key, made)
  const onlyMade = ['.idx', '.pack'].map((ending) => `pack-${made.name}${ending}`)
  // A copy that has the old packs, and one that has none.
  for (const isAway of [false, true]) {
    if (isAway) rmSync(it.folder(key), { recursive: true })
    await git.bringUp(key)
    const files = packFiles(it.folder(key)).filter((name) => !name.endsWith('.rev'))
    assert.deepEqual(files, onlyMade)
    assert.ok((await git.fsck(key)).ok)
    assert.equal(await git.countCommits(key, { from: [...before.refs.values()] }), 4)
  }
  assert.deepEqual(await git.keepObjects(key), [])
})

test('blob home: a reader that began with an index of all packs finds what a joined pack has, and not the replaced ones', async () => {
  await using it = await given({ limits: { brokerIdleMs: 200 } })
  const { git, states } = it
  const key = await it.repository()
  const commits = [states.get(key)!.refs.get('refs/heads/main')!]
  for (const name of ['a', 'b', 'c']) {
    const oid = await commitOn(git, key, 'main', { [name]: `${name}\n` })
    commits.push(oid)
    const state = states.get(key)!
    const packs = [...state.packs, ...(await git.keepObjects(key))]
    states.set(key, { ...state, generation: state.generation + 1, refs: new Map([['refs/heads/main', oid]]), packs })
  }
  // Nothing is cached of a new copy.
  rmSync(it.folder(key), { recursive: true })
  await git.bringUp(key)
  const folder = join(it.folder(key), 'objects', 'pack')
  const names = states.get(key)!.packs.map(({ name }) => name)
  // An index of several packs takes all objects of the oldest one from it.
  for (const [age, name] of names.entries()) utimesSync(join(folder, `pack-${name}.pack`), age + 1, age + 1)
  const made = await git.joinPacks(key, names)
  await git.maintain(key, ['bitmap'], { force: true })
  assert.ok(existsSync(join(folder, 'multi-pack-index')))
  // Later readers begin with the index.
  await wait(1000)
  assert.equal((await git.readCommit(key, commits[3]!)).oid, commits[3])
  it.replacePacks(key, made)
  await git.bringUp(key)
  assert.deepEqual(
    (await git.readCommits(key, commits)).map(({ oid }) => oid),
    commits,
  )
})

for (const [when, comesBack] of [
  ['is removed', false],
  ['is removed and brought back', true],
] as const) {
  test(`blob home: a fetch from another server whose copy ${when} meanwhile fails, and finds nothing deleted there`, async () => {
    await using it = await given()
    await using other = await startTestGit()
    const key = await it.repository()
    const source = await newRepository(other.git)
    let removed = 0
    await using server = await serveGit({
      ...other.git,
      async uploadPack(from, request) {
        if (!request.advertise && removed === 0) {
          removed += 1
          renameSync(it.folder(key), join(await other.folder('gone'), 'copy'))
          if (comesBack) await it.git.readRefs(key)
        }
        return other.git.uploadPack(from, request)
      },
    })
    const fetch = () =>
      it.git.fetchRemote(key, {
        url: server.url(source),
        refspecs: ['+refs/heads/*:refs/fetched/heads/*'],
        prune: true,
        into: 'aside',
      })
    await assert.rejects(fetch(), { status: 503 })
    assert.equal(removed, 1)
    const { aside } = await fetch()
    assert.deepEqual(
      aside.map(({ name }) => name),
      ['refs/fetched/heads/main'],
    )
  })
}
