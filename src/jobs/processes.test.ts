import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { attachClock, clockOf } from '../db/clock.ts'
import { engineOf, transaction } from '../db/database.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { openTestDatabase } from '../testing/database.ts'
import { job } from './job.ts'
import { lockLanes } from './job.store.ts'
import { enqueue, enqueueAll, findJob, listJobs, planned } from './queue.ts'
import { until } from '../testing/until.ts'
import { type Context, start, note, laned, leaveBehind } from './workers.test-support.ts'

test('several processes share the queue: each job runs once, and lanes stay in sequence', async () => {
  await using test = await openTestDatabase()
  // Two connections of one process that write the same SQLite file would block each other.
  const second = engineOf(test.db).kind === 'postgres' ? openDatabase(test.options) : test.db
  await using one = start(test.db, [laned, note], { limits: { idlePollMs: 50 } })
  await using two = start(second, [laned, note], { limits: { idlePollMs: 50 } })
  const texts = Array.from({ length: 40 }, (_, index) => String(index))
  await transaction(test.db, (tx) =>
    enqueueAll(
      tx,
      texts.flatMap((text) => [
        planned(laned, { lane: `lane ${Number(text) % 2}`, text: `l${text}` }),
        planned(note, { text }),
      ]),
    ),
  )
  await Promise.all([one.settle(), two.settle()])
  const all = [...one.ran, ...two.ran]
  assert.deepEqual(
    all
      .filter((text) => /^\d+$/.test(text))
      .map(Number)
      .sort((a, b) => a - b),
    texts.map(Number),
  )
  assert.equal(all.filter((text) => text.startsWith('l')).length, 80)
  await one.stop(1000)
  await two.stop(1000)
  if (second !== test.db) await closeDatabase(second)
})

test('a commit wakes the workers of another process (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('one process uses an SQLite file')
  const second = openDatabase(test.options)
  await using workers = start(second, [note], { limits: { idlePollMs: 3_600_000 } })
  await workers.settle()
  await sleep(300)
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'from afar' }))
  await until(() => workers.ran.length > 0)
  await workers.stop(0)
  await closeDatabase(second)
})

test('a process whose clock is a little behind runs a job as soon as it is due there (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('one process uses an SQLite file')
  const second = openDatabase(test.options)
  attachClock(second, { nowMs: () => clockOf(test.db).nowMs() - 200 })
  await using workers = start(second, [note], { limits: { idlePollMs: 3_600_000 } })
  await workers.settle()
  await sleep(300)
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'from the future' }))
  await until(() => workers.ran.length > 0)
  await workers.stop(0)
  await closeDatabase(second)
})

test('a worker takes over the job of a dead worker after its lease expires', async () => {
  await using test = await openTestDatabase()
  const id = await transaction(test.db, (tx) => enqueue(tx, note, { text: 'left behind' }))
  await leaveBehind(test.db, Date.now() + 150)
  await using workers = start(test.db, [note], { limits: { leaseMs: 100, idlePollMs: 20 } })
  await until(() => workers.ran.length > 0)
  await workers.settle()
  assert.equal(await findJob(test.db, id), undefined)
})

test('a lane that a process keeps while it stands still delays no other job of a dead process (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('SQLite has one writer')
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'free' }))
  const held = await transaction(test.db, (tx) => enqueue(tx, laned, { lane: 'kept', text: 'kept' }))
  await leaveBehind(test.db, Date.now() - 1)
  await transaction(test.db, (tx) => tx.updateTable('job').set({ lease_until_ms: 0 }).where('id', '=', held).execute())
  await transaction(test.db, async (tx) => {
    await lockLanes(tx, ['kept'])
    await using workers = start(test.db, [note, laned], { limits: { leaseMs: 100, idlePollMs: 20 } })
    await until(() => workers.ran.includes('free'))
    assert.deepEqual(workers.ran, ['free'])
  })
  await using workers = start(test.db, [note, laned])
  await workers.settle()
  assert.deepEqual(workers.ran, ['kept+', 'kept-'])
})

test('a single process takes over the jobs of its predecessor at the start', async () => {
  await using test = await openTestDatabase()
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'left behind' }))
  await leaveBehind(test.db, Date.now() + 3_600_000)
  await using workers = start(test.db, [note], { isAlone: true })
  await workers.settle()
  assert.deepEqual(workers.ran, ['left behind'])
})

test('a job that crashes its worker each time fails after its attempts', async () => {
  await using test = await openTestDatabase()
  const id = await transaction(test.db, (tx) => enqueue(tx, note, { text: 'poison' }))
  await leaveBehind(test.db, Date.now() - 1, 5)
  await using workers = start(test.db, [note])
  await workers.settle()
  const row = await findJob(test.db, id)
  assert.deepEqual([row?.state, row?.last_error], ['failed', 'the process that ran the job ended before the job did'])
  assert.deepEqual(workers.ran, [])
})

