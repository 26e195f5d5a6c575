import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf, type Db } from './database.ts'
import { migrate } from './migrate.ts'
import { databaseKind } from './open.ts'
import { migrations, type Migration } from './migrations/index.ts'

const write = (db: Db, statement: string): Promise<unknown> => sql.raw(statement).execute(engineOf(db).writer)

const names = async (db: Db): Promise<string[]> =>
  (await sql<{ name: string }>`select name from migration`.execute(engineOf(db).writer)).rows.map(({ name }) => name)

/** The migrations of the release that numbered them all in one row, under the names it gave them. */
const numbered: readonly Migration[] = migrations.flatMap(({ formerly, statements }) =>
  formerly === undefined ? [] : [{ name: formerly, statements }],
)

test('migrations: each file is one of the list, by its name, and each area counts its own', () => {
  const files = readdirSync('src/db/migrations')
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((file) => file !== 'index' && file !== 'migration')
  const listed = migrations.map(({ name }) => name)
  assert.deepEqual(listed.toSorted(), files.toSorted())
  const counts = new Map<string, number>()
  for (const name of listed) {
    const [, area = '', number] = /^([a-z]+(?:-[a-z]+)*)-(\d+)$/.exec(name) ?? []
    const next = (counts.get(area) ?? 0) + 1
    assert.equal(Number(number), next, `${name} is the ${next}. of its area`)
    counts.set(area, next)
  }
})

test('migrations: the names of earlier releases are still known, each once', () => {
  assert.deepEqual(
    numbered.map(({ name }) => name),
    [
      '0001-accounts',
      '0002-repositories',
      '0003-work',
      '0004-git-data',
      '0005-issues',
      '0006-pulls',
      '0007-repo-relations',
      '0008-actions',
      '0009-mirrors',
      '0010-ref-journal',
      '0011-events',
    ],
  )
})

test('migrate: a database of the release that numbered its migrations goes on with what it holds', async () => {
  await using own = await openTestDatabase([])
  assert.equal((await migrate(own.db, numbered)).length, numbered.length)
  await write(own.db, `insert into instance_value (name, value) values ('of before', 'kept')`)
  const later = migrations.filter(({ formerly }) => formerly === undefined).map(({ name }) => name)
  assert.deepEqual(await migrate(own.db), later)
  assert.deepEqual((await names(own.db)).toSorted(), migrations.map(({ name }) => name).toSorted())
  assert.deepEqual(await own.db.selectFrom('instance_value').selectAll().execute(), [
    { name: 'of before', value: 'kept' },
  ])
  assert.deepEqual(await migrate(own.db), [], 'there is nothing left to do')
})

test('migrate: a release that a crash stopped half way through is gone on with', async () => {
  await using own = await openTestDatabase([])
  const half = numbered.slice(0, 4)
  await migrate(own.db, half)
  const ran = await migrate(own.db)
  assert.deepEqual(
    ran,
    migrations.slice(4).map(({ name }) => name),
  )
})

/** All that a database is made of and holds, in an order of its own: what plans depend on is in it. */
async function formOf(db: Db): Promise<readonly object[]> {
  const { writer } = engineOf(db)
  if (databaseKind(db) === 'postgres') {
    const { rows } = await sql<object>`
      select table_name as place, to_jsonb(columns) - 'table_catalog' - 'udt_catalog' as made
        from information_schema.columns where table_schema = 'public'
      union all select indrelid::regclass::text, to_jsonb(pg_get_indexdef(indexrelid)) from pg_index
        where indrelid::regclass::text not like 'pg\\_%'
      union all select conrelid::regclass::text, to_jsonb(conname || ' ' || pg_get_constraintdef(oid)) from pg_constraint
        where connamespace = 'public'::regnamespace
      union all select tgrelid::regclass::text, to_jsonb(pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
      union all select proname, to_jsonb(pg_get_functiondef(oid)) from pg_proc where pronamespace = 'public'::regnamespace
      order by 1, 2`.execute(writer)
    return rows
  }
  const { rows: made } = await sql<{ type: string; name: string; sql: string | null }>`
    select type, name, tbl_name, sql from sqlite_master order by type, name`.execute(writer)
  const { rows: indexes } = await sql<object>`
    select made.name as place, list.* from sqlite_master as made, pragma_index_list(made.name) as list
    where made.type = 'table' order by made.name, list.seq`.execute(writer)
  // What a virtual table holds lies in others.
  const tables = made.filter(({ type, name, sql: text }) => {
    return type === 'table' && name !== 'migration' && !text?.startsWith('CREATE VIRTUAL')
  })
  const contents = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ id?: unknown }>`select * from ${sql.table(name)}`.execute(writer)
      // An index of words that holds nothing says so by no byte or by zeros.
      return { name, rows: rows.filter(({ id }) => !(name.endsWith('_words_data') && id === 1)) }
    }),
  )
  return [...made, ...indexes, ...contents]
}

