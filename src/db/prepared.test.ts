import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf, transaction, type Db, type Tx } from './database.ts'
import { closeDatabase, databaseKind, openDatabase, trimDatabase } from './open.ts'
import { preparedQueries, preparedQuery } from './prepared.ts'

const findValue = preparedQuery((db, name: string) =>
  db.selectFrom('instance_value').selectAll().where('name', '=', name).where('value', '!=', 'never'),
)

test('preparedQuery sees each commit of any process and the writes of its own transaction', async () => {
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
  assert.deepEqual(await read(), ['two'])
  await assert.rejects(
    transaction(db, async (tx) => {
      await tx.updateTable('instance_value').set({ value: 'three' }).where('name', '=', 'a').execute()
      throw new Error('rolled back')
    }),
  )
  assert.deepEqual(await read(), ['two'])
})

test('a query outside a transaction sees only committed rows and cannot write', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const names = async () =>
    (await db.selectFrom('instance_value').select('name').orderBy('name').execute()).map(({ name }) => name)
  const add = (tx: Tx, name: string) => tx.insertInto('instance_value').values({ name, value: '' }).execute()
  await transaction(db, async (tx) => {
    await add(tx, 'a')
    assert.deepEqual(await names(), [])
    await add(tx, 'b')
    assert.deepEqual(await names(), [])
  })
  assert.deepEqual(await names(), ['a', 'b'])
  trimDatabase(db)
  assert.deepEqual(await names(), ['a', 'b'])
  // The queries run while the transaction is open and after it has ended.
  const seen: string[][] = []
  await Promise.all([
    transaction(db, async (tx) => {
      for (const name of ['c', 'd', 'e']) await add(tx, name)
    }),
    (async () => {
      for (let turn = 0; turn < 20; turn++) seen.push(await names())
    })(),
  ])
  for (const each of seen) assert.ok(each.length === 2 || each.length === 5, `saw ${each.join()}`)
  trimDatabase(db)
  assert.equal((await names()).length, 5)
  if (databaseKind(db) === 'sqlite') {
    const write = sql`delete from instance_value returning name`.compile(db)
    await assert.rejects(db.executeQuery(write), /to be read/)
    assert.equal((await names()).length, 5)
  }
})

const findBoth = preparedQueries((db: Db, name: string, other: string, limit: number) => {
  const named = (wanted: string) => db.selectFrom('instance_value').selectAll().where('name', '=', wanted)
  return { first: named(name), second: named(other).where('value', '!=', 'never').limit(limit) }
})

test('preparedQueries runs several queries at once with arbitrary values', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const odd = `it's "odd" \\ $1 ? 😀\n`
  await transaction(db, async (tx) => {
    await tx
      .insertInto('instance_value')
      .values([
        { name: odd, value: odd },
        { name: 'b', value: '[]' },
      ])
      .execute()
    assert.deepEqual((await findBoth(tx, 'b', odd, 1)).first, [{ name: 'b', value: '[]' }])
  })
  assert.deepEqual(await findBoth(db, odd, 'b', 5), {
    first: [{ name: odd, value: odd }],
    second: [{ name: 'b', value: '[]' }],
  })
  assert.deepEqual(await findBoth(db, 'b', odd, 0), { first: [{ name: 'b', value: '[]' }], second: [] })
  const many = await Promise.all(Array.from({ length: 100 }, (_, index) => findBoth(db, index % 2 ? 'b' : odd, 'b', 1)))
  assert.ok(many.every(({ first }, index) => first[0]?.name === (index % 2 ? 'b' : odd)))
})

test('a closed connection for prepared queries is replaced (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  if (databaseKind(database.db) !== 'postgres') return context.skip('SQLite has no connections that end')
  assert.deepEqual(await findValue(database.db, 'a'), [])
  const other = openDatabase(database.options)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(engineOf(other).writer)
  await closeDatabase(other)
  // A query may fail until the client has noticed the closed connection.
  const hearsOfIt = Date.now() + 2000
  let rows: unknown
  while (rows === undefined && Date.now() < hearsOfIt) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
    rows = await findValue(database.db, 'a').catch(() => undefined)
  }
  assert.deepEqual(rows, [])
})

const shareOf = preparedQuery((db, divisor: number) =>
  db.selectNoFrom(sql<number>`100 / ${sql.val(divisor)}::int`.as('share')),
)

test('a failed query does not fail concurrent queries (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (databaseKind(db) !== 'postgres') return context.skip('SQLite divides by zero without an error')
  const divisors = [1, 0, 2, 4, 0, 5]
  const askAll = () =>
    Promise.all(
      divisors.map((divisor) =>
        shareOf(db, divisor).then(
          ([row]) => row?.share,
          (error: unknown) => (error as { code?: string }).code,
        ),
      ),
    )
  const expected = [100, '22012', 50, 25, '22012', 20]
  assert.deepEqual(await askAll(), expected)
  // The statement is still prepared, or prepared again.
  assert.deepEqual(await askAll(), expected)
  assert.deepEqual(await findValue(db, 'a'), [])
})

test('each of several concurrent queries gets its own result', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await transaction(db, (tx) => tx.insertInto('instance_value').values({ name: 'a', value: 'one' }).execute())
  const [value, both, none] = await Promise.all([findValue(db, 'a'), findBoth(db, 'a', 'b', 3), findValue(db, 'b')])
  assert.deepEqual(value, [{ name: 'a', value: 'one' }])
  assert.deepEqual(both, { first: value, second: [] })
  assert.deepEqual(none, [])
})
