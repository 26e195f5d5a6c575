import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge } from '../testing/forge.ts'
import { snapshot, transaction, type Db } from './database.ts'

test('all queries of a snapshot see the same state, and a later snapshot sees later commits', async () => {
  await using forge = await startForge()
  const { db } = forge.services
  await forge.given.repo({ name: 'notes' })
  const describe = (description: string) =>
    transaction(db, (tx) => tx.updateTable('repo').set({ description }).execute())
  const description = async (still: Db) =>
    (await still.selectFrom('repo').select('description').executeTakeFirstOrThrow()).description
  await describe('first')
  const seen = await snapshot(db, async (still) => {
    const before = await description(still)
    await describe('second')
    return [before, await description(still)]
  })
  assert.deepEqual(seen, ['first', 'first'])
  assert.equal(await snapshot(db, description), 'second')
})
