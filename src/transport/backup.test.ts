import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { findRepoByName } from '../access/access.store.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { runProgram } from '../testing/program.ts'
import { base64 } from '../testing/samples.ts'
import { until } from '../testing/until.ts'
import { Acknowledged, writeOnce } from './acknowledged.test-support.ts'

/** The acknowledged content of each file by path. */
type Files = Map<string, string>

/** Writes issues, comments, uploads, pull requests and commits until it is stopped. */
async function writeUntil(forge: Forge, isOver: () => boolean, acknowledged: Acknowledged, files: Files, name: string) {
  const client = forge.as('root')
  for (let count = 0; !isOver(); count++) {
    const path = `${name}-${count}.txt`
    await client.must('POST', `/repos/root/kept/contents/${path}`, { content: base64(path) })
    files.set(path, path)
    await writeOnce(client, '/repos/root/kept', `${name} ${count}`, acknowledged)
  }
}

/** Copies wanted files below a folder in the order of names; vanished files are skipped, as by rsync. */
async function copyBelow(from: string, to: string, takes: (parts: readonly string[]) => boolean): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true, recursive: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(from, join(entry.parentPath, entry.name)))
  for (const path of paths.sort()) {
    const parts = path.split(sep)
    if (parts.some((part) => /\.lock$|^tmp_objdir-/.test(part)) || !takes(parts)) continue
    await mkdir(dirname(join(to, path)), { recursive: true })
    await copyFile(join(from, path), join(to, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}

/** Copies a running instance by hand: first the rows, then the references and objects, then stored files and keys. */
async function copyInstance(from: string, to: string): Promise<void> {
  const rows = await runProgram('sqlite3', [join(from, 'ingot.db'), `.backup ${join(to, 'ingot.db')}`])
  assert.equal(rows.code, 0, rows.err)
  const repositories = (takes: (parts: readonly string[]) => boolean): Promise<void> =>
    copyBelow(join(from, 'repositories'), join(to, 'repositories'), takes)
  await repositories((parts) => !parts.includes('objects') && !parts.includes('packed-refs'))
  await repositories((parts) => parts.includes('packed-refs'))
  for (let pass = 0; pass < 2; pass++) await repositories((parts) => parts.includes('objects'))
  await copyBelow(from, to, ([first = '']) => ['blobs', 'secret.key', 'ssh'].includes(first))
}

test('backup: a copy of a running instance, made by hand with the rows first, is consistent and has all acknowledged changes', async () => {
  const [from, to] = ['data', 'copy'].map(() => mkdtempSync(join(tmpdir(), 'ingot-backup-'))) as [string, string]
  const [before, all] = [new Acknowledged(), new Acknowledged()]
  const files: Files = new Map()
  try {
    let toldBefore: Files
    {
      await using forge = await startForge({ dataFolder: from })
      await forge.given.repo({ owner: 'root', name: 'kept' })
      let isOver = false
      const writing = ['a', 'b', 'c'].map((name) => writeUntil(forge, () => isOver, all, files, name))
      await until(() => files.size > 12 && all.uploads.size > 2)
      for (const kind of ['issues', 'comments', 'pulls', 'merges', 'uploads', 'revoked'] as const) {
        for (const each of all[kind]) (before[kind] as Set<unknown>).add(each)
      }
      toldBefore = new Map(files)
      await copyInstance(from, to)
      isOver = true
      await Promise.all(writing)
      assert.ok(files.size > toldBefore.size, 'it was at work')
    }
    await using restored = await startForge({ dataFolder: to })
    await restored.settle()
    await examined(restored.services, { fix: true })
    assert.deepEqual(await examined(restored.services), [])
    const { user } = await restored.account('root')
    const repo = await findRepoByName(restored.services.db, user.id, 'kept')
    assert.ok(repo)
    assert.deepEqual(await before.missing(restored.services, repo), [])
    for (const [path, content] of toldBefore) {
      const { text } = await restored.as('root').must('GET', `/repos/root/kept/raw/${path}`)
      assert.equal(text, content)
    }
    await restored.as('root').must('POST', '/repos/root/kept/contents/after.txt', { content: base64('on it goes') })
  } finally {
    for (const folder of [from, to]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
})
