import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineOf, transaction } from '../db/database.ts'
import { ProcessLease } from '../db/process-lease.ts'
import { deleteProcess, insertProcess } from '../db/process.store.ts'
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
