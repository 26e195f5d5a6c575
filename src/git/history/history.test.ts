import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import type { GitKey } from '../git-key.ts'
import { client, commitOn, filesOf, newRepository, someone, startTestGit, type TestGit } from '../git.test-support.ts'

const directoryOf = (test: TestGit, key: GitKey): string => join(test.root, key.slice(0, 2), `${key}.git`)

async function ask(test: TestGit, key: GitKey, ...args: string[]): Promise<string[]> {
  const { stdout, stderr, exitCode } = await client(directoryOf(test, key), ...args)
  assert.equal(exitCode, 0, stderr)
  return stdout.split('\n').filter((line) => line !== '')
}

/** Makes a history with branches, merges and equal dates; returns its tip. */
async function tangle(test: TestGit, key: GitKey, count: number): Promise<Oid> {
  const { git } = test
  const commits = [(await git.readHead(key)).oid!]
  for (let index = 1; index <= count; index += 1) {
    const recent = commits.slice(-6)
    const parents = [recent[randomInt(recent.length)]!]
    const second = recent[randomInt(recent.length)]!
    if (index % 3 === 0 && second !== parents[0]) parents.push(second)
    const when = { ...someone, unixSeconds: someone.unixSeconds + Math.floor(index / 2) * 10 }
    const { oid } = await git.writeCommit(key, {
      parents,
      author: when,
      committer: when,
      message: `commit ${index}\n\nbody`,
      tree: {
        base: parents[0],
        changes: filesOf({ [`d${index % 4}/f${index % 7}`]: `${index}`, [`top${index % 3}`]: `${index}` }),
      },
    })
    commits.push(oid)
  }
  const heads = commits.slice(-4)
  const { oid } = await git.writeCommit(key, {
    parents: heads,
    tree: (await git.readCommit(key, heads[0]!)).tree,
    author: someone,
    committer: { ...someone, unixSeconds: someone.unixSeconds + 100_000 },
    message: 'octopus',
  })
  await git.updateRefs(key, [{ ref: 'refs/heads/main', old: undefined, new: oid }])
  return oid
}

test("git history: log has git's order, with and without a process", async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git)
  const tip = await tangle(test, key, 60)
  const expected = await ask(test, key, 'rev-list', tip)
  assert.deepEqual(await git.logOids(key, { from: [tip], limit: 40 }), expected.slice(0, 40))
  assert.deepEqual(await git.logOids(key, { from: [tip], skip: 7, limit: 13 }), expected.slice(7, 20))
  assert.deepEqual(await git.logOids(key, { from: [tip], limit: 300 }), expected)
  assert.deepEqual(await git.logOids(key, { from: [tip] }), expected)
  assert.deepEqual(
    await git.logOids(key, { from: [tip], limit: 50, firstParent: true }),
    await ask(test, key, 'rev-list', '--first-parent', tip),
  )
  assert.deepEqual(
    await git.logOids(key, { from: [tip], path: 'd1/f1', limit: 50 }),
    await ask(test, key, 'rev-list', tip, '--', 'd1/f1'),
  )
  const middle = expected[20] as Oid
  assert.deepEqual(
    await git.logOids(key, { from: [tip], not: [middle] }),
    await ask(test, key, 'rev-list', tip, `^${middle}`),
  )
  assert.equal(await git.countCommits(key, { from: [tip] }), expected.length)
  assert.equal(
    await git.countCommits(key, { from: [tip], path: 'd1' }),
    (await ask(test, key, 'rev-list', tip, '--', 'd1')).length,
  )
  assert.equal(await git.isAncestor(key, middle, tip), true)
  assert.equal(await git.isAncestor(key, tip, middle), false)
  assert.equal(await git.mergeBase(key, tip, middle), middle)
})

test('isOnBranchOrTag: a commit of a pull request reference is on neither', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, { a: '0' })
  const first = (await git.readHead(key)).oid!
  const second = await commitOn(git, key, 'main', { a: '1' })
  const zero = '0'.repeat(40) as Oid
  const move = (ref: string, to: Oid, from: Oid) => git.updateRefs(key, [{ ref, new: to, old: from }])
  assert.equal(await git.isOnBranchOrTag(key, second), true)
  await move('refs/pull/1/head', second, zero)
  await move('refs/heads/main', first, second)
  assert.equal(await git.isOnBranchOrTag(key, second), false)
  assert.equal(await git.isOnBranchOrTag(key, first), true)
  await move('refs/tags/v1', second, zero)
  assert.equal(await git.isOnBranchOrTag(key, second), true)
})

