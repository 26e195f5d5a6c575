import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Oid } from '../lib/ids.ts'
import { newGitKey, repositoryPath } from './git-key.ts'
import { client, commitOn, filesOf, newRepository, someone, startLoggedGit, startTestGit } from './git.test-support.ts'
import { zeroOid } from '../lib/refs.ts'

test('git reading: commits, trees, blobs and paths read back as written', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, { 'README.md': '# hi\n', 'src/lib/ä b.ts': 'export {}\n' })
  const head = await git.readHead(key)
  assert.equal(head.branch, 'main')
  const commit = await git.readCommit(key, head.oid!)
  assert.equal(commit.message, 'first\n')
  assert.deepEqual(commit.author, someone)
  assert.deepEqual(
    (await git.readTree(key, head.oid!)).map((entry) => [entry.mode, entry.type, entry.name]),
    [
      ['100644', 'blob', 'README.md'],
      ['040000', 'tree', 'src'],
    ],
  )
  const found = await git.findPath(key, head.oid!, '/src//lib/ä b.ts')
  assert.ok(found !== undefined)
  assert.equal(found.path, 'src/lib/ä b.ts')
  const blob = await git.readBlob(key, found.oid, { maxBytes: 1000 })
  assert.equal(blob.content?.toString(), 'export {}\n')
  assert.deepEqual(await git.readBlob(key, found.oid, { maxBytes: 3 }), { oid: found.oid, sizeBytes: 10 })
  assert.equal(await git.findPath(key, head.oid!, 'src/none'), undefined)
  assert.equal((await git.findPath(key, head.oid!, ''))?.oid, commit.tree)
  const all = await git.listTreeRecursive(key, head.oid!, { sizes: true })
  assert.deepEqual(
    all.entries.map((entry) => [entry.path, entry.sizeBytes]),
    [
      ['README.md', 5],
      ['src', 0],
      ['src/lib', 0],
      ['src/lib/ä b.ts', 10],
    ],
  )
  assert.equal((await git.listTreeRecursive(key, head.oid!, { skip: 1, limit: 2 })).entries.length, 2)
  assert.deepEqual(await git.fsck(key), { ok: true, problems: [] })
})

test('git reading: a missing object or repository is NotFound', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const absent = '1'.repeat(40) as Oid
  await assert.rejects(git.readCommit(key, absent), { name: 'NotFound' })
  await assert.rejects(git.readBlob(key, (await git.readHead(key)).oid!, { maxBytes: 10 }), { name: 'NotFound' })
  await assert.rejects(git.readTree(key, absent), { name: 'NotFound' })
  const nowhere = newGitKey()
  await assert.rejects(git.readHead(nowhere), { name: 'NotFound' })
  await assert.rejects(git.readCommit(nowhere, absent), { name: 'NotFound' })
  await assert.rejects(git.readRefs(nowhere), { name: 'NotFound' })
  await assert.rejects(git.uploadPack(nowhere, { stateless: true, advertise: true }), { name: 'NotFound' })
  await assert.rejects(git.countCommits(nowhere, { from: [absent] }), { name: 'NotFound' })
})

test('git resolve: a branch, tag, full name, whole and short id resolve; other texts do not', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const second = await commitOn(git, key, 'feature/x', { 'a.txt': 'a' }, { parents: [first] })
  const tag = await git.writeTag(key, {
    name: 'v1',
    target: second,
    targetType: 'commit',
    tagger: someone,
    message: 'one',
  })
  assert.deepEqual(await git.updateRefs(key, [{ ref: 'refs/tags/v1', old: zeroOid(), new: tag }]), { ok: true })
  assert.deepEqual(await git.resolve(key, 'feature/x'), {
    oid: second,
    type: 'commit',
    commit: second,
    ref: 'refs/heads/feature/x',
  })
  assert.deepEqual(await git.resolve(key, 'v1'), { oid: tag, type: 'tag', commit: second, ref: 'refs/tags/v1' })
  assert.equal((await git.resolve(key, 'refs/tags/v1'))?.oid, tag)
  assert.deepEqual(await git.resolve(key, second), { oid: second, type: 'commit', commit: second })
  assert.equal((await git.resolve(key, second.slice(0, 7)))?.oid, second)
  assert.equal((await git.resolve(key, 'HEAD'))?.oid, first)
  for (const hostile of [
    '',
    '-',
    '--all',
    'main~1',
    'main^',
    'main^{tree}',
    'main:README.md',
    'main..feature/x',
    '@',
    '@{0}',
    'main@{1}',
    ':/first',
    '../../etc/passwd',
    'refs/../HEAD',
    'refs/heads/../../config',
    'a\nb',
    'a\0b',
    'abc',
    'HEAD~0',
    'config',
    'refs',
    'refs/heads',
    'objects/info',
    '\ud800',
    `${second}\ncontents ${first}`,
  ]) {
    assert.equal(await git.resolve(key, hostile), undefined, JSON.stringify(hostile))
  }
  assert.equal((await git.readTag(key, tag)).message, 'one\n')
})

