import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { engineOf, transaction, type Db } from '../db/database.ts'
import { ProcessLease } from '../db/process-lease.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { startPostgresFront } from '../db/postgres-front.test-support.ts'
import { deleteProcess, insertProcess, updateBeat } from '../db/process.store.ts'
import { openTestDatabase } from '../testing/database.ts'
import { startForge } from '../testing/forge.ts'
import { until } from '../testing/until.ts'
import { workerOfProcess } from './job.store.ts'

test('lease: another process takes over after the heartbeat stops (PostgreSQL)', async (t) => {
  await using forge = await startForge({ settings: { ingot: { JOB_LEASE: '1s' } } })
  const { db } = forge.services
  if (engineOf(db).kind !== 'postgres') return t.skip('one process owns an SQLite database')
  await forge.settle()
  // The same application as in another process of the instance.
  const other = new ProcessLease({ db, log: () => undefined, leaseMs: 600_000 })
  const id = await other.id()
  const running = await db.selectFrom('job').select('id').where('state', '=', 'running').execute()
  assert.deepEqual(running, [])
  await transaction(db, async (tx) => {
    await tx
      .insertInto('job')
      .values({
        ...{ name: 'cleanUpNothing', input: '{}', event_id: null, unique_key: null, lane: null, priority: 50 },
        ...{ max_attempts: 5, run_at_ms: 0, lease_until_ms: 9e15, leased_by: workerOfProcess + id, state: 'running' },
        ...{ progress: null, last_error: null, problem: null, created_unix: 0, updated_unix: 0 },
      })
      .execute()
    await tx.updateTable('process').set({ beat_ms: 0 }).where('id', '=', id).execute()
  })
  const ofOther = db.selectFrom('job').select('state').where('name', '=', 'cleanUpNothing')
  await until(async () => (await ofOther.executeTakeFirst())?.state === 'waiting')
  const left = await db.selectFrom('process').select('id').execute()
  assert.deepEqual(left, [{ id: await forge.services.process.id() }])
})

test('lease: a process whose row is gone continues under a new id (PostgreSQL)', async (t) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (engineOf(db).kind !== 'postgres') return t.skip('one process owns an SQLite database')
  const lease = new ProcessLease({ db, log: () => undefined, leaseMs: 200 })
  let losses = 0
  lease.onLoss(() => (losses += 1))
  const first = await lease.id()
  await transaction(db, (tx) => deleteProcess(tx, first))
  await until(() => lease.current !== undefined && lease.current !== first)
  assert.equal(losses, 1)
  await transaction(db, (tx) => insertProcess(tx, 'silent'))
  await transaction(db, (tx) => tx.updateTable('process').set({ beat_ms: 0 }).where('id', '=', 'silent').execute())
  await until(async () => !(await db.selectFrom('process').selectAll().execute()).some(({ id }) => id === 'silent'))
  const second = lease.current
  await lease.close()
  const left = await db.selectFrom('process').select('id').execute()
  assert.ok(left.every(({ id }) => id !== second))
})

const beatOf = async (db: Db, id: string): Promise<number> =>
  (await db.selectFrom('process').select('beat_ms').where('id', '=', id).executeTakeFirst())?.beat_ms ?? 0

const countOf = async (db: Db, id: string): Promise<number> =>
  (await db.selectFrom('process').select('id').where('id', '=', id).execute()).length

/** Waits until a process has renewed its lease this often from now on. */
async function beats(db: Db, id: string, times: number): Promise<void> {
  for (let left = times, last = await beatOf(db, id); left > 0;) {
    await until(async () => (await beatOf(db, id)) > last, 'a heartbeat')
    last = await beatOf(db, id)
    left--
  }
}

test('lease: after a stall of all commits no process ends the lease of another before that one could beat (PostgreSQL)', async (t) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (engineOf(db).kind !== 'postgres') return t.skip('one process owns an SQLite database')
  const leaseMs = 1000
  const lease = new ProcessLease({ db, log: () => undefined, leaseMs })
  await lease.id()
  // The commit of a heartbeat waits for this lock.
  const { writer } = engineOf(db)
  await sql`create function stall() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(4711); return null; end $$`.execute(writer)
  await sql`create constraint trigger stalls after update on process deferrable initially deferred
    for each row execute function stall()`.execute(writer)
  await transaction(db, (tx) => insertProcess(tx, 'silent'))
  await transaction(db, (tx) => tx.updateTable('process').set({ beat_ms: 0 }).where('id', '=', 'silent').execute())
  await until(async () => (await countOf(db, 'silent')) === 0)
  await transaction(db, (tx) => insertProcess(tx, 'other'))
  await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(4711)`.execute(tx)
    await sleep(1.5 * leaseMs)
  })
  // The other process beats later than this one.
  await sleep(0.6 * leaseMs)
  assert.notEqual(await transaction(db, (tx) => updateBeat(tx, 'other')), undefined)
  // It is silent from here on.
  await until(async () => (await countOf(db, 'other')) === 0)
  await lease.close()
})

test('lease: heartbeats wait neither for other connections nor for the work of dead processes (PostgreSQL)', async (t) => {
  await using database = await openTestDatabase()
  const { db, options } = database
  if (options.kind !== 'postgres') return t.skip('one process owns an SQLite database')
  const failed: unknown[] = []
  const lease = new ProcessLease({ db, log: (_level, _text, facts) => failed.push(facts?.['error']), leaseMs: 500 })
  const gate = Promise.withResolvers<void>()
  let runs = 0
  lease.onBeat(async () => {
    if (++runs === 1) throw new Error('the first run fails')
    await gate.promise
  })
  const id = await lease.id()
  const second = openDatabase(options)
  await beats(second, id, 5)
  assert.deepEqual([runs, failed.map(String)], [2, ['Error: the first run fails']])
  const holding = Array.from({ length: options.maxConnections }, () => transaction(db, () => gate.promise))
  await beats(second, id, 5)
  gate.resolve()
  await Promise.all(holding)
  await lease.close()
  await closeDatabase(second)
})

test('lease: a heartbeat without an answer is given up, and the next one uses another connection (PostgreSQL)', async (t) => {
  await using database = await openTestDatabase()
  const { options } = database
  if (options.kind !== 'postgres') return t.skip('one process owns an SQLite database')
  using front = await startPostgresFront(options.url)
  const db = openDatabase({ ...options, url: front.url })
  const lease = new ProcessLease({ db, log: () => undefined, leaseMs: 500 })
  await beats(database.db, await lease.id(), 1)
  front.fallSilent()
  await sleep(500)
  front.recover()
  const begunMs = performance.now()
  await beats(database.db, lease.current as string, 2)
  assert.ok(performance.now() - begunMs < 8000)
  await lease.close()
  await closeDatabase(db)
})
