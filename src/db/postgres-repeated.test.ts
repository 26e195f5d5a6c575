import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { transaction, type Db, type Tx } from './database.ts'
import { databaseKind } from './open.ts'
import { RepeatedStatements } from './postgres-repeated.ts'

test('a statement gets a name after five executions, lists and statements without parameters never', () => {
  const statements = new RepeatedStatements()
  const nameAfter = (executions: number, text: string, values: readonly unknown[] = [1]) =>
    Array.from({ length: executions }, () => statements.nameOf(text, values)).at(-1)
  assert.equal(nameAfter(5, 'select * from "user" where "id" = $1'), undefined)
  assert.equal(nameAfter(1, 'select * from "user" where "id" = $1'), 'repeated_1')
  assert.equal(nameAfter(6, 'update "user" set "name" = $1'), 'repeated_2')
  assert.equal(nameAfter(9, 'select * from "issue" where "repo_id" = $1 order by "id" limit $2 offset $3'), undefined)
  assert.equal(nameAfter(9, 'select count(*) as "count" from "issue" where "repo_id" = $1'), undefined)
  assert.equal(nameAfter(9, 'begin', []), undefined)
  statements.forget('update "user" set "name" = $1')
  assert.equal(nameAfter(5, 'update "user" set "name" = $1'), undefined)
  assert.equal(nameAfter(1, 'update "user" set "name" = $1'), 'repeated_3')
})

test('the names of statements are bounded', () => {
  const statements = new RepeatedStatements()
  const names = Array.from({ length: 300 }, (_, index) =>
    Array.from({ length: 6 }, () => statements.nameOf(`update "t${index}" set "a" = $1`, [1])).at(-1),
  )
  assert.equal(names.filter((name) => name !== undefined).length, 256)
})

test('repeated statements survive a new column, in a transaction and outside', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const read = (from: Db | Tx) => from.selectFrom('instance_value').selectAll().where('name', '=', 'a').execute()
  const write = (value: string) =>
    transaction(db, async (tx) => {
      const rows = await tx
        .updateTable('instance_value')
        .set({ value })
        .where('name', '=', 'a')
        .returningAll()
        .execute()
      return [rows[0]?.value, (await read(tx))[0]?.value]
    })
  await transaction(db, (tx) => tx.insertInto('instance_value').values({ name: 'a', value: 'first' }).execute())
  for (let index = 0; index < 8; index += 1) {
    // oxlint-disable-next-line no-await-in-loop -- the statement is repeated
    assert.deepEqual(await write(`value ${index}`), [`value ${index}`, `value ${index}`])
    // oxlint-disable-next-line no-await-in-loop -- the statement is repeated
    assert.equal((await read(db))[0]?.value, `value ${index}`)
  }
  await transaction(db, (tx) => sql`alter table instance_value add column extra text`.execute(tx))
  assert.equal((await read(db))[0]?.value, 'value 7')
  assert.deepEqual(await write('last'), ['last', 'last'])
})

test('a connection prepares the statements that are repeated', async (context) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (databaseKind(db) === 'sqlite') return context.skip('SQLite has no statements on a server')
  const found = await transaction(db, async (tx) => {
    const change = tx.updateTable('instance_value').set({ value: 'repeated' }).where('name', '=', 'a')
    // oxlint-disable-next-line no-await-in-loop -- a transaction has one connection
    for (let index = 0; index < 6; index += 1) await change.execute()
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(tx)
    return rows.map(({ statement }) => statement)
  })
  assert.deepEqual(
    found.filter((statement) => statement.startsWith('update "instance_value"')),
    ['update "instance_value" set "value" = $1 where "name" = $2'],
  )
})
