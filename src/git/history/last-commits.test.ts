import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import { repositoryPath, type GitKey } from '../git-key.ts'
import type { TreeChange } from '../git.ts'
import {
  client,
  commitOn,
  filesOf,
  newRepository,
  someone,
  startLoggedGit,
  startTestGit,
  type TestGit,
} from '../git.test-support.ts'
import type { Location } from '../context.ts'
import { KeptAnswers } from './kept-answers.ts'
import { startGit } from '../start-git.ts'

const names = ['a', 'b', 'c', 'd', '\u0001é', '0123456789012345678901234567890123456789', 'parent 0']
const folders = ['', 'x', 'x/y']

/** A generator of numbers below a bound, which repeats a failed test by its seed. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >>> 8) % below
  }
}

/**
 * Makes a history of branches, merges with two and three parents, merges that take one side or change a file themselves,
 * renames, removals, changed modes, and clocks that run backwards. Returns the commits in the order of writing.
 */
async function makeHistory(
  test: TestGit,
  key: GitKey,
  count: number,
  below: (bound: number) => number,
): Promise<Oid[]> {
  const { git } = test
  const commits = [(await git.readHead(key)).oid!]
  const recent = (): Oid => commits[Math.max(0, commits.length - 1 - below(8))]!
  for (let index = 1; index <= count; index += 1) {
    const parents = [...new Set(below(3) === 0 ? [recent(), recent(), recent()].slice(0, 2 + below(2)) : [recent()])]
    const base = parents[below(parents.length)]!
    const { entries } = await git.listTreeRecursive(key, base, { foldersToo: false })
    const changes: TreeChange[] = []
    const write = (path: string, text: string): void => {
      changes.push({
        op: 'write',
        path,
        mode: below(8) === 0 ? '100755' : '100644',
        content: Buffer.from(text),
      })
    }
    // A merge without changes of its own takes one side.
    if (parents.length === 1 || below(2) === 0) {
      const folder = folders[below(folders.length)]!
      write(`${folder === '' ? '' : `${folder}/`}${names[below(names.length)]!}`, String(below(4)))
      const gone = entries[below(Math.max(1, entries.length))]
      if (
        below(4) === 0 &&
        gone !== undefined &&
        !changes.some((change) => 'path' in change && change.path === gone.path)
      ) {
        changes.push({ op: 'delete', path: gone.path })
        if (below(2) === 0) {
          changes.push({ op: 'write', path: `renamed${below(3)}`, content: Buffer.from(String(below(4))) })
        }
      }
    }
    const when = { ...someone, unixSeconds: someone.unixSeconds + 60 * (below(5) === 0 ? below(count) : index) }
    const { oid } = await git.writeCommit(key, {
      parents,
      tree: { base, changes },
      author: when,
      committer: when,
      message: `commit ${index}`,
    })
    commits.push(oid)
  }
  return commits
}

/** The answers of `git log` itself. */
async function expected(directory: string, commit: Oid, folder: string, list: readonly string[]) {
  const found: Record<string, string> = {}
  for (const name of list) {
    const path = folder === '' ? name : `${folder}/${name}`
    const { stdout, stderr } = await client(directory, 'log', '-1', '--format=%H', commit, '--', `:(literal)${path}`)
    assert.equal(stderr, '')
    if (stdout !== '') found[name] = stdout.trim()
  }
  return found
}

test('lastCommitsOfPaths: the answers are those of git log in any history, from any earlier answer', async () => {
  const seed = randomInt(1 << 30)
  const below = random(seed)
  await using test = await startTestGit()
  const { git } = test
  const key = await newRepository(git, { a: '0', 'x/a': '0', 'x/y/a': '0', 'x/y/b': '0' })
  const directory = repositoryPath(test.root, key)
  const commits = await makeHistory(test, key, 150, below)
  // The near walk alone, git's walk alone, and both from answers in memory and on disk.
  for (let round = 0; round < 24; round += 1) {
    const tip = commits[below(commits.length)]!
    const folder = folders[below(folders.length)]!
    const entry = await git.findPath(key, tip, folder)
    const present = entry?.type === 'tree' ? (await git.readTree(key, entry.oid)).map(({ name }) => name) : []
    const list = [...new Set([...present, names[below(names.length)]!])]
    if (round % 4 === 3) list.splice(0, below(list.length))
    const fresh =
      round % 3 === 2
        ? await startGit({ repositoriesRoot: test.root, durable: false, brokerFile: test.brokerFile })
        : undefined
    try {
      const answers = await (fresh ?? git).lastCommitsOfPaths(key, tip, folder, list)
      const wanted = await expected(directory, tip, folder, list)
      assert.deepEqual(Object.fromEntries(answers), wanted, `seed ${seed}, ${tip} ${folder}`)
    } finally {
      await fresh?.close()
    }
  }
})