test('migrate: an empty database gets at once what it would have got step by step', async () => {
  await using empty = await openTestDatabase([])
  await migrate(empty.db)
  await using stepped = await openTestDatabase(migrations.slice(0, 1))
  assert.equal((await migrate(stepped.db)).length, migrations.length - 1)
  assert.deepEqual(await formOf(empty.db), await formOf(stepped.db))
  assert.deepEqual(await names(empty.db), await names(stepped.db))
})

test('migrate: PostgreSQL is given the time that it takes, and looks through what was written anew', async (context) => {
  await using own = await openTestDatabase()
  if (databaseKind(own.db) === 'sqlite') return context.skip('SQLite has no rows that some do not see')
  await write(own.db, `insert into instance_value (name, value) select i::text, 'x' from generate_series(1, 2000) as i`)
  const again = {
    name: 'wiki-98',
    statements: [
      'alter table instance_value add column twice text generated always as (value || value) stored',
      `create table limits as select current_setting('statement_timeout') as of_statements`,
    ],
  }
  assert.deepEqual(await migrate(own.db, [...migrations, again]), ['wiki-98'])
  const looked = await sql<{ is_done: boolean }>`select last_vacuum is not null as is_done from pg_stat_user_tables
    where relname = 'instance_value'`.execute(engineOf(own.db).writer)
  assert.deepEqual(looked.rows, [{ is_done: true }])
  const limits = await sql<{ of_statements: string }>`select of_statements from limits
    union all select current_setting('statement_timeout')`.execute(engineOf(own.db).writer)
  assert.deepEqual(
    limits.rows.map((row) => row.of_statements),
    ['0', '30s'],
  )
})

test('migrate: a database of a newer version is refused', async () => {
  await using own = await openTestDatabase()
  await write(own.db, `insert into migration (name, applied_unix) values ('wiki-99', 0)`)
  const missing = { name: 'wiki-98', statements: ['create table of_this_one (id bigint)'] }
  const refused = /made by a newer version: it holds migration wiki-99/
  await assert.rejects(migrate(own.db, [...migrations, missing]), refused)
  await assert.rejects(write(own.db, 'select * from of_this_one'))
})

test('migrate: one that fails leaves nothing of itself', async () => {
  await using own = await openTestDatabase()
  const bad = { name: 'wiki-98', statements: ['create table half_done (id bigint)', 'this is no SQL'] }
  await assert.rejects(migrate(own.db, [...migrations, bad]))
  assert.equal((await names(own.db)).includes('wiki-98'), false)
  await assert.rejects(write(own.db, 'select * from half_done'))
  assert.deepEqual(await migrate(own.db), [])
})

test('migrate: an empty database gets all or nothing', async () => {
  await using own = await openTestDatabase([])
  const bad = { name: 'wiki-98', statements: ['this is no SQL'] }
  await assert.rejects(migrate(own.db, [...migrations, bad]))
  assert.deepEqual(await names(own.db), [])
  assert.equal((await migrate(own.db)).length, migrations.length)
})
