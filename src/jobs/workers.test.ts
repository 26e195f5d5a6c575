import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { attachClock } from '../db/clock.ts'
import { transaction } from '../db/database.ts'
import { Invalid, NotFound, TooLarge, Unavailable } from '../lib/errors.ts'
import { fullDisk } from '../lib/full-disk.ts'
import { storageAway } from '../lib/storage-away.ts'
import { openTestDatabase } from '../testing/database.ts'
import { GiveUp, job } from './job.ts'
import {
  enqueue,
  enqueueAll,
  findJob,
  getQueueStats,
  listJobs,
  planned,
  removeFailedJob,
  retryFailedJob,
} from './queue.ts'
import { until } from '../testing/until.ts'
import { type Context, standingClock, start, note } from './workers.test-support.ts'

test('a job runs after the commit that enqueued it, and its row is deleted', async () => {
  await using test = await openTestDatabase()
  await using workers = start(test.db, [note])
  await workers.settle()
  await transaction(test.db, async (tx) => {
    await enqueue(tx, note, { text: 'hello' })
    await sleep(30)
    assert.deepEqual(workers.ran, [])
  })
  await workers.settle()
  assert.deepEqual(workers.ran, ['hello'])
  assert.deepEqual(await listJobs(test.db, { limit: 10 }), [])
})

test('a job of a transaction that is rolled back never runs', async () => {
  await using test = await openTestDatabase()
  await using workers = start(test.db, [note])
  const failing = transaction(test.db, async (tx) => {
    await enqueue(tx, note, { text: 'never' })
    throw new Error('no')
  })
  await assert.rejects(failing, /^Error: no$/)
  await workers.settle()
  assert.deepEqual(workers.ran, [])
})

test('enqueueing refuses an input that does not match the schema', async () => {
  await using test = await openTestDatabase()
  const wrong = transaction(test.db, (tx) => enqueue(tx, note, { text: 7 } as never))
  await assert.rejects(wrong, /input of job noteText is wrong: \/text must be string/)
})

test('a row that this release cannot read waits for a newer release without counting an attempt', async () => {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  const other = job({ name: 'noteText', input: Type.Object({ words: Type.Integer() }), run: async () => {} })
  const id = await transaction(test.db, (tx) => enqueue(tx, other, { words: 3 }))
  await transaction(test.db, (tx) => tx.updateTable('job').set({ version: 2 }).execute())
  await using workers = start(test.db, [note])
  await workers.settle()
  const row = await findJob(test.db, id)
  assert.deepEqual([row?.state, row?.attempt, row?.problem], ['waiting', 0, 'unreadable'])
  assert.match(row?.last_error ?? '', /the input of job noteText is of version 2, which a newer release writes/)
  // A row of this version with another shape waits too.
  await transaction(test.db, (tx) => tx.updateTable('job').set({ version: 1 }).execute())
  clock.advance(60_000)
  await workers.settle()
  assert.match((await findJob(test.db, id))?.last_error ?? '', /written by another release: .*text/)
  await transaction(test.db, (tx) => tx.updateTable('job').set({ input: '{"text":"at last"}' }).execute())
  clock.advance(60_000)
  await workers.settle()
  assert.deepEqual(workers.ran, ['at last'])
})

test('jobs wait for their due time, and urgent jobs run first', async () => {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  const run = async (ctx: Context, input: { text: string }): Promise<void> => void ctx.ran.push(input.text)
  const input = Type.Object({ text: Type.String() })
  const urgent = job({ name: 'noteUrgent', input, priority: 'high', run })
  const idle = job({ name: 'noteIdle', input, priority: 'low', run })
  await transaction(test.db, async (tx) => {
    await enqueueAll(tx, [
      planned(idle, { text: 'low' }),
      planned(note, { text: 'second' }, { runAtMs: clock.nowMs() - 1 }),
      planned(note, { text: 'first' }, { runAtMs: clock.nowMs() - 2 }),
      planned(urgent, { text: 'high' }),
      planned(note, { text: 'later' }, { delayMs: 60_000 }),
    ])
  })
  await using workers = start(test.db, [note, urgent, idle], { slots: { default: 1 } })
  await workers.settle()
  assert.deepEqual(workers.ran, ['high', 'first', 'second', 'low'])
  clock.advance(59_999)
  await workers.settle()
  assert.equal(workers.ran.length, 4)
  clock.advance(1)
  await workers.settle()
  assert.deepEqual(workers.ran.at(-1), 'later')
})

