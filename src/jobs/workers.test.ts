import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { Type } from 'typebox'
import { attachClock } from '../db/clock.ts'
import { engineOf, transaction, type Db } from '../db/database.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { Invalid, NotFound, TooLarge, Unavailable } from '../lib/errors.ts'
import type { Clock } from '../lib/time.ts'
import { openTestDatabase } from '../testing/database.ts'
import { GiveUp, job, type AnyJob, type Job, type LaneRule } from './job.ts'
import { claimJobs, claimStatement } from './job.store.ts'
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
import { startWorkers, type WorkerOptions, type Workers } from './workers.ts'
import { until } from '../testing/until.ts'

interface Context {
  readonly ran: string[]
}

/** A clock that stands still until it is told to go on. */
const standingClock = (): Clock & { advance(ms: number): void } => {
  let ms = 1_800_000_000_000
  return { nowMs: () => ms, advance: (by) => void (ms += by) }
}

const silent = (): void => {}

interface Started extends Workers, AsyncDisposable, Context {}

function start(db: Db, jobs: readonly AnyJob<Context>[], options: Partial<WorkerOptions<Context>> = {}): Started {
  const ran: string[] = []
  const workers = startWorkers({
    db,
    jobs,
    createContext: () => ({ ran }),
    log: silent,
    slots: { default: 4 },
    ...options,
  })
  return Object.assign(workers, { ran, [Symbol.asyncDispose]: () => workers.stop(0) })
}

const note = job({
  name: 'noteText',
  input: Type.Object({ text: Type.String() }),
  run: async (ctx: Context, input) => void ctx.ran.push(input.text),
})

