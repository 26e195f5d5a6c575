import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf, transaction } from './database.ts'
import { listen, notify } from './notify.ts'
import { closeDatabase, openDatabase } from './open.ts'
import { startPostgresFront } from './postgres-front.test-support.ts'
import { createListener } from './postgres-listener.ts'
import { until } from '../testing/until.ts'

test('a listener receives each message once, after the commit, until it stops listening', async () => {
  await using test = await openTestDatabase()
  const heard: string[] = []
  const leave = listen(test.db, 'news', { heard: (payload) => void heard.push(payload), missed() {} })
  listen(test.db, 'other', { heard: () => void heard.push('other'), missed() {} })
  await transaction(test.db, async (tx) => {
    notify(tx, 'news', 'a')
    notify(tx, 'news', 'a')
    notify(tx, 'news', 'b')
    assert.deepEqual(heard, [])
  })
  assert.deepEqual(heard, ['a', 'b'])
  const failing = transaction(test.db, async (tx) => {
    notify(tx, 'news', 'never')
    throw new Error('rolled back')
  })
  await assert.rejects(failing, /rolled back/)
  leave()
  await transaction(test.db, async (tx) => notify(tx, 'news', 'late'))
  assert.deepEqual(heard, ['a', 'b'])
  const long = transaction(test.db, async (tx) => notify(tx, 'news', 'x'.repeat(7001)))
  await assert.rejects(long, /7001 bytes is too long/)
})

test('a listener reconnects and reports that messages may be lost (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('one process uses an SQLite file')
  const second = openDatabase(test.options)
  const heard: string[] = []
  let missed = 0
  listen(second, 'news', { heard: (payload) => void heard.push(payload), missed: () => void missed++ })
  await until(() => missed === 1)
  await transaction(test.db, async (tx) => notify(tx, 'news', 'before'))
  await until(() => heard.length === 1)
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'ingot listener' and datname = current_database()`.execute(engineOf(test.db).writer)
  await until(() => missed === 2)
  await transaction(test.db, async (tx) => notify(tx, 'news', 'after'))
  await until(() => heard.length === 2)
  assert.deepEqual(heard, ['before', 'after'])
  await closeDatabase(second)
})

test('a listener notices that its connection fell silent (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (test.options.kind !== 'postgres') return context.skip('one process uses an SQLite file')
  using front = await startPostgresFront(test.options.url)
  const listener = createListener(
    async () => new pg.Client({ connectionString: front.url, connectionTimeoutMillis: 200 }),
    { askEveryMs: 50, answerWithinMs: 200 },
  )
  let missed = 0
  const heard: string[] = []
  listener.start({ heard: ({ payload }) => void heard.push(payload), missed: () => void missed++ })
  await until(() => missed === 1)
  // Answers keep the connection.
  await sleep(300)
  assert.equal(missed, 1)
  front.fallSilent()
  await transaction(test.db, async (tx) => notify(tx, 'news', 'lost'))
  await sleep(300)
  front.recover()
  await until(() => missed === 2)
  await transaction(test.db, async (tx) => notify(tx, 'news', 'after'))
  await until(() => heard.length === 1)
  assert.deepEqual(heard, ['after'])
  await listener.close()
})
