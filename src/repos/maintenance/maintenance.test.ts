import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import { startForge } from '../../testing/forge.ts'

test('maintenance: a large push gets a bitmap at once, a small one gets none', async () => {
  await using forge = await startForge({ users: ['alice'] })
  /** Returns files of 30 kB, more than the limit of loose objects. */
  const bitmapsAfter = async (name: string, files: number) => {
    const repo = await forge.given.repo({ owner: 'alice', name })
    using clone = await Clone.of(forge, 'alice', repo.fullName)
    for (let index = 0; index < files; index += 1) {
      writeFileSync(join(clone.path, `${index}.bin`), randomBytes(30_000))
    }
    await clone.commit('last.txt')
    await clone.must('push', '-q', 'origin', 'HEAD:main')
    await forge.settle()
    const { git_key: key } = await forge.services.db
      .selectFrom('repo')
      .select('git_key')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    const packs = join(forge.services.config.paths.repositories, key.slice(0, 2), `${key}.git`, 'objects/pack')
    return (await readdir(packs)).filter((file) => file.endsWith('.bitmap')).length
  }
  assert.deepEqual([await bitmapsAfter('large', 120), await bitmapsAfter('small', 10)], [1, 0])
})

test('remove_temporary_folders: what a crash left is removed after a day, and the folder of a running request stays', async () => {
  await using forge = await startForge()
  const { services } = forge
  const [left, used] = ['upload-left', 'upload-used'].map((name) => join(services.config.paths.tmp, name)) as [
    string,
    string,
  ]
  for (const folder of [left, used]) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '0'), 'content')
  }
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600
  utimesSync(left, twoDaysAgo, twoDaysAgo)
  await services.tasks.runNow('remove_temporary_folders')
  await forge.settle()
  assert.deepEqual([existsSync(left), existsSync(used)], [false, true])
})
