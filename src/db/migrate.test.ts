import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { engineOf, snapshot, type Db } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations, type Migration } from './migrations/index.ts'
import { databaseKind } from './open.ts'

const write = (db: Db, statement: string): Promise<unknown> => sql.raw(statement).execute(engineOf(db).writer)

const names = async (db: Db): Promise<string[]> =>
  (await sql<{ name: string }>`select name from migration order by number`.execute(engineOf(db).writer)).rows.map(
    ({ name }) => name,
  )

const last = migrations.at(-1)?.number ?? 0
const next = (statements: readonly string[]): Migration => ({
  number: last + 1,
  name: 'next',
  requires: last,
  statements,
})

test('migrations have consecutive numbers, and none requires a later one', () => {
  for (const [index, { number, requires }] of migrations.entries()) {
    assert.equal(number, index + 1)
    assert.ok(requires <= number)
  }
})

test('migrate: an empty database gets each migration once when two processes start at the same time', async () => {
  await using own = await openTestDatabase({ isEmpty: true })
  const ran = await Promise.all([migrate(own.db), migrate(own.db)])
  assert.deepEqual(
    ran.flat(),
    migrations.map(({ name }) => name),
  )
  assert.deepEqual(await migrate(own.db), [])
  assert.deepEqual(await names(own.db), ran.flat())
})

test('migrate: a failed migration changes nothing', async () => {
  await using own = await openTestDatabase()
  await assert.rejects(migrate(own.db, [...migrations, next(['create table half_done (id bigint)', 'this is no SQL'])]))
  assert.equal((await names(own.db)).includes('next'), false)
  await assert.rejects(write(own.db, 'select * from half_done'))
  assert.deepEqual(await migrate(own.db), [])
})

test('migrate: a program runs on a newer schema unless that schema requires a newer program', async () => {
  await using own = await openTestDatabase()
  await migrate(own.db, [...migrations, next(['create table of_next (id bigint)'])])
  assert.deepEqual(await migrate(own.db), [])
  await write(own.db, `update migration set requires = ${last + 1} where name = 'next'`)
  await assert.rejects(migrate(own.db), /requires a newer version of the program: migration \d+ \(next\)/)
})

test('migrate: a migration has no statement timeout, and vacuums the tables that it rewrites (PostgreSQL)', async (context) => {
  await using own = await openTestDatabase()
  if (databaseKind(own.db) === 'sqlite') return context.skip('SQLite has no vacuum that concerns visibility')
  await write(own.db, `insert into instance_value (name, value) select i::text, 'x' from generate_series(1, 2000) as i`)
  const slow = next([
    'alter table instance_value add column twice text generated always as (value || value) stored',
    `create table limits as select current_setting('statement_timeout') as of_statements`,
  ])
  assert.deepEqual(await migrate(own.db, [...migrations, slow]), ['next'])
  const vacuumed = await sql<{ is_done: boolean }>`select last_vacuum is not null as is_done from pg_stat_user_tables
    where relname = 'instance_value'`.execute(engineOf(own.db).writer)
  assert.deepEqual(vacuumed.rows, [{ is_done: true }])
  const limits = await sql<{ of_statements: string }>`select of_statements from limits
    union all select current_setting('statement_timeout')`.execute(engineOf(own.db).writer)
  assert.deepEqual(
    limits.rows.map((row) => row.of_statements),
    ['0', '30s'],
  )
})

test('migrate: queries go on while a migration waits for a table that a backup reads (PostgreSQL)', async (context) => {
  await using own = await openTestDatabase()
  if (databaseKind(own.db) === 'sqlite') return context.skip('SQLite has no locks of tables')
  const read = (db: Db) => db.selectFrom('instance_value').selectAll().execute()
  const warned: string[] = []
  let migrating: Promise<string[]> | undefined
  await snapshot(own.db, async (still) => {
    await read(still)
    migrating = migrate(
      own.db,
      [...migrations, next(['alter table instance_value add column more text'])],
      (level, text) => warned.push(`${level} ${text}`),
    )
    await until(() => warned.length > 0, 'a migration that gives up its turn')
    await read(own.db)
    assert.equal((await names(own.db)).includes('next'), false)
  })
  assert.deepEqual(await migrating, ['next'])
  assert.match(warned[0]!, /^warn a migration waits for a table/)
})