test('a delayed job runs when it is due', async () => {
  await using test = await openTestDatabase()
  let ranAtMs = 0
  const timed = job({
    name: 'noteTime',
    input: Type.Object({}),
    run: async () => {
      ranAtMs = Date.now()
    },
  })
  await using workers = start(test.db, [timed])
  const dueAtMs = Date.now() + 60
  await transaction(test.db, (tx) => enqueue(tx, timed, {}, { delayMs: 60 }))
  await workers.settle()
  await until(() => ranAtMs > 0)
  assert.ok(ranAtMs >= dueAtMs, `it ran ${dueAtMs - ranAtMs} ms early`)
})

test('a failed job is retried with growing delays and keeps its last error', async () => {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  const stubborn = job({
    name: 'failAlways',
    input: Type.Object({}),
    attempts: 3,
    run: async (ctx: Context, _input, run) => {
      ctx.ran.push(`${run.attempt}${run.isLastAttempt ? ' last' : ''}`)
      throw new Error(`no luck ${run.attempt}`, { cause: new Error('the reason') })
    },
  })
  await using workers = start(test.db, [stubborn])
  const id = await transaction(test.db, (tx) => enqueue(tx, stubborn, {}))
  await workers.settle()
  const first = await findJob(test.db, id)
  assert.deepEqual([first?.state, first?.attempt, first?.last_error], ['waiting', 1, 'no luck 1: the reason'])
  const firstWaitMs = (first?.run_at_ms ?? 0) - clock.nowMs()
  assert.ok(firstWaitMs >= 1500 && firstWaitMs <= 2500, `${firstWaitMs} ms`)
  clock.advance(2500)
  await workers.settle()
  const secondWaitMs = ((await findJob(test.db, id))?.run_at_ms ?? 0) - clock.nowMs()
  assert.ok(secondWaitMs >= 7500 && secondWaitMs <= 12_500, `${secondWaitMs} ms`)
  clock.advance(12_500)
  await workers.settle()
  const last = await findJob(test.db, id)
  assert.deepEqual([last?.state, last?.last_error], ['failed', 'no luck 3: the reason'])
  assert.deepEqual(workers.ran, ['1', '2', '3 last'])

  const stats = await getQueueStats(test.db)
  assert.deepEqual(stats.byName, [{ name: 'failAlways', waiting: 0, running: 0, failed: 1 }])

  assert.equal(await transaction(test.db, (tx) => retryFailedJob(tx, id)), 'done')
  await workers.settle()
  assert.equal((await findJob(test.db, id))?.attempt, 1)
  assert.equal(await transaction(test.db, (tx) => removeFailedJob(tx, id)), 'not failed')
})

test('a job that gives up is not retried and can be deleted', async () => {
  await using test = await openTestDatabase()
  const hopeless = job({
    name: 'giveUpAtOnce',
    input: Type.Object({}),
    run: async (_ctx: Context) => {
      throw new GiveUp('the repository is gone')
    },
  })
  await using workers = start(test.db, [hopeless])
  const id = await transaction(test.db, (tx) => enqueue(tx, hopeless, {}))
  await workers.settle()
  const row = await findJob(test.db, id)
  assert.deepEqual(
    [row?.state, row?.attempt, row?.problem, row?.last_error],
    ['failed', 1, 'permanent', 'the repository is gone'],
  )
  assert.equal(await transaction(test.db, (tx) => removeFailedJob(tx, id)), 'done')
  assert.equal(await findJob(test.db, id), undefined)
})

