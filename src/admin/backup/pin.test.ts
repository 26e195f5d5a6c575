import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { upload } from '../../testing/upload.ts'
import { pinLeaseMs, pinStored } from './pin.service.ts'
import { renewPin } from './pin.store.ts'

/** Deletes a file and a repository, and returns what says whether they are still stored. */
async function deleteOnes(forge: Forge) {
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  const { json: issue } = await alice.must('POST', `${repo.api}/issues`, { title: 'one' })
  const at = `${repo.api}/issues/${issue.number}/assets`
  const { json: file } = await alice.must('POST', at, undefined, upload('a.txt', 'text'))
  const { db, git, blobs, packs } = forge.services
  const { git_key: gitKey } = await db.selectFrom('repo').select('git_key').executeTakeFirstOrThrow()
  const { blob_key: key } = await db.selectFrom('attachment').select('blob_key').executeTakeFirstOrThrow()
  await alice.must('DELETE', `${at}/${file.id}`)
  await alice.must('DELETE', repo.api)
  await forge.settle()
  return async () => [(await blobs.attachments.stat(key)) !== undefined, packs ? undefined : await git.exists(gitKey)]
}

test('a pin keeps stored files and repositories whose rows go, until it ends', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const kept = forge.services.packs ? undefined : true
  const gone = forge.services.packs ? undefined : false
  assert.deepEqual(await (await deleteOnes(forge))(), [false, gone])
  const pin = await pinStored(forge.services.db)
  const isStored = await deleteOnes(forge)
  assert.deepEqual(await isStored(), [true, kept])
  // The deletions are due while another backup runs.
  forge.clock.advance(pinLeaseMs + 60_000)
  await forge.settle()
  assert.deepEqual(await isStored(), [true, kept])
  await pin[Symbol.asyncDispose]()
  forge.clock.advance(pinLeaseMs + 60_000)
  await forge.settle()
  assert.deepEqual(await isStored(), [false, gone])
  assert.deepEqual(await (await deleteOnes(forge))(), [false, gone])
})

test('a pin that was not renewed ends, and cannot be renewed', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { db } = forge.services
  await using pin = await pinStored(db)
  const { id } = await db.selectFrom('backup_pin').select('id').executeTakeFirstOrThrow()
  assert.equal(await transaction(db, (tx) => renewPin(tx, id, pinLeaseMs)), true)
  await pin.confirm()
  await transaction(db, (tx) => tx.updateTable('backup_pin').set({ until_ms: 1 }).execute())
  assert.equal(await transaction(db, (tx) => renewPin(tx, id, pinLeaseMs)), false)
  assert.equal((await (await deleteOnes(forge))())[0], false)
  assert.equal(pin.signal.aborted, false)
  await assert.rejects(pin.confirm(), { code: 'backup_pin_lost' })
  assert.equal(pin.signal.aborted, true)
})