test('a job whose process ended twice in a row is parked with the reason, even when a newer job replaces it', async () => {
  await using test = await openTestDatabase()
  const parked = { state: 'failed', problem: 'crashed' }
  const crash = async (names: readonly string[]): Promise<void> => {
    await transaction(test.db, (tx) =>
      tx
        .updateTable('job')
        .set((row) => ({ state: 'running', leased_by: 'gone', lease_until_ms: 1, attempt: row('attempt', '+', 1) }))
        .where('name', 'in', names)
        .where('state', '=', 'waiting')
        .execute(),
    )
    // This worker declares no job, so it only returns the jobs of the dead worker to the queue.
    await using workers = start(test.db, [])
    await until(async () => (await listJobs(test.db, { limit: 10 })).every((row) => row.state !== 'running'))
    await workers.stop(0)
  }
  const keyed = job({
    name: 'noteOnce',
    input: Type.Object({}),
    merge: () => 'all',
    run: async (ctx: Context) => void ctx.ran.push('merged'),
  })
  const sending = job({
    name: 'noteFar',
    pool: 'webhooks',
    input: Type.Object({}),
    run: async (ctx: Context) => void ctx.ran.push('sent'),
  })
  const id = await transaction(test.db, (tx) => enqueue(tx, note, { text: 'poison' }))
  await transaction(test.db, (tx) => enqueueAll(tx, [planned(keyed, {}), planned(sending, {})]))
  await crash(['noteText', 'noteOnce', 'noteFar'])
  assert.deepEqual(
    (await listJobs(test.db, { limit: 10 }))
      .map((row) => `${row.name} ${row.state} ${row.problem} ${row.attempt}`)
      .toSorted((one, other) => one.localeCompare(other)),
    ['noteFar waiting crashed 1', 'noteOnce waiting crashed 1', 'noteText waiting crashed 1'],
  )
  await crash(['noteText', 'noteFar'])
  const row = await findJob(test.db, id)
  assert.deepEqual({ state: row?.state, problem: row?.problem }, parked)
  assert.equal(row?.last_error, 'the process that ran the job ended before the job did, twice in a row')
  assert.equal((await listJobs(test.db, { problem: 'crashed', state: 'failed', limit: 10 })).length, 1)

  // A job with the same key that arrived during the run inherits the crash.
  await transaction(test.db, async (tx) => {
    await tx.updateTable('job').set({ state: 'running', problem: null }).where('name', '=', 'noteOnce').execute()
    await tx.updateTable('job').set({ leased_by: 'gone', lease_until_ms: 1 }).where('name', '=', 'noteOnce').execute()
    await enqueue(tx, keyed, {})
  })
  await crash(['nothing'])
  const twins = (await listJobs(test.db, { limit: 10 })).filter(({ name }) => name === 'noteOnce')
  assert.deepEqual(
    twins.map(({ state, problem }) => [state, problem]),
    [['waiting', 'crashed']],
  )

  await using workers = start(test.db, [note, keyed, sending])
  await workers.settle()
  assert.deepEqual(workers.ran.toSorted(), ['merged', 'sent'])
})

test('the worker renews the lease of a running job', async () => {
  await using test = await openTestDatabase()
  const gate = Promise.withResolvers<void>()
  const long = job({
    name: 'waitLong',
    input: Type.Object({}),
    run: async (ctx: Context) => {
      ctx.ran.push('began')
      await gate.promise
    },
  })
  // A busy machine may stop the process for longer than a beat.
  const limits = { leaseMs: 600, idlePollMs: 20 }
  await using one = start(test.db, [long], { limits })
  await using two = start(test.db, [long], { limits })
  const id = await transaction(test.db, (tx) => enqueue(tx, long, {}))
  const leaseUntilMs = async (): Promise<number> => (await findJob(test.db, id))?.lease_until_ms ?? 0
  await until(async () => (await leaseUntilMs()) > 0, 'the first lease')
  const first = await leaseUntilMs()
  await until(
    async () => (await leaseUntilMs()) > first + 2 * limits.leaseMs,
    'a lease that was renewed beyond two of its lengths',
  )
  gate.resolve()
  await one.settle()
  assert.equal(one.ran.length + two.ran.length, 1)
})

test('a worker that lost the lease of a job aborts it and does not change the row', async () => {
  await using test = await openTestDatabase()
  let reason: unknown
  const long = job({
    name: 'waitForAbort',
    input: Type.Object({}),
    run: (ctx: Context, _input, run) =>
      new Promise((_resolve, reject) => {
        ctx.ran.push('began')
        run.signal.addEventListener('abort', () => {
          reason = run.signal.reason
          reject(new Error('aborted'))
        })
      }),
  })
  await using workers = start(test.db, [long], { limits: { leaseMs: 90 } })
  const id = await transaction(test.db, (tx) => enqueue(tx, long, {}))
  await until(() => workers.ran.length > 0)
  await transaction(test.db, async (tx) => {
    await tx
      .updateTable('job')
      .set({ leased_by: 'another', lease_until_ms: Date.now() + 60_000 })
      .execute()
  })
  await until(() => reason !== undefined)
  assert.match(String(reason), /another worker has the job/)
  await sleep(20)
  assert.equal((await findJob(test.db, id))?.leased_by, 'another')
})

test('a stop returns running jobs to the queue without counting the attempt', async () => {
  await using test = await openTestDatabase()
  const patient = job({
    name: 'waitForStop',
    input: Type.Object({}),
    run: (ctx: Context, _input, run) =>
      new Promise((_resolve, reject) => {
        ctx.ran.push('began')
        run.signal.addEventListener('abort', () => reject(run.signal.reason as Error))
      }),
  })
  const workers = start(test.db, [patient, note])
  const id = await transaction(test.db, (tx) => enqueue(tx, patient, {}))
  await until(() => workers.ran.length > 0)
  await workers.stop(20)
  const row = await findJob(test.db, id)
  assert.deepEqual([row?.state, row?.attempt, row?.leased_by], ['waiting', 0, null])
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'too late' }))
  await sleep(20)
  assert.deepEqual(workers.ran, ['began'])
})

test('a stop waits for a job that ends in time', async () => {
  await using test = await openTestDatabase()
  const workers = start(test.db, [laned])
  await transaction(test.db, (tx) => enqueue(tx, laned, { lane: 'x', text: 'short' }))
  await until(() => workers.ran.length > 0)
  await workers.stop(5000)
  assert.deepEqual(workers.ran, ['short+', 'short-'])
  assert.deepEqual(await listJobs(test.db, { limit: 1 }), [])
})
