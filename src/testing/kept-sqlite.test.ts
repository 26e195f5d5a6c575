import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { databaseKind } from '../db/open.ts'
import { engineOf, type Db } from '../db/database.ts'
import { openTestDatabase } from './database.ts'
import { startForge } from './forge.ts'

const dump = async (db: Db): Promise<Record<string, unknown>> => {
  const { writer } = engineOf(db)
  const tables = await sql<{ name: string }>`select name from pragma_table_list
    where schema = 'main' and type in ('table', 'shadow') and name not in ('sqlite_schema', 'sqlite_stat1') order by name`.execute(
    writer,
  )
  const rows = await Promise.all(
    // The two halves of the full-text index count its segments; what it finds is compared below.
    tables.rows
      .filter(({ name }) => !/_words_/.test(name))
      .map(async ({ name }) => [name, (await sql.raw(`select * from "${name}"`).execute(writer)).rows] as const),
  )
  return Object.fromEntries(rows.filter(([, found]) => found.length > 0))
}

test('kept databases: a used database is as new for the next test, and closed for the last one', async (context) => {
  const first = await openTestDatabase()
  if (databaseKind(first.db) === 'postgres') return context.skip('PostgreSQL copies its template')
  const before = await dump(first.db)
  assert.deepEqual(Object.keys(before).sort(), ['migration', 'row_revision', 'sqlite_sequence', 'user'])
  const forge = await startForge({ users: ['alice'], database: first.options })
  const issue = await forge.given.issue({ title: 'peculiar words', body: 'for the index' })
  await forge.as('alice').must('POST', `${issue.api}/comments`, { body: 'peculiar remark' })
  await forge.given.org()
  await forge.settle()
  await forge[Symbol.asyncDispose]()
  await first[Symbol.asyncDispose]()
  assert.throws(() => first.db.selectFrom('user').selectAll().compile(), /the database was closed/)

  await using second = await openTestDatabase()
  assert.deepEqual(second.options, first.options)
  assert.deepEqual(await dump(second.db), before)
  const { writer } = engineOf(second.db)
  for (const table of ['issue_words', 'comment_words']) {
    const found = await sql.raw(`select rowid from ${table} where ${table} match 'peculiar'`).execute(writer)
    assert.deepEqual(found.rows, [], table)
  }
  const keys = await sql<{ foreign_keys: number }>`pragma foreign_keys`.execute(writer)
  assert.equal(keys.rows[0]?.foreign_keys, 1)
})

test('kept databases: one with a changed schema is not used again', async (context) => {
  const first = await openTestDatabase()
  if (databaseKind(first.db) === 'postgres') return context.skip('PostgreSQL copies its template')
  await sql`create table extra (id integer)`.execute(engineOf(first.db).writer)
  await first[Symbol.asyncDispose]()
  await using second = await openTestDatabase()
  assert.notDeepEqual(second.options, first.options)
})