test('a job runs after the commit that enqueued it, and leaves no row', async () => {
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

test('an input of another shape is refused when it is enqueued', async () => {
  await using test = await openTestDatabase()
  const wrong = transaction(test.db, (tx) => enqueue(tx, note, { text: 7 } as never))
  await assert.rejects(wrong, /input of job noteText is wrong: \/text must be string/)
})

test('a row that this release can not read waits for one that can, and no attempt counts', async () => {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  const schema = Type.Object({ words: Type.Integer() })
  const newer = job({ name: 'noteText', input: schema, version: 2, upgrade: { 1: () => ({}) }, run: async () => {} })
  const id = await transaction(test.db, (tx) => enqueue(tx, newer, { words: 3 }))
  await using workers = start(test.db, [note])
  await workers.settle()
  const row = await findJob(test.db, id)
  assert.deepEqual([row?.state, row?.attempt, row?.problem], ['waiting', 0, 'unreadable'])
  assert.match(row?.last_error ?? '', /the input of job noteText is of version 2, which a newer release writes/)
  // One of today's version with another shape is a defect of some release, and not lost either.
  await transaction(test.db, (tx) => tx.updateTable('job').set({ version: 1 }).execute())
  clock.advance(60_000)
  await workers.settle()
  assert.match((await findJob(test.db, id))?.last_error ?? '', /written by another release: .*text/)
  await transaction(test.db, (tx) => tx.updateTable('job').set({ input: '{"text":"at last"}' }).execute())
  clock.advance(60_000)
  await workers.settle()
  assert.deepEqual(workers.ran, ['at last'])
})

test('jobs wait for their time, and urgent ones go first', async () => {
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

test('a delayed job runs by itself when its time has come', async () => {
  await using test = await openTestDatabase()
  await using workers = start(test.db, [note])
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'soon' }, { delayMs: 60 }))
  await workers.settle()
  assert.deepEqual(workers.ran, [])
  await until(() => workers.ran.length > 0)
})

test('a failed attempt is tried again with growing waits, and the last failure is kept', async () => {
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

test('a job that gives up is not tried again, and can be forgotten', async () => {
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

test('bad input and what is too large are not tried again, what may come back is', async () => {
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

test('jobs of the same key merge while they wait: the newest input, the earliest time', async () => {
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

test('a duplicate of a running job waits for it when they share a lane, and takes over when it fails', async () => {
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

const laned = job({
  name: 'noteInLane',
  input: Type.Object({ lane: Type.String(), text: Type.String() }),
  lane: (input) => input.lane,
  run: async (ctx: Context, input) => {
    ctx.ran.push(`${input.text}+`)
    await sleep(5)
    ctx.ran.push(`${input.text}-`)
  },
})

test('jobs of one lane run one after the other, those of others beside them', async () => {
  await using test = await openTestDatabase()
  await transaction(test.db, (tx) =>
    enqueueAll(
      tx,
      ['1', '2', '3', '4'].flatMap((text) => [
        planned(laned, { lane: 'a', text: `a${text}` }),
        planned(note, { text }),
      ]),
    ),
  )
  await using workers = start(test.db, [laned, note], { slots: { default: 8 } })
  await workers.settle()
  const inLane = workers.ran.filter((text) => text.startsWith('a'))
  assert.deepEqual(inLane, ['a1+', 'a1-', 'a2+', 'a2-', 'a3+', 'a3-', 'a4+', 'a4-'])
  assert.ok(workers.ran.indexOf('4') < workers.ran.indexOf('a2+'))
})

test('a pool that is full of long work keeps no other pool waiting', async () => {
  await using test = await openTestDatabase()
  const gate = Promise.withResolvers<void>()
  const long = job({
    name: 'maintainLong',
    pool: 'maintenance',
    input: Type.Object({ number: Type.Integer() }),
    run: async (ctx: Context, { number }) => {
      ctx.ran.push(`began ${number}`)
      await gate.promise
    },
  })
  await using workers = start(test.db, [long, note], { slots: { default: 1, maintenance: 2 } })
  await transaction(test.db, (tx) =>
    enqueueAll(
      tx,
      [1, 2, 3, 4].map((number) => planned(long, { number })),
    ),
  )
  await until(() => workers.ran.length === 2)
  await transaction(test.db, (tx) =>
    enqueueAll(
      tx,
      ['a', 'b'].map((text) => planned(note, { text })),
    ),
  )
  await until(() => workers.ran.includes('b'))
  assert.deepEqual(workers.ran.toSorted(), ['a', 'b', 'began 1', 'began 2'])
  gate.resolve()
  await workers.settle()
  assert.deepEqual(workers.ran.length, 6)
})

/** Fails as often as the input says before it goes well. */
const stumbling = (name: string, whenFailing: LaneRule): Job<Context, { text: string; failures: number }> => {
  const failed = new Map<string, number>()
  return job({
    name,
    input: Type.Object({ text: Type.String(), failures: Type.Integer() }),
    lane: () => name,
    whenFailing,
    retryDelayMs: () => 1000,
    run: async (ctx: Context, { text, failures }) => {
      const before = failed.get(text) ?? 0
      failed.set(text, before + 1)
      ctx.ran.push(before < failures ? `${text} fails` : text)
      if (before < failures) throw new Error('stumbled')
    },
  })
}

test('a lane waits for a failing job or passes it, as it says', async () => {
  for (const [rule, first, then] of [
    ['block', ['a fails'], ['a', 'b', 'c']],
    ['pass', ['a fails', 'b', 'c'], ['a']],
  ] as const) {
    await using test = await openTestDatabase()
    const clock = standingClock()
    attachClock(test.db, clock)
    const own = stumbling('stumbleAlong', rule)
    await using workers = start(test.db, [own])
    await transaction(test.db, (tx) =>
      enqueueAll(tx, [planned(own, { text: 'a', failures: 1 }), planned(own, { text: 'b', failures: 0 })]),
    )
    await workers.settle()
    await transaction(test.db, (tx) => enqueue(tx, own, { text: 'c', failures: 0 }))
    await workers.settle()
    assert.deepEqual(workers.ran.splice(0), first, rule)
    clock.advance(1000)
    await workers.settle()
    assert.deepEqual(workers.ran, then, rule)
    assert.deepEqual(await listJobs(test.db, { limit: 9 }), [])
  }
})

test('a job of a lane that has failed for good is passed, and has its turn when it is tried again', async () => {
  await using test = await openTestDatabase()
  const clock = standingClock()
  attachClock(test.db, clock)
  let isBroken = true
  const own = job({
    name: 'giveUpInLane',
    input: Type.Object({ text: Type.String() }),
    lane: () => 'one',
    run: async (ctx: Context, { text }) => {
      if (text === 'a' && isBroken) throw new GiveUp('broken')
      ctx.ran.push(text)
    },
  })
  await using workers = start(test.db, [own])
  const id = await transaction(test.db, (tx) => enqueue(tx, own, { text: 'a' }))
  await transaction(test.db, (tx) => enqueue(tx, own, { text: 'b' }))
  await workers.settle()
  assert.deepEqual(workers.ran, ['b'])
  isBroken = false
  await transaction(test.db, async (tx) => {
    await enqueue(tx, own, { text: 'c' }, { delayMs: 1000 })
    await retryFailedJob(tx, id)
  })
  await workers.settle()
  assert.deepEqual(workers.ran, ['b'], 'the turn is given already')
  clock.advance(1000)
  await workers.settle()
  assert.deepEqual(workers.ran, ['b', 'c', 'a'])
})

test('a lane that lost its turn to somebody who deleted the row gets it again at the next start', async () => {
  await using test = await openTestDatabase()
  const plans = ['a', 'b'].map((text) => planned(laned, { lane: 'one', text }))
  await transaction(test.db, (tx) => enqueueAll(tx, plans))
  await transaction(test.db, (tx) => tx.deleteFrom('job').where('is_held', '=', false).execute())
  await using workers = start(test.db, [laned])
  await until(() => workers.ran.length === 2)
  await workers.settle()
  assert.deepEqual(workers.ran, ['b+', 'b-'])
})

test('the jobs of a lane run in the order of their commits (PostgreSQL)', async (context) => {
  await using test = await openTestDatabase()
  if (engineOf(test.db).kind !== 'postgres') return context.skip('SQLite has one writer')
  const enqueued = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const first = transaction(test.db, async (tx) => {
    await enqueue(tx, laned, { lane: 'a', text: 'first' })
    enqueued.resolve()
    await goOn.promise
  })
  await enqueued.promise
  let hasSecond = false
  const second = transaction(test.db, (tx) => enqueue(tx, laned, { lane: 'a', text: 'second' })).then(
    () => (hasSecond = true),
  )
  // Another lane does not wait.
  await transaction(test.db, (tx) => enqueue(tx, laned, { lane: 'b', text: 'other' }))
  await sleep(50)
  assert.equal(hasSecond, false)
  goOn.resolve()
  await Promise.all([first, second])
  await using workers = start(test.db, [laned])
  await workers.settle()
  assert.deepEqual(
    workers.ran.filter((text) => text.endsWith('+') && text !== 'other+'),
    ['first+', 'second+'],
  )
})

test('writers and workers of several processes leave no lane without its turn', async () => {
  await using test = await openTestDatabase()
  const second = engineOf(test.db).kind === 'postgres' ? openDatabase(test.options) : test.db
  const own = job({
    name: 'noteQuickly',
    input: Type.Object({ lane: Type.String(), number: Type.Integer() }),
    lane: ({ lane }) => lane,
    run: async (ctx: Context, { lane, number }) => void ctx.ran.push(`${lane} ${number}`),
  })
  const limits = { idlePollMs: 20 }
  await using one = start(test.db, [own], { limits })
  await using two = start(second, [own], { limits })
  await Promise.all(
    ['a', 'b', 'c'].map(async (lane, index) => {
      for (let number = 0; number < 40; number++) {
        await transaction(index % 2 === 0 ? test.db : second, (tx) => enqueue(tx, own, { lane, number }))
      }
    }),
  )
  await Promise.all([one.settle(), two.settle()])
  assert.equal(one.ran.length + two.ran.length, 120)
  assert.deepEqual(await listJobs(test.db, { limit: 9 }), [])
  await one.stop(1000)
  await two.stop(1000)
  if (second !== test.db) await closeDatabase(second)
})

test('taking a job looks at one row, however many due jobs of its lane wait behind it', async () => {
  await using test = await openTestDatabase()
  const { kind } = engineOf(test.db)
  await transaction(test.db, async (tx) => {
    const numbers = Array.from({ length: 20_000 }, (_, number) => number)
    await enqueueAll(
      tx,
      numbers.map((number) => planned(laned, { lane: 'a', text: String(number) })),
    )
  })
  const claim = {
    ...{ pool: 'default', names: [laned.name], limit: 4, nowMs: Date.now() + 1000, worker: 'w' },
    ...{ leaseUntilMs: 0, nowUnix: 0 },
  }
  const statement = claimStatement(kind, claim)
  const lookedAt = async (db: Db): Promise<number> => {
    // What can be taken at all is in the index that is walked; SQLite does not count the rows that a statement looks at.
    const plan = await sql<{ detail: string }>`explain query plan ${statement}`.execute(engineOf(db).writer)
    for (const { detail } of plan.rows) assert.doesNotMatch(detail, /^SCAN job/)
    assert.match(
      plan.rows.map((row) => row.detail).join('\n'),
      /INDEX job_claim \(pool=\? AND priority=\? AND run_at_ms<\?\)/,
    )
    const { rows } = await sql<{ count: number }>`select count(*) as count from job indexed by job_claim
      where state = 'waiting' and not is_held`.execute(db)
    return rows[0]?.count ?? 0
  }
  const looked = kind === 'sqlite' ? await lookedAt(test.db) : await rowsLookedAt(test.db, statement)
  assert.ok(looked <= 8, `${looked} rows`)

  const claimed = await transaction(test.db, (tx) => claimJobs(tx, claim))
  assert.deepEqual(
    claimed.map((row) => JSON.parse(row.input).text),
    ['0'],
  )
})

/** How many rows of the table of jobs PostgreSQL reads for a statement, those included that it does not use. */
async function rowsLookedAt(db: Db, statement: RawBuilder<unknown>): Promise<number> {
  interface Plan {
    readonly 'Relation Name'?: string
    readonly 'Actual Rows': number
    readonly 'Actual Loops': number
    readonly 'Rows Removed by Filter'?: number
    readonly Plans?: readonly Plan[]
  }
  const read = (plan: Plan): number => {
    const own = plan['Relation Name'] === 'job' ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0
    return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, part) => sum + read(part), 0)
  }
  let looked = -1
  const undone = transaction(db, async (tx) => {
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`explain (analyze, format json) ${statement}`.execute(
      tx,
    )
    looked = read((rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  return looked
}

test('several processes share the queue: each job runs once, lanes hold among them', async () => {
  await using test = await openTestDatabase()
  // Two connections of one process that write the same SQLite file would wait for each other.
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

test('another process is woken by the commit of this one (PostgreSQL)', async (context) => {
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

test('a job whose worker is gone is taken over when its lease has run out', async () => {
  await using test = await openTestDatabase()
  const id = await transaction(test.db, (tx) => enqueue(tx, note, { text: 'left behind' }))
  await leaveBehind(test.db, Date.now() + 150)
  await using workers = start(test.db, [note], { limits: { leaseMs: 100, idlePollMs: 20 } })
  await until(() => workers.ran.length > 0)
  await workers.settle()
  assert.equal(await findJob(test.db, id), undefined)
})

test('the only process takes over at its start what the last one left', async () => {
  await using test = await openTestDatabase()
  await transaction(test.db, (tx) => enqueue(tx, note, { text: 'left behind' }))
  await leaveBehind(test.db, Date.now() + 3_600_000)
  await using workers = start(test.db, [note], { isAlone: true })
  await workers.settle()
  assert.deepEqual(workers.ran, ['left behind'])
})

test('a job that ends its worker every time is given up after its attempts', async () => {
  await using test = await openTestDatabase()
  const id = await transaction(test.db, (tx) => enqueue(tx, note, { text: 'poison' }))
  await leaveBehind(test.db, Date.now() - 1, 5)
  await using workers = start(test.db, [note])
  await workers.settle()
  const row = await findJob(test.db, id)
  assert.deepEqual([row?.state, row?.last_error], ['failed', 'the process that ran the job ended before the job did'])
  assert.deepEqual(workers.ran, [])
})

test('a running job keeps its lease', async () => {
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
  const limits = { leaseMs: 200, idlePollMs: 20 }
  await using one = start(test.db, [long], { limits })
  await using two = start(test.db, [long], { limits })
  await transaction(test.db, (tx) => enqueue(tx, long, {}))
  await sleep(700)
  gate.resolve()
  await one.settle()
  assert.equal(one.ran.length + two.ran.length, 1)
})

test('a worker that lost its job aborts it and leaves the row alone', async () => {
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

test('an attempt that takes too long is aborted and counts as failed, even when it does not listen', async () => {
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

test('stopping gives running jobs back without counting the attempt', async () => {
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

test('stopping waits for a job that ends in time', async () => {
  await using test = await openTestDatabase()
  const workers = start(test.db, [laned])
  await transaction(test.db, (tx) => enqueue(tx, laned, { lane: 'x', text: 'short' }))
  await until(() => workers.ran.length > 0)
  await workers.stop(5000)
  assert.deepEqual(workers.ran, ['short+', 'short-'])
  assert.deepEqual(await listJobs(test.db, { limit: 1 }), [])
})

test('long work shows its progress', async () => {
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

test('rows of jobs that this process does not declare are left to others', async () => {
  await using test = await openTestDatabase()
  const newer = job({ name: 'doFutureThing', input: Type.Object({}), run: async () => {} })
  const id = await transaction(test.db, (tx) => enqueue(tx, newer, {}))
  await using workers = start(test.db, [note])
  await workers.settle()
  assert.equal((await findJob(test.db, id))?.state, 'waiting')
  assert.ok((await getQueueStats(test.db)).oldestDueMs >= 0)
})

test('settle tells what does not come to rest', async () => {
  await using test = await openTestDatabase()
  const gate = Promise.withResolvers<void>()
  const long = job({ name: 'waitLong', input: Type.Object({}), run: (_ctx: Context) => gate.promise })
  await using workers = start(test.db, [long])
  await transaction(test.db, (tx) => enqueue(tx, long, {}))
  await assert.rejects(workers.settle(50), /did not come to rest within 50 ms: waitLong \d+ \(running\)/)
  gate.resolve()
  await workers.settle()
})

/** As after a crash: the rows say that a worker of another process has them. */
const leaveBehind = (db: Db, leaseUntilMs: number, attempt = 1): Promise<unknown> =>
  transaction(db, (tx) =>
    sql`update job set state = 'running', leased_by = 'gone', lease_until_ms = ${leaseUntilMs}, attempt = ${attempt}`.execute(
      tx,
    ),
  )
