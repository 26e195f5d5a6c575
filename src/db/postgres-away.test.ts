import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { startForge } from '../testing/forge.ts'
import { engineOf, transaction, type Db } from './database.ts'
import { closeDatabase, openDatabase } from './open.ts'
import { startPostgresFront } from './postgres-front.test-support.ts'
import { preparedQuery } from './prepared.ts'
import { isDatabaseAway } from './reach.ts'

test('a connection that the server ends fails the open transaction, and nothing else (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  const { kind, reader } = engineOf(database.db)
  if (kind !== 'postgres') return context.skip('SQLite has no connections')
  const failing = transaction(database.db, async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(reader)
    // The message comes while no statement runs.
    await sleep(200)
    await sql`select 1`.execute(tx)
  })
  await assert.rejects(failing, isDatabaseAway)
  assert.equal((await sql`select 1`.execute(reader)).rows.length, 1)
})

test('requests get 503 while PostgreSQL is away, and answers when it is back (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  if (database.options.kind !== 'postgres') return context.skip('SQLite is never away')
  using front = await startPostgresFront(database.options.url)
  await using forge = await startForge({ users: ['alice'], database: { ...database.options, url: front.url } })
  const alice = forge.as('alice')
  const repo = await forge.given.repo({ owner: 'alice' })
  front.refuse()
  const [read, write] = [await alice.get(repo.api), await alice.post(`${repo.api}/issues`, { title: 'lost' })]
  assert.deepEqual([read.status, write.status], [503, 503])
  assert.match(read.text, /the database does not answer/)
  assert.equal((await fetch(`${forge.url}/${repo.fullName}`)).status, 503)
  front.recover()
  assert.equal((await alice.get(repo.api)).status, 200)
  await alice.must('POST', `${repo.api}/issues`, { title: 'kept' })
  assert.deepEqual(
    (await alice.get(`${repo.api}/issues`)).json.map(({ title }: { title: string }) => title),
    ['kept'],
  )
  // The workers noticed that the database was away.
  forge.defects.length = 0
})

const receiveNothing = (db: Db): void => engineOf(db).receive({ heard: () => undefined, missed: () => undefined })

const findValue = preparedQuery((db, name: string) =>
  db.selectFrom('instance_value').selectAll().where('name', '=', name),
)

test('queries end when PostgreSQL does not answer, and its next connections serve again (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  if (database.options.kind !== 'postgres') return context.skip('SQLite always answers')
  using front = await startPostgresFront(database.options.url)
  const db = openDatabase({ ...database.options, url: front.url, connectWaitMs: 500, statementTimeoutMs: 1000 })
  const { reader } = engineOf(db)
  const read = () => sql`select 1`.execute(reader)
  await Promise.all([read(), findValue(db, 'a')])
  const failing = transaction(db, async (tx) => {
    await sql`select 1`.execute(tx)
    front.fallSilent()
    const asked = await Promise.allSettled([sql`select 1`.execute(tx), read(), findValue(db, 'a')])
    assert.deepEqual(
      asked.map((each) => each.status === 'rejected' && isDatabaseAway(each.reason)),
      [true, true, true],
    )
  })
  await assert.rejects(failing, isDatabaseAway)
  for (const ask of [read, () => findValue(db, 'a')]) await assert.rejects(ask, isDatabaseAway)
  front.recover()
  await Promise.all([read(), findValue(db, 'a')])
  receiveNothing(db)
  await sleep(200)
  front.fallSilent()
  const begunMs = performance.now()
  await closeDatabase(db)
  assert.ok(performance.now() - begunMs < 10_000, 'the end of the connections waits for no answer')
})

test('a transaction in which the process stands still loses its connection and its locks (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  const { kind } = engineOf(database.db)
  if (kind !== 'postgres') return context.skip('SQLite has no connections')
  const failing = transaction(database.db, async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 50`.execute(tx)
    await sql`select pg_advisory_xact_lock(1)`.execute(tx)
    await transaction(database.db, (other) => sql`select pg_advisory_xact_lock(1)`.execute(other))
    await sql`select 1`.execute(tx)
  })
  await assert.rejects(failing, isDatabaseAway)
})

test('each session has time limits, also beside options of the address (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  const { options } = database
  if (options.kind !== 'postgres') return context.skip('SQLite has no sessions')
  const url = new URL(options.url)
  url.searchParams.set('options', '-c search_path=elsewhere -c jit=on')
  const db = openDatabase({ ...options, url: url.href })
  const names = ['idle_in_transaction_session_timeout', 'tcp_keepalives_idle', 'tcp_user_timeout', 'jit', 'search_path']
  const { rows } = await sql<{ value: string }>`select current_setting(name) as value
    from unnest(${names}::text[]) with ordinality as wanted (name, place) order by place`.execute(engineOf(db).reader)
  assert.deepEqual(
    rows.map(({ value }) => value),
    ['20s', '10', '30000', 'on', 'elsewhere'],
  )
  await closeDatabase(db)
})
