import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { zeroOid } from '../../lib/refs.ts'
import { client, commitOn, newRepository, startTestGit } from '../git.test-support.ts'

const dayMs = 86_400_000

/** Makes all objects of a repository older, of packs and loose ones; `.mtimes` has the times of unreachable ones. */
async function age(directory: string, days: number): Promise<void> {
  const objects = join(directory, 'objects')
  for (const folder of await readdir(objects)) {
    for (const name of await readdir(join(objects, folder))) {
      const path = join(objects, folder, name)
      if (name.endsWith('.mtimes')) await ageUnreachable(path, days)
      const then = new Date((await stat(path)).mtimeMs - days * dayMs)
      await utimes(path, then, then)
    }
  }
}

/** The file has a head of 12 bytes, four bytes for each object, the checksum of the pack, and its own. */
async function ageUnreachable(path: string, days: number): Promise<void> {
  const content = (await readFile(path)).subarray(0, -20)
  for (let at = 12; at < content.length - 20; at += 4) {
    content.writeUInt32BE(content.readUInt32BE(at) - (days * dayMs) / 1000, at)
  }
  await chmod(path, 0o600)
  await writeFile(path, Buffer.concat([content, createHash('sha1').update(content).digest()]))
}

for (const form of ['packed', 'loose']) {
  test(`git maintenance: ${form} objects stay for two weeks after their references went`, async () => {
    await using test = await startTestGit()
    const { git, root } = test
    const key = await newRepository(git, { a: 'a' })
    const old = await commitOn(git, key, 'old', { b: 'b' })
    const directory = join(root, key.slice(0, 2), `${key}.git`)
    const repack = () => git.maintain(key, ['repack'], { force: true })
    const isThere = async () => (await client(directory, 'cat-file', '-e', old)).exitCode === 0
    if (form === 'packed') await repack()
    await age(directory, 60)
    await git.updateRefs(key, [{ ref: 'refs/heads/old', old: undefined, new: zeroOid() }])
    await repack()
    assert.ok(await isThere(), 'its objects are old, but nobody needs them only since now')
    await age(directory, 13)
    await repack()
    assert.ok(await isThere(), 'thirteen days later')
    await age(directory, 2)
    await repack()
    assert.equal(await isThere(), false, 'fifteen days later: the repack between did not begin the time again')
    assert.equal((await git.fsck(key)).ok, true)
    const packs = (await readdir(join(directory, 'objects/pack'))).filter((name) => name.endsWith('.pack'))
    assert.equal(packs.length, 1)
  })
}
