import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Oid } from '../../lib/ids.ts'
import type { GitKey } from '../git-key.ts'
import { client, newRepository, someone, startTestGit, type TestGit } from '../git.test-support.ts'

async function countBetween(test: TestGit, key: GitKey, base: Oid, head: Oid) {
  const directory = join(test.root, key.slice(0, 2), `${key}.git`)
  const { stdout, exitCode } = await client(directory, 'rev-list', '--left-right', '--count', `${base}...${head}`)
  assert.equal(exitCode, 0)
  const [behind = 0, ahead = 0] = stdout.trim().split(/\s+/).map(Number)
  return { ahead, behind }
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

test('divergence: counts as git does, with merges, clocks that go backwards, and the base itself', async () => {
  await using test = await startTestGit()
  const key = await newRepository(test.git)
  const root = (await test.git.readHead(key)).oid!
  const { tree } = await test.git.readCommit(key, root)
  const commits: Oid[] = [root]
  for (let index = 1; index <= 120; index += 1) {
    const recent = commits.slice(-12)
    const parents = [...new Set([recent[randomInt(recent.length)]!, ...(index % 4 === 0 ? [recent[0]!] : [])])]
    commits.push(await grow(test, key, tree, parents, randomInt(5000)))
  }
  const unrelated = await grow(test, key, tree, [], 99)
  const base = commits[100]!
  const heads = [base, root, unrelated, commits[120]!, commits[50]!, ...commits.slice(80, 100)]
  const found = await test.git.divergence(key, { base, heads })
  assert.equal(found.size, heads.length)
  for (const head of heads) assert.deepEqual(found.get(head), await countBetween(test, key, base, head), head)
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
