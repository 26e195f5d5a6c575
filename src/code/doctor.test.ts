import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../db/database.ts'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { base64 } from '../testing/samples.ts'

test('doctor: wrong languages and sizes are found and recounted', async () => {
  await using forge = await startForge({ standAt: Date.now() })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('POST', `${repo.api}/contents/main.go`, { content: base64('package main\n') })
  await forge.settle()
  const look = async () => (await alice.must('GET', `${repo.api}/languages`)).json
  assert.deepEqual(await look(), { Go: 13 })
  const only = ['languages', 'repositories', 'usage']
  assert.deepEqual(await examined(forge.services, { only }), [])

  const { db } = forge.services
  await transaction(db, async (tx) => {
    await tx.updateTable('repo_language').set({ size_bytes: 7, language: 'C' }).execute()
    await tx.updateTable('repo').set({ git_size_bytes: 50_000_000 }).execute()
  })
  const found = await examined(forge.services, { only, fix: true })
  assert.equal(found.filter((line) => line.startsWith('languages: ') && line.endsWith('(fixed)')).length, 1)
  assert.equal(found.filter((line) => /^repositories: .* 50000000 are recorded \(fixed\)$/.test(line)).length, 1)
  assert.deepEqual(await look(), { Go: 13 })
  assert.deepEqual(await examined(forge.services, { only }), [])

  // A branch that just moved is left to its job; one that was never counted is found.
  await transaction(db, (tx) => tx.updateTable('repo').set({ languages_commit: '' }).execute())
  assert.deepEqual(await examined(forge.services, { only }), [])
  forge.clock.advance(2 * 3_600_000)
  assert.equal((await examined(forge.services, { only })).length, 1)
})