test('git references: changes by this layer and by other processes show at once, loose and packed', async () => {
  await using test = await startTestGit()
  const { git, root } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const directory = `${root}/${key.slice(0, 2)}/${key}.git`
  for (const name of ['b', 'a', 'c/d']) {
    await commitOn(git, key, name, { [name]: name }, { parents: [first], minute: name.length })
  }
  assert.deepEqual(
    (await git.readRefs(key)).map((ref) => ref.name),
    ['refs/heads/a', 'refs/heads/b', 'refs/heads/c/d', 'refs/heads/main'],
  )
  await git.maintain(key, ['pack-refs'], { force: true })
  const packed = await git.readRefs(key, 'refs/heads/c')
  assert.deepEqual(
    packed.map((ref) => ref.name),
    ['refs/heads/c/d'],
  )
  await client(directory, 'update-ref', 'refs/heads/a', first)
  assert.equal(await git.readRef(key, 'refs/heads/a'), first)
  await client(directory, 'update-ref', '-d', 'refs/heads/b')
  assert.equal(await git.readRef(key, 'refs/heads/b'), undefined)
  await client(directory, 'tag', '-a', '-m', 'x', 'v2', first)
  await client(directory, 'pack-refs', '--all')
  const { refs, total } = await git.listRefs(key, { sort: '-committerdate', limit: 2 })
  assert.equal(total, 4)
  assert.equal(refs[0]?.name, 'refs/heads/c/d')
  const tags = await git.listRefs(key, { prefix: 'refs/tags/' })
  assert.deepEqual(
    tags.refs.map((ref) => [ref.name, ref.type, ref.peeled, ref.peeledType]),
    [['refs/tags/v2', 'tag', first, 'commit']],
  )
})

test('git references: a loose reference is read again when its file changes', async (context) => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const second = await commitOn(git, key, 'main', { 'b.txt': 'b' })
  // An old modification time.
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
  assert.equal(await git.readRef(key, 'refs/heads/main'), second)
  context.mock.timers.reset()
  await setTimeout(20)
  const file = join(test.root, repositoryPath('', key), 'refs/heads/main')
  for (let round = 0; round < 100; round++) {
    const oid = round % 2 === 0 ? first : second
    // Replaces the file by another one of the same length at the same time, as git does.
    writeFileSync(`${file}.lock`, `${oid}\n`)
    renameSync(`${file}.lock`, file)
    assert.equal(await git.readRef(key, 'refs/heads/main'), oid)
  }
})

test('git references: one of two concurrent writers wins, and conflicts have reasons', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const first = (await git.readHead(key)).oid!
  const make = async (text: string): Promise<Oid> =>
    (
      await git.writeCommit(key, {
        parents: [first],
        tree: { base: first, changes: [{ op: 'write', path: 'f', content: Buffer.from(text) }] },
        author: someone,
        committer: someone,
        message: text,
      })
    ).oid
  const tips = await Promise.all(['1', '2', '3', '4', '5', '6'].map(make))
  const results = await Promise.all(
    tips.map((oid) => git.updateRefs(key, [{ ref: 'refs/heads/main', old: first, new: oid }])),
  )
  assert.equal(results.filter((result) => result.ok).length, 1)
  assert.ok(
    results.every((result) => result.ok || (result.reason === 'stale' && result.ref === 'refs/heads/main')),
    JSON.stringify(results),
  )
  const refused = async (ref: string, old: Oid | undefined, fresh: Oid): Promise<string> => {
    const result = await git.updateRefs(key, [{ ref, old, new: fresh }])
    return result.ok ? 'ok' : result.reason
  }
  assert.equal(await refused('refs/heads/main', zeroOid(), first), 'exists')
  assert.equal(await refused('refs/heads/main/sub', zeroOid(), first), 'conflict')
  assert.equal(await refused('refs/heads/bad..name', zeroOid(), first), 'invalid')
  assert.equal(await refused('refs/heads/x', zeroOid(), '2'.repeat(40) as Oid), 'invalid')
  assert.equal(await refused('refs/heads/none', first, first), 'stale')
  assert.equal(await refused('refs/heads/-dash', zeroOid(), first), 'ok')
  // All or nothing.
  const both = await git.updateRefs(key, [
    { ref: 'refs/heads/new', old: zeroOid(), new: first },
    { ref: 'refs/heads/main', old: first, new: first },
  ])
  assert.equal(both.ok, false)
  assert.equal(await git.readRef(key, 'refs/heads/new'), undefined)
  assert.equal(await refused('refs/heads/-dash', first, zeroOid()), 'ok')
  assert.equal(await git.readRef(key, 'refs/heads/-dash'), undefined)
})