test('git history: a short line of commits is listed without a process, as git lists it', async () => {
  const names: string[] = []
  await using test = await startTestGit({ onCommand: ({ name }) => names.push(name) })
  const { git } = test
  const key = await newRepository(git, { a: '0' })
  const line = [(await git.readHead(key)).oid!]
  for (let index = 1; index <= 24; index += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each lies behind the one before
    line.push(await commitOn(git, key, 'main', { a: String(index) }))
  }
  const tip = line.at(-1)!
  const before = names.length
  for (const distance of [0, 1, 2, 20]) {
    const start = line[24 - distance]!
    // oxlint-disable no-await-in-loop -- no two at once
    const expected = await ask(test, key, 'rev-list', tip, `^${start}`)
    assert.equal(expected.length, distance)
    assert.deepEqual(await git.logOids(key, { from: [tip], not: [start] }), expected)
    assert.deepEqual(
      await git.logOids(key, { from: [tip], not: [start], skip: 1, limit: 3, reverse: true }),
      await ask(test, key, 'rev-list', '--skip=1', '--max-count=3', '--reverse', tip, `^${start}`),
    )
    assert.equal(await git.countCommits(key, { from: [tip], not: [start] }), distance)
    // oxlint-enable no-await-in-loop
  }
  assert.equal(names.length, before)
  const expected = await ask(test, key, 'rev-list', tip, `^${line[1]}`)
  assert.deepEqual(await git.logOids(key, { from: [tip], not: [line[1]!] }), expected)
  assert.deepEqual(await git.logOids(key, { from: [line[1]!], not: [tip] }), [], 'ancestors are excluded')
})

test('git history: a new commit updates the last commits of a folder without a process', async () => {
  const names: string[] = []
  await using test = await startTestGit({ onCommand: ({ name }) => names.push(name) })
  const { git } = test
  const key = await newRepository(git, { a: '1', b: '1', 'dir/x': '1', 'dir/y': '1', 'dir/sub/z': '1' })
  const first = (await git.readHead(key)).oid!
  const second = await commitOn(git, key, 'main', { a: '2' })
  const third = await commitOn(git, key, 'main', { 'dir/sub/z': '2' })
  const ask = async (commit: Oid, folder: string, list: string[]): Promise<Record<string, string>> =>
    Object.fromEntries(await git.lastCommitsOfPaths(key, commit, folder, list))
  assert.deepEqual(await ask(third, '', ['a', 'b', 'dir']), { a: second, b: first, dir: third })
  assert.deepEqual(await ask(third, 'dir', ['x', 'y', 'sub']), { x: first, y: first, sub: third })
  assert.equal(await git.lastCommitOfPath(key, third, 'dir/sub/z'), third)
  assert.equal(await git.lastCommitOfPath(key, third, 'none'), undefined)
  const fourth = await commitOn(git, key, 'main', { b: '4', ü: 'x' })
  const before = names.length
  assert.deepEqual(await ask(fourth, '', ['a', 'b', 'dir', 'ü']), { a: second, b: fourth, dir: third, ü: fourth })
  assert.deepEqual(await ask(fourth, 'dir', ['x', 'sub']), { x: first, sub: third })
  assert.equal(names.length, before)
  // Far back and across a merge: git's own log answers.
  for (let index = 0; index < 40; index += 1) await commitOn(git, key, 'main', { b: `b${index}` })
  const side = await commitOn(git, key, 'side', { side: 's' }, { parents: [fourth] })
  const tip = (await git.readHead(key)).oid!
  const merged = await git.mergeTree(key, { ours: tip, theirs: side })
  assert.ok(merged.clean)
  const { oid } = await git.writeCommit(key, {
    parents: [tip, side],
    tree: merged.tree,
    author: someone,
    committer: { ...someone, unixSeconds: someone.unixSeconds + 90_000 },
    message: 'merge',
  })
  assert.deepEqual(await ask(oid, '', ['a', 'b', 'dir', 'ü', 'side']), {
    a: second,
    b: tip,
    dir: third,
    ü: fourth,
    side,
  })
})

