import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dice } from '../../testing/dice.ts'
import type { Oid } from '../../lib/ids.ts'
import type { GitKey } from '../git-key.ts'
import { newRepository, someone, startTestGit, type TestGit } from '../git.test-support.ts'

/** The commits that a commit reaches, itself included. */
function reachedFrom(parentsOf: ReadonlyMap<Oid, readonly Oid[]>, oid: Oid): ReadonlySet<Oid> {
  const reached = new Set<Oid>([oid])
  for (const each of reached) for (const parent of parentsOf.get(each) ?? []) reached.add(parent)
  return reached
}

/**
 * What the graph itself says. `git rev-list --left-right --count` is no judge here: its walk stops a few commits after the
 * last one that looks undecided by date, and counts commits of both sides when clocks go backwards.
 */
function countBetween(parentsOf: ReadonlyMap<Oid, readonly Oid[]>, base: Oid, head: Oid) {
  const [ofBase, ofHead] = [reachedFrom(parentsOf, base), reachedFrom(parentsOf, head)]
  const missing = (from: ReadonlySet<Oid>, of: ReadonlySet<Oid>) => [...of].filter((oid) => !from.has(oid)).length
  return { ahead: missing(ofBase, ofHead), behind: missing(ofHead, ofBase) }
}

/** Writes a commit with the same files. */
const grow = async (
  { git }: TestGit,
  key: GitKey,
  tree: Oid,
  parents: readonly Oid[],
  seconds: number,
): Promise<Oid> => {
  const when = { ...someone, unixSeconds: someone.unixSeconds + seconds }
  return (await git.writeCommit(key, { parents, author: when, committer: when, message: `at ${seconds}`, tree })).oid
}

test('divergence: counts what the graph holds, with merges, clocks that go backwards, and the base itself', async () => {
  await using test = await startTestGit()
  const key = await newRepository(test.git)
  const root = (await test.git.readHead(key)).oid!
  const { tree } = await test.git.readCommit(key, root)
  const { below } = dice(20)
  const commits: Oid[] = [root]
  const parentsOf = new Map<Oid, readonly Oid[]>()
  for (let index = 1; index <= 120; index += 1) {
    const recent = commits.slice(-12)
    const parents = [...new Set([recent[below(recent.length)]!, ...(index % 4 === 0 ? [recent[0]!] : [])])]
    const oid = await grow(test, key, tree, parents, below(5000))
    parentsOf.set(oid, parents)
    commits.push(oid)
  }
  const unrelated = await grow(test, key, tree, [], 99)
  const base = commits[100]!
  const heads = [base, root, unrelated, commits[120]!, commits[50]!, ...commits.slice(80, 100)]
  const found = await test.git.divergence(key, { base, heads })
  assert.equal(found.size, heads.length)
  for (const head of heads) assert.deepEqual(found.get(head), countBetween(parentsOf, base, head), head)
  assert.deepEqual(await test.git.divergence(key, { base, heads: [base] }), new Map([[base, { ahead: 0, behind: 0 }]]))
  const missing = 'f'.repeat(base.length) as Oid
  await assert.rejects(test.git.divergence(key, { base, heads: [missing] }), { status: 404 })
})

test('divergence: 31 heads have a bit each, and one whose history meets the base too far back is left out', async () => {
  await using test = await startTestGit()
  const key = await newRepository(test.git)
  const root = (await test.git.readHead(key)).oid!
  const { tree } = await test.git.readCommit(key, root)
  const heads: Oid[] = []
  for (let index = 1; index <= 31; index += 1) heads.push(await grow(test, key, tree, [root], index))
  const base = await grow(test, key, tree, [root], 100)
  const found = await test.git.divergence(key, { base, heads })
  assert.deepEqual(
    [...found.values()],
    heads.map(() => ({ ahead: 1, behind: 1 })),
  )
  let long = base
  for (let index = 1; index <= 40; index += 1) long = await grow(test, key, tree, [long], 100 + index)
  const near = await grow(test, key, tree, [long], 200)
  assert.deepEqual(
    [...(await test.git.divergence(key, { base: long, heads: [base, near], limit: 30 }))],
    [[near, { ahead: 1, behind: 0 }]],
  )
  const whole = await test.git.divergence(key, { base: long, heads: [base, near] })
  assert.deepEqual(whole.get(base), { ahead: 0, behind: 40 })
})