test('git reading: concurrent reads from several repositories, large blobs and ranges', async () => {
  await using test = await startTestGit({ limits: { pooledProcesses: 2 } })
  const { git } = test
  const large = Buffer.alloc(6 << 20, 'abcdefgh')
  const keys = await Promise.all(Array.from({ length: 4 }, () => newRepository(git)))
  const blobs = await Promise.all(keys.map((key) => git.writeBlob(key, large)))
  const reads = Array.from({ length: 200 }, async (_, index) => {
    const key = keys[index % keys.length]!
    const oid = await git.writeBlob(key, Buffer.from(`blob ${index}`))
    return (await git.readBlob(key, oid, { maxBytes: 100 })).content?.toString()
  })
  assert.deepEqual(
    await Promise.all(reads),
    Array.from({ length: 200 }, (_, index) => `blob ${index}`),
  )
  const { stream, sizeBytes } = await git.streamBlob(keys[1]!, blobs[1]!, {
    range: { start: 5 << 20, end: (5 << 20) + 11 },
  })
  assert.equal(sizeBytes, large.length)
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  assert.equal(Buffer.concat(chunks).toString(), 'abcdefghabc')
  const whole = await git.readBlob(keys[0]!, blobs[0]!, { maxBytes: 10 << 20 })
  assert.ok(whole.content?.equals(large))
})

test('git reading: a tree with many folders is listed by one process, as one with few is', async () => {
  await using test = await startLoggedGit()
  const { git } = test
  const key = await newRepository(git)
  const names = Array.from({ length: 1200 }, (_, at) => `d${at % 7}/ä e${at}/f ${at}`)
  const tree = await git.writeTree(key, undefined, filesOf(Object.fromEntries(names.map((name) => [name, name]))))
  const part = await git.writeTree(
    key,
    undefined,
    filesOf(Object.fromEntries(names.slice(0, 900).map((name) => [name, name]))),
  )
  const shape = async (of: Oid, options = {}) => {
    const { entries, total } = await git.listTreeRecursive(key, of, options)
    return { total, entries: entries.map(({ type, path, name, sizeBytes }) => [type, path, name, sizeBytes].join()) }
  }
  const whole = await shape(tree, { sizes: true })
  const files = whole.entries.filter((entry) => entry.startsWith('blob'))
  assert.equal(whole.total, 2 * names.length + 7)
  assert.equal(files.length, names.length)
  assert.ok(files.includes(`blob,${names[3]},f 3,${Buffer.byteLength(names[3]!)}`))
  const few = await shape(part, { sizes: true })
  assert.deepEqual(whole.entries.filter((entry) => few.entries.includes(entry)).length, few.entries.length)
  assert.deepEqual((await shape(tree, { foldersToo: false, skip: 5, limit: 2 })).entries.length, 2)
  assert.deepEqual((await shape(tree, { sizes: true, skip: 900, limit: 30 })).entries, whole.entries.slice(900, 930))
  const processes = await test.commands('ls-tree')
  assert.equal(processes.length, 3, processes.join('\n'))
})

test('git sizes: objects of a push under way count for the push, and not for the repository', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const before = await git.sizeBytes(key)
  const path = join(repositoryPath(test.root, key), 'objects/tmp_objdir-incoming-AbCdEf')
  mkdirSync(join(path, 'pack'), { recursive: true })
  writeFileSync(join(path, 'pack/pack-x.pack'), 'x'.repeat(5000))
  assert.equal(await git.sizeBytes(key), before)
  assert.equal(await git.sizeBytes({ key, path }), 5000)
})
