import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import { dice } from '../../testing/dice.ts'
import type { GitKey } from '../git-key.ts'
import { newRepository, someone, startTestGit, type TestGit } from '../git.test-support.ts'

/** The commits of a test with their parents. */
type Graph = ReadonlyMap<Oid, readonly Oid[]>

function reachableFrom(graph: Graph, head: Oid): Set<Oid> {
  const reached = new Set([head])
  for (const oid of reached) for (const parent of graph.get(oid)!) reached.add(parent)
  return reached
}

/**
 * Counts by the graph itself. `git rev-list base...head` is no reference: it stops a few commits after the last one that
 * could matter by its clock, and counts too many when clocks go backwards.
 */
function countBetween(graph: Graph, base: Oid, head: Oid) {
  const [ofBase, ofHead] = [reachableFrom(graph, base), reachableFrom(graph, head)]
  const without = (some: Set<Oid>, others: Set<Oid>): number => [...some].filter((oid) => !others.has(oid)).length
  return { ahead: without(ofHead, ofBase), behind: without(ofBase, ofHead) }
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

test('divergence: counts with merges, clocks that go backwards, and the base itself', async () => {
  await using test = await startTestGit()
  const key = await newRepository(test.git)
  const root = (await test.git.readHead(key)).oid!
  const { tree } = await test.git.readCommit(key, root)
  const seed = randomInt(2 ** 32)
  const { below, of } = dice(seed)
  const graph = new Map<Oid, readonly Oid[]>([[root, []]])
  const commits: Oid[] = [root]
  const add = async (parents: readonly Oid[], seconds: number): Promise<Oid> => {
    const oid = await grow(test, key, tree, parents, seconds)
    graph.set(oid, parents)
    return oid
  }
  for (let index = 1; index <= 120; index += 1) {
    const recent = commits.slice(-12)
    commits.push(await add([...new Set([of(recent), ...(index % 4 === 0 ? [recent[0]!] : [])])], below(5000)))
  }
  const unrelated = await add([], 99)
  const base = commits[100]!
  const heads = [base, root, unrelated, commits[120]!, commits[50]!, ...commits.slice(80, 100)]
  const found = await test.git.divergence(key, { base, heads })
  assert.equal(found.size, new Set(heads).size, `seed ${seed}`)
  for (const head of heads) assert.deepEqual(found.get(head), countBetween(graph, base, head), `${head}, seed ${seed}`)
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
