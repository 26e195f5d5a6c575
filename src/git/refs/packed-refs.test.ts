import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { repositoryPath } from '../git-key.ts'
import { startForge } from '../../testing/forge.ts'

test('packed references are read once for concurrent readers, and again after a change', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const { git, config, db } = forge.services
  const { git_key: key } = await db
    .selectFrom('repo')
    .select('git_key')
    .where('lower_name', '=', repo.name)
    .executeTakeFirstOrThrow()
  const folder = repositoryPath(config.paths.repositories, key)
  const pack = () => execFileSync('git', ['pack-refs', '--all'], { cwd: folder })
  pack()
  let reads = 0
  const own = fs.promises.readFile
  fs.promises.readFile = ((...args: Parameters<typeof own>) => {
    const [file] = args
    if (typeof file === 'string' && file.endsWith('packed-refs')) reads++
    return own(...args)
  }) as typeof own
  syncBuiltinESMExports()
  try {
    const many = await Promise.all(Array.from({ length: 20 }, () => git.readRef(key, 'refs/heads/main')))
    assert.equal(new Set(many).size, 1)
    assert.ok(many[0])
    assert.equal(reads, 1)
    await forge.as('alice').must('POST', `${repo.api}/branches`, { new_branch_name: 'topic' })
    pack()
    const again = await Promise.all(Array.from({ length: 20 }, () => git.readRef(key, 'refs/heads/topic')))
    assert.deepEqual(new Set(again), new Set([many[0]]))
    assert.equal(reads, 2)
  } finally {
    fs.promises.readFile = own
    syncBuiltinESMExports()
  }
})
