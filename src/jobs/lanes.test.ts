import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { Type } from 'typebox'
import { attachClock } from '../db/clock.ts'
import { engineOf, transaction, type Db } from '../db/database.ts'
import { closeDatabase, openDatabase } from '../db/open.ts'
import { openTestDatabase } from '../testing/database.ts'
import { GiveUp, job, type Job, type LaneRule } from './job.ts'
import { claimJobs, claimStatement } from './job.store.ts'
import { enqueue, enqueueAll, listJobs, planned, retryFailedJob } from './queue.ts'
import { until } from '../testing/until.ts'
import { type Context, standingClock, start, note, laned } from './workers.test-support.ts'

test('jobs of one lane run in sequence, and jobs of different lanes in parallel', async () => {
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

test('a pool full of long jobs does not delay another pool', async () => {
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

/** Fails `failures` times before it succeeds. */
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

test('a lane waits for a failed job or passes it, by its declaration', async () => {
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

test('a lane passes a permanently failed job, and a retry gives the job its turn', async () => {
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

test('a lane whose turn was deleted by hand gets it again at the next start', async () => {
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

test('concurrent writers and workers of several processes leave no lane without a turn', async () => {
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

test('a claim reads one row of a lane for any number of waiting jobs', async () => {
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
    ...{ leaseMs: 0, nowUnix: 0 },
  }
  const statement = await transaction(test.db, async (tx) => claimStatement(tx, claim))
  const lookedAt = async (db: Db): Promise<number> => {
    // SQLite does not count the rows that a statement reads, so the plan must use the partial index of claimable jobs.
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

/** Returns how many rows of `job` PostgreSQL reads for a statement, filtered rows included. */
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