test('git diffs: files, renames, binary files, modes, text, mail series and patch ids', async () => {
  await using test = await startTestGit()
  const { git } = test
  const long = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
  const key = await newRepository(git, {
    'a.txt': 'one\ntwo\n',
    'long.txt': `${long}\n`,
    'gone.txt': 'x\n',
    'ws.txt': 'a b\n',
  })
  const base = (await git.readHead(key)).oid!
  const binary = Buffer.from([0, 1, 2, 3])
  const { oid: head } = await git.writeCommit(key, {
    parents: [base],
    author: someone,
    committer: someone,
    message: 'change it\n\nbecause',
    tree: {
      base,
      changes: [
        ...filesOf({
          'a.txt': 'one\n2\nthree\n',
          'moved/long.txt': `${long}\nmore\n`,
          'long.txt': null,
          'gone.txt': null,
          'ws.txt': 'a  b\n',
        }),
        { op: 'write', path: 'run.sh', mode: '100755', content: Buffer.from('#!/bin/sh\n') },
        { op: 'write', path: 'ü.bin', content: binary },
      ],
    },
  })
  await git.updateRefs(key, [{ ref: 'refs/heads/main', old: base, new: head }])
  const files = await git.diffFiles(key, { base, head })
  assert.deepEqual(
    files.map((file) => [file.status, file.oldPath, file.path, file.additions, file.deletions, file.binary]),
    [
      ['modified', undefined, 'a.txt', 2, 1, false],
      ['deleted', undefined, 'gone.txt', 0, 1, false],
      ['renamed', 'long.txt', 'moved/long.txt', 1, 0, false],
      ['added', undefined, 'run.sh', 1, 0, false],
      ['modified', undefined, 'ws.txt', 1, 1, false],
      ['added', undefined, 'ü.bin', 0, 0, true],
    ],
  )
  assert.equal(files[3]?.newMode, '100755')
  const ignoring = await git.diffFiles(key, { base, head, whitespace: 'ignore-all' })
  assert.ok(!ignoring.some((file) => file.path === 'ws.txt'))
  assert.deepEqual((await git.commitChanges(key, [head, base])).get(head), files)
  assert.deepEqual(
    (await git.commitChanges(key, [base])).get(base)?.map((file) => file.status),
    ['added', 'added', 'added', 'added'],
  )
  const read = async (stream: AsyncIterable<unknown>): Promise<string> => {
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    return text
  }
  const text = await read(await git.diffText(key, { base, head, binary: true }))
  assert.match(text, /^diff --git a\/a.txt b\/a.txt\nindex [0-9a-f]{7,40}\.\.[0-9a-f]{7,40} 100644\n/)
  assert.match(text, /rename from long.txt/)
  const applied = await git.applyPatch(key, (await git.readCommit(key, base)).tree, Buffer.from(text))
  assert.deepEqual(applied, { ok: true, tree: (await git.readCommit(key, head)).tree })
  assert.equal((await git.applyPatch(key, (await git.readCommit(key, head)).tree, Buffer.from(text))).ok, false)
  assert.match(await read(await git.patchSeries(key, { base, head })), /^From [0-9a-f]{40} Mon Sep 17/)
  assert.match(await read(await git.patchSeries(key, { base: undefined, head })), /Subject: \[PATCH\] change it/)
  const id = await git.patchId(key, base, head)
  assert.match(id, /^[0-9a-f]{40}$/)
  assert.equal(await git.patchId(key, base, base), '')
  await assert.rejects(git.diffText(key, { base, head: '9'.repeat(40) as Oid }), { name: 'NotFound' })
  await assert.rejects(git.diffFiles(key, { base, head: '--output=/tmp/x' as Oid }), { name: 'Invalid' })
  const blamed = await git.blame(key, head, 'a.txt')
  assert.deepEqual(
    blamed.map((part) => [part.commit, part.line, part.count]),
    [
      [base, 1, 1],
      [head, 2, 2],
    ],
  )
})

test('git merges: clean, conflicting and unrelated ones, with a given base, and without leaving objects', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, { f: '1\n2\n3\n4\n5\n', g: 'g\n' })
  const base = (await git.readHead(key)).oid!
  const ours = await commitOn(git, key, 'main', { f: 'one\n2\n3\n4\n5\n' })
  const theirs = await commitOn(git, key, 'side', { f: '1\n2\n3\n4\nfive\n', new: 'n\n' }, { parents: [base] })
  const clash = await commitOn(git, key, 'clash', { f: 'uno\n2\n3\n4\n5\n', g: null }, { parents: [base] })
  const trial = await git.mergeTree(key, { ours, theirs, keep: false })
  assert.ok(trial.clean)
  assert.equal(await git.objectInfo(key, trial.tree), undefined)
  const merged = await git.mergeTree(key, { ours, theirs })
  assert.ok(merged.clean && merged.tree === trial.tree)
  const file = await git.findPath(key, merged.tree, 'f')
  assert.equal((await git.readBlob(key, file!.oid, { maxBytes: 100 })).content?.toString(), 'one\n2\n3\n4\nfive\n')
  const conflicted = await git.mergeTree(key, { ours, theirs: clash })
  assert.ok(!conflicted.clean)
  assert.deepEqual(conflicted.conflicts, ['f'])
  assert.ok(
    conflicted.messages.some((message) => message.includes('CONFLICT')),
    JSON.stringify(conflicted),
  )
  const alone = (
    await git.writeCommit(key, {
      parents: [],
      tree: { base: undefined, changes: filesOf({ z: 'z' }) },
      author: someone,
      committer: someone,
      message: 'alone',
    })
  ).oid
  const unrelated = await git.mergeTree(key, { ours, theirs: alone })
  assert.ok(!unrelated.clean && 'unrelated' in unrelated)
  const committer = { ...someone, name: 'Merger', unixSeconds: someone.unixSeconds + 5000 }
  const rebased = await git.rebaseCommits(key, { onto: ours, from: theirs, upstream: ours, committer })
  assert.ok(rebased.ok)
  const commit = await git.readCommit(key, rebased.tip)
  assert.deepEqual(
    [commit.parents, commit.tree, commit.author.name, commit.committer.name],
    [[ours], merged.tree, 'Ada', 'Merger'],
  )
  const failed = await git.rebaseCommits(key, { onto: ours, from: clash, upstream: ours, committer })
  assert.ok(!failed.ok && failed.commit === clash && failed.conflicts.includes('f'))
  const again = await git.rebaseCommits(key, { onto: ours, from: rebased.tip, upstream: ours, committer })
  assert.ok(again.ok && again.tip === rebased.tip)
  assert.equal((await git.fsck(key)).ok, true)
})