test('lastCommitsOfPaths: neither a merge nor a restart walks the history again', async () => {
  const commands: string[] = []
  const onCommand = ({ name }: { name: string }): void => {
    if (name !== 'update-ref') commands.push(name)
  }
  await using test = await startTestGit({ onCommand })
  const { git } = test
  const key = await newRepository(git, { a: '0', b: '0', c: '0', 'x/a': '0' })
  const first = (await git.readHead(key)).oid!
  for (let index = 1; index <= 40; index += 1) await commitOn(git, key, 'main', { a: String(index) })
  const main = (await git.readHead(key)).oid!
  const list = ['a', 'b', 'c', 'x']
  assert.deepEqual(Object.fromEntries(await git.lastCommitsOfPaths(key, main, '', list)), {
    a: main,
    b: first,
    c: first,
    x: first,
  })
  assert.deepEqual(commands, ['rev-list', 'diff-tree'])
  commands.length = 0

  const one = await commitOn(git, key, 'side', { b: '1' }, { parents: [first] })
  const two = await commitOn(git, key, 'side', { d: '1' }, { parents: [one] })
  const { oid: merge } = await git.writeCommit(key, {
    parents: [main, two],
    tree: { base: main, changes: filesOf({ b: '1', d: '1', c: 'changed by the merge' }) },
    author: someone,
    committer: { ...someone, unixSeconds: someone.unixSeconds + 90_000 },
    message: 'merge',
  })
  const merged = { a: main, b: one, c: merge, d: two, x: first }
  assert.deepEqual(Object.fromEntries(await git.lastCommitsOfPaths(key, merge, '', [...list, 'd'])), merged)
  assert.deepEqual(commands, [])

  const kept = join(repositoryPath(test.root, key), 'ingot-last-commits')
  const restarted = await startGit({
    repositoriesRoot: test.root,
    durable: false,
    brokerFile: test.brokerFile,
    onCommand,
  })
  try {
    assert.deepEqual(Object.fromEntries(await restarted.lastCommitsOfPaths(key, merge, '', [...list, 'd'])), merged)
    assert.deepEqual(commands, [])
  } finally {
    await restarted.close()
  }
  // A truncated file is as good as none.
  for (const name of await readdir(kept)) await writeFile(join(kept, name), '[["a"')
  const again = await startGit({ repositoriesRoot: test.root, durable: false, brokerFile: test.brokerFile, onCommand })
  try {
    assert.deepEqual(Object.fromEntries(await again.lastCommitsOfPaths(key, merge, '', [...list, 'd'])), merged)
    assert.deepEqual(commands, ['rev-list', 'diff-tree'])
  } finally {
    await again.close()
  }
})

test('kept answers: the oldest files make room, and only the asked commit is read', async () => {
  await using test = await startTestGit()
  const key = await newRepository(test.git, { a: '0' })
  const location: Location = { key, directory: repositoryPath(test.root, key), environment: undefined, scope: key }
  const log = (): void => assert.fail('nothing to report')
  const commitOf = (index: number): Oid => index.toString(16).padStart(40, '0') as Oid
  const open = (path: string): KeptAnswers => new KeptAnswers({ log }, location, path)
  for (let index = 0; index < 140; index += 1) {
    await open('x').write(commitOf(index), new Map([['a', commitOf(index)]]))
    const file = join(
      location.directory,
      'ingot-last-commits',
      (await readdir(join(location.directory, 'ingot-last-commits'))).find((name) => name.endsWith(commitOf(index)))!,
    )
    await utimes(file, index, index)
  }
  assert.equal(await open('x').read(commitOf(11)), undefined)
  assert.deepEqual(await open('x').read(commitOf(12)), new Map([['a', commitOf(12)]]))
  assert.deepEqual(await open('x').read(commitOf(139)), new Map([['a', commitOf(139)]]))
  assert.equal(await open('y').read(commitOf(139)), undefined)
  // Answers that would take the room of many others are not kept.
  await open('x').write(commitOf(200), new Map([['a'.repeat(2 << 20), commitOf(1)]]))
  assert.equal(await open('x').read(commitOf(200)), undefined)
})

test('lastCommitsOfPaths: a few trees of a large folder are compared without a process, then git walks', async () => {
  await using test = await startLoggedGit()
  const { git } = test
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, String(at % 7)]))
  const key = await newRepository(git, many)
  const first = (await git.readHead(key)).oid!
  let tip = first
  for (let at = 0; at < 12; at++) tip = await commitOn(git, key, 'main', { [`f${at}`]: 'changed' })
  const answers = await git.lastCommitsOfPaths(key, tip, '', ['f11', 'f9000'])
  assert.deepEqual(Object.fromEntries(answers), { f11: tip, f9000: first })
  assert.equal((await test.commands('diff-tree')).length, 1)
})
