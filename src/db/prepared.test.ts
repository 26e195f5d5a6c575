import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../testing/database.ts'
import { transaction } from './database.ts'
import { closeDatabase, openDatabase } from './open.ts'
import { preparedQuery } from './prepared.ts'

const findValue = preparedQuery((db, name: string) =>
  db.selectFrom('instance_value').selectAll().where('name', '=', name).where('value', '!=', 'never'),
)

test('preparedQuery sees every commit, of this process and of another, and what its own transaction wrote', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const read = async () => (await findValue(db, 'a')).map((row) => row.value)
  assert.deepEqual(await read(), [])
  await transaction(db, async (tx) => {
    await tx.insertInto('instance_value').values({ name: 'a', value: 'one' }).execute()
    assert.deepEqual(
      (await findValue(tx, 'a')).map((row) => row.value),
      ['one'],
    )
    assert.deepEqual(await read(), [])
  })
  assert.deepEqual(await read(), ['one'])
  assert.deepEqual(await read(), ['one'])
  const other = openDatabase(database.options)
  await transaction(other, (tx) =>
    tx.updateTable('instance_value').set({ value: 'two' }).where('name', '=', 'a').execute(),
  )
  await closeDatabase(other)
  // What another process commits is seen in the next turn of the event loop, in which its doings can first be heard of.
  await new Promise(setImmediate)
  assert.deepEqual(await read(), ['two'])
  await assert.rejects(
    transaction(db, async (tx) => {
      await tx.updateTable('instance_value').set({ value: 'three' }).where('name', '=', 'a').execute()
      throw new Error('rolled back')
    }),
  )
  assert.deepEqual(await read(), ['two'])
})