test('git writing: tree changes and their refusals, signatures and identities', async () => {
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, { a: 'a', 'd/e/f': 'f', 'd/g': 'g' })
  const base = (await git.readHead(key)).oid!
  const paths = async (tree: Oid): Promise<string[]> =>
    (await git.listTreeRecursive(key, tree, { foldersToo: false })).entries.map((entry) => entry.path)
  const write = (changes: Readonly<Record<string, string | null>>): Promise<Oid> =>
    git.writeTree(key, base, filesOf(changes))
  assert.deepEqual(await paths(await write({ 'd/e/f': null })), ['a', 'd/g'])
  assert.deepEqual(await paths(await write({ d: null })), ['a'])
  assert.deepEqual(await paths(await write({ 'd/e/f': null, 'd/g': null, d: 'now a file' })), ['a', 'd'])
  assert.deepEqual(await paths(await write({ a: null, 'a/b': 'x' })), ['a/b', 'd/e/f', 'd/g'])
  assert.deepEqual(await paths(await write({ 'd.x': '1', 'd-x': '1' })), ['a', 'd-x', 'd.x', 'd/e/f', 'd/g'])
  assert.deepEqual(await git.readTree(key, await git.writeTree(key, undefined, [])), [])
  for (const bad of ['', '/', 'a//b', '../x', 'x/..', './x', '.git/config', 'x/.GIT/y', 'git~1', 'a\0b']) {
    await assert.rejects(write({ [bad]: 'x' }), { name: 'Invalid' }, JSON.stringify(bad))
  }
  await assert.rejects(write({ 'a/b': 'x' }), { name: 'Invalid' })
  await assert.rejects(write({ 'd/e': 'x' }), { name: 'Invalid' })
  await assert.rejects(write({ none: null }), { name: 'NotFound' })
  await assert.rejects(write({ 'd/none/x': null }), { name: 'NotFound' })
  await assert.rejects(
    git.writeCommit(key, {
      parents: [],
      tree: '8'.repeat(40) as Oid,
      author: someone,
      committer: someone,
      message: 'x',
    }),
    { name: 'NotFound' },
  )
  const { oid } = await git.writeCommit(key, {
    parents: [base],
    tree: { base, changes: [] },
    message: 'signed',
    author: { name: ' Dr. <Evil>\n. ', email: ' a@b ', unixSeconds: 1, offsetMinutes: -210 },
    committer: { ...someone, offsetMinutes: 0 },
    sign: async (payload) => `-----BEGIN SSH SIGNATURE-----\n${payload.length}\n-----END SSH SIGNATURE-----\n`,
  })
  await git.updateRefs(key, [{ ref: 'refs/heads/signed', old: undefined, new: oid }])
  const commit = await git.readCommit(key, oid)
  assert.deepEqual(commit.author, { name: 'Dr. Evil', email: 'a@b', unixSeconds: 1, offsetMinutes: -210 })
  assert.match(commit.signature ?? '', /^-----BEGIN SSH SIGNATURE-----\n\d+\n-----END SSH SIGNATURE-----\n$/)
  assert.equal(commit.signature?.split('\n')[1], String(commit.signedPayload?.length))
  assert.ok(commit.signedPayload?.toString().endsWith('\n\nsigned\n'))
  assert.deepEqual(await git.fsck(key), { ok: true, problems: [] })
})