test('a job is retried after a temporary error, but not after bad input or a size limit', async () => {
  await using test = await openTestDatabase()
  const errors = {
    bad: new Invalid('no'),
    large: new TooLarge('no'),
    gone: new NotFound('no'),
    away: new Unavailable('no'),
  }
  const failing = job({
    name: 'failAs',
    input: Type.Object({ kind: Type.String() }),
    run: async (_ctx: Context, { kind }) => {
      throw errors[kind as keyof typeof errors]
    },
  })
  const kinds = Object.keys(errors)
  await transaction(test.db, (tx) =>
    enqueueAll(
      tx,
      kinds.map((kind) => planned(failing, { kind })),
    ),
  )
  await using workers = start(test.db, [failing])
  await workers.settle()
  assert.deepEqual(
    (await listJobs(test.db, { limit: 9 }))
      .map((row) => [JSON.parse(row.input).kind, row.state, row.problem])
      .toReversed(),
    [
      ['bad', 'failed', 'permanent'],
      ['large', 'failed', 'permanent'],
      ['gone', 'waiting', null],
      ['away', 'waiting', null],
    ],
  )
})

for (const [what, cause] of [
  ['the storage is away', storageAway('connect ECONNREFUSED')],
  ['a disk is full', Object.assign(new Error('no space'), { code: 'ENOSPC' })],
  ['git says that a disk is full', fullDisk()],
] as const) {
  test(`a job keeps its attempts, however long ${what}`, () => keepsAttempts(cause))
}

async function keepsAttempts(cause: Error): Promise<void> {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  let isAway = true
  const storing = job({
    name: 'storeAs',
    input: Type.Object({ text: Type.String() }),
    attempts: 2,
    run: async (ctx: Context, { text }) => {
      // As a caller of the storage may pass it on.
      if (isAway) throw new Error('the pack cannot be stored', { cause })
      ctx.ran.push(text)
      throw new Unavailable('something else')
    },
  })
  const id = await transaction(test.db, (tx) => enqueue(tx, storing, { text: 'stored' }))
  await using workers = start(test.db, [storing])
  let waitedMs = 0
  for (let failures = 0; failures < 8; failures++) {
    await workers.settle()
    const row = await findJob(test.db, id)
    assert.deepEqual([row?.state, row?.attempt, row?.problem], ['waiting', 0, null])
    const waitMs = Number(row?.run_at_ms) - clock.nowMs()
    assert.ok(waitMs > 0 && waitMs <= 750_000, `${waitMs}`)
    waitedMs += waitMs
    clock.advance(waitMs + 120_000)
  }
  assert.ok(waitedMs > 30_000, 'it waits longer and longer')
  isAway = false
  await workers.settle()
  assert.deepEqual([workers.ran, (await findJob(test.db, id))?.attempt], [['stored'], 1])
  clock.advance(10_000)
  await workers.settle()
  const row = await findJob(test.db, id)
  assert.deepEqual([workers.ran.length, row?.state, row?.problem], [2, 'failed', 'exhausted'])
}

test('waiting jobs with the same key merge into one with the newest input and the earliest time', async () => {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  const merging = job({
    name: 'noteMerged',
    input: Type.Object({ key: Type.String(), text: Type.String() }),
    merge: (input) => input.key,
    run: async (ctx: Context, input) => void ctx.ran.push(input.text),
  })
  await transaction(test.db, async (tx) => {
    const first = await enqueue(tx, merging, { key: 'a', text: 'a1' }, { delayMs: 1000 })
    const second = await enqueue(tx, merging, { key: 'a', text: 'a2' })
    assert.equal(first, second)
    await enqueueAll(tx, [
      planned(merging, { key: 'a', text: 'a3' }, { delayMs: 5000 }),
      planned(merging, { key: 'b', text: 'b1' }),
      planned(merging, { key: 'b', text: 'b2' }, { delayMs: 5000 }),
    ])
  })
  await using workers = start(test.db, [merging], { slots: { default: 1 } })
  await workers.settle()
  assert.deepEqual(workers.ran, ['a3', 'b2'])
})

test('a duplicate of a running job in the same lane waits for it, and replaces it when it fails', async () => {
  await using test = await openTestDatabase()
  const gate = Promise.withResolvers<void>()
  const merging = job({
    name: 'indexThing',
    input: Type.Object({ text: Type.String() }),
    merge: () => 'one',
    lane: () => 'one',
    run: async (ctx: Context, input) => {
      ctx.ran.push(input.text)
      if (input.text !== 'first') return
      await gate.promise
      throw new Error('broken')
    },
  })
  await using workers = start(test.db, [merging])
  await transaction(test.db, (tx) => enqueue(tx, merging, { text: 'first' }))
  await until(() => workers.ran.length > 0)
  await transaction(test.db, (tx) => enqueue(tx, merging, { text: 'second' }))
  await sleep(30)
  assert.deepEqual(workers.ran, ['first'])
  gate.resolve()
  await workers.settle()
  assert.deepEqual(workers.ran, ['first', 'second'])
  assert.deepEqual(await listJobs(test.db, { limit: 10 }), [])
})

test('an attempt over its time limit is aborted and fails, even when it ignores the signal', async () => {
  await using test = await openTestDatabase()
  const deaf = job({
    name: 'neverEnd',
    input: Type.Object({}),
    attempts: 1,
    timeoutMs: 20,
    run: (_ctx: Context) => new Promise<void>(() => {}),
  })
  await using workers = start(test.db, [deaf], { limits: { abortGraceMs: 20 } })
  const id = await transaction(test.db, (tx) => enqueue(tx, deaf, {}))
  await workers.settle()
  assert.equal((await findJob(test.db, id))?.last_error, 'the job took longer than 20 ms')
})

test('a long job reports its progress', async () => {
  await using test = await openTestDatabase()
  const gate = Promise.withResolvers<void>()
  const long = job({
    name: 'countThings',
    input: Type.Object({}),
    run: async (_ctx: Context, _input, run) => {
      run.progress({ done: 1, total: 9 })
      run.progress({ done: 2, total: 9, note: 'two of nine' })
      await gate.promise
    },
  })
  await using workers = start(test.db, [long])
  const id = await transaction(test.db, (tx) => enqueue(tx, long, {}))
  await until(async () => (await findJob(test.db, id))?.progress !== null)
  const row = await findJob(test.db, id)
  assert.deepEqual(JSON.parse(row?.progress ?? ''), { done: 2, total: 9, note: 'two of nine' })
  gate.resolve()
  await workers.settle()
})

test('a process does not claim jobs that it does not declare', async () => {
  await using test = await openTestDatabase()
  const newer = job({ name: 'doFutureThing', input: Type.Object({}), run: async () => {} })
  const id = await transaction(test.db, (tx) => enqueue(tx, newer, {}))
  await using workers = start(test.db, [note])
  await workers.settle()
  assert.equal((await findJob(test.db, id))?.state, 'waiting')
  assert.ok((await getQueueStats(test.db)).oldestDueMs >= 0)
})

test('settle names the jobs that do not end', async () => {
  await using test = await openTestDatabase()
  const gate = Promise.withResolvers<void>()
  const long = job({ name: 'waitLong', input: Type.Object({}), run: (_ctx: Context) => gate.promise })
  await using workers = start(test.db, [long])
  await transaction(test.db, (tx) => enqueue(tx, long, {}))
  await assert.rejects(workers.settle(50), /did not come to rest within 50 ms: waitLong \d+ \(running\)/)
  gate.resolve()
  await workers.settle()
})
