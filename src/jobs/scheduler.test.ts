import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachClock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { openTestDatabase } from '../testing/database.ts'
import { listJobs } from './queue.ts'
import { parseSchedule, schedule, type Schedule } from './schedule.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { startWorkers, type Workers } from './workers.ts'

const unixOf = (text: string): number => Date.parse(text) / 1000
const timesAfter = (text: string, from: string, count: number): string[] => {
  const times = parseSchedule(text)
  const found: string[] = []
  for (let at = unixOf(from); found.length < count;) {
    at = times.next(at) as number
    found.push(new Date(at * 1000).toISOString().slice(0, 19))
  }
  return found
}

test('schedules are parsed in all forms of the contract', () => {
  const from = '2026-03-07T10:20:30Z'
  assert.deepEqual(timesAfter('@midnight', from, 2), ['2026-03-08T00:00:00', '2026-03-09T00:00:00'])
  assert.deepEqual(timesAfter('@annually', from, 1), ['2027-01-01T00:00:00'])
  assert.deepEqual(timesAfter('@hourly', from, 1), ['2026-03-07T11:00:00'])
  assert.deepEqual(timesAfter('@every 1h30m', from, 2), ['2026-03-07T11:50:30', '2026-03-07T13:20:30'])
  assert.deepEqual(timesAfter('*/15 * * * *', from, 2), ['2026-03-07T10:30:00', '2026-03-07T10:45:00'])
  assert.deepEqual(timesAfter('5 30 12 * * 1', from, 1), ['2026-03-09T12:30:05'])
  assert.deepEqual(timesAfter('TZ=Asia/Tokyo 0 9 * * *', from, 1), ['2026-03-08T00:00:00'])
  assert.deepEqual(timesAfter('CRON_TZ=America/New_York 30 2 * * *', '2026-03-08T00:00:00Z', 1), [
    '2026-03-08T07:00:00',
  ])
})

test('an invalid schedule is refused with its reason', () => {
  for (const text of [
    '',
    'often',
    '@reboot',
    '@every',
    '@every 5',
    '@every 10ms',
    '61 * * * *',
    '* * * *',
    'TZ=Nowhere/At_All 0 0 * * *',
  ]) {
    assert.throws(() => parseSchedule(text), /is not a schedule|more often/, text)
  }
  assert.throws(
    () => schedule({ name: 'odd', when: 'sometimes', run: async () => {} }),
    /"sometimes" is not a schedule/,
  )
})

const standingClock = { ms: Date.parse('2026-03-07T10:20:30Z'), nowMs: (): number => standingClock.ms }
const silent = (): void => {}

function start(
  db: Db,
  schedules: readonly Schedule<unknown>[],
  enabled = true,
): Workers & AsyncDisposable & { scheduler: Scheduler<unknown> } {
  const scheduler = createScheduler({ db, schedules, enabled })
  const workers = startWorkers({
    db,
    jobs: [],
    scheduler,
    createContext: () => undefined,
    log: silent,
    slots: { default: 2 },
  })
  return Object.assign(workers, { scheduler, [Symbol.asyncDispose]: () => workers.stop(0) })
}

test('a task runs once at each of its times among several processes and reports its times', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, standingClock)
  standingClock.ms = Date.parse('2026-03-07T10:20:30Z')
  let runs = 0
  const task = schedule({ name: 'count_things', when: '@every 1h', run: async () => void runs++ })
  await using one = start(test.db, [task])
  await using two = start(test.db, [task])
  await one.settle()
  await two.settle()
  assert.equal(runs, 0)
  for (const expected of [1, 2]) {
    standingClock.ms += 3_600_000
    await Promise.all([one.settle(), two.settle()])
    await one.settle()
    assert.equal(runs, expected)
  }
  const [listed] = await one.scheduler.list()
  assert.deepEqual(listed, {
    name: 'count_things',
    schedule: '@every 1h',
    enabled: true,
    nextRunUnix: unixOf('2026-03-07T13:20:30Z'),
    lastRunUnix: unixOf('2026-03-07T12:20:30Z'),
    runCount: 2,
    lastError: '',
  })
})

test('a task runs once for all times missed while the server did not run', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, standingClock)
  let runs = 0
  const task = schedule({ name: 'count_things', when: '@every 1h', run: async () => void runs++ })
  const before = start(test.db, [task])
  await before.settle()
  await before.stop(0)
  standingClock.ms += 10 * 3_600_000
  await using after = start(test.db, [task])
  await after.settle()
  assert.equal(runs, 1)
  assert.equal((await after.scheduler.list())[0]?.runCount, 1)
})

test('a task with RUN_AT_START runs at the start, and a disabled task runs on request', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, standingClock)
  const ran: string[] = []
  const tasks = [
    schedule({ name: 'at_start', when: '@midnight', runAtStart: true, run: async () => void ran.push('at_start') }),
    schedule({
      name: 'switched_off',
      when: '@midnight',
      enabled: false,
      runAtStart: true,
      run: async () => void ran.push('off'),
    }),
  ]
  await using workers = start(test.db, tasks)
  await workers.settle()
  assert.deepEqual(ran, ['at_start'])
  standingClock.ms += 86_400_000
  await workers.settle()
  assert.deepEqual(ran, ['at_start', 'at_start'])
  assert.equal(await workers.scheduler.runNow('switched_off'), true)
  assert.equal(await workers.scheduler.runNow('unheard_of'), false)
  await workers.settle()
  assert.deepEqual(ran, ['at_start', 'at_start', 'off'])
  const listed = await workers.scheduler.list()
  assert.deepEqual(
    listed.map((task) => [task.name, task.enabled, task.runCount, task.nextRunUnix > standingClock.ms / 1000]),
    [
      ['at_start', true, 2, true],
      ['switched_off', false, 1, true],
    ],
  )
})

test('with schedules off, tasks are listed with their times and run only on request', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, standingClock)
  let runs = 0
  const task = schedule({ name: 'count_things', when: '@every 1h', runAtStart: true, run: async () => void runs++ })
  await using workers = start(test.db, [task], false)
  standingClock.ms += 7_200_000
  await workers.settle()
  assert.equal(runs, 0)
  assert.ok(((await workers.scheduler.list())[0]?.nextRunUnix ?? 0) > standingClock.ms / 1000)
  await workers.scheduler.runNow('count_things')
  await workers.settle()
  assert.equal(runs, 1)
})

test('a changed schedule sets a new time, as does enabling a task', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, standingClock)
  const nextWith = async (when: string, enabled: boolean): Promise<number> => {
    const workers = start(test.db, [schedule({ name: 'count_things', when, enabled, run: async () => {} })])
    await workers.settle()
    const [listed] = await workers.scheduler.list()
    await workers.stop(0)
    return (listed?.nextRunUnix ?? 0) - standingClock.ms / 1000
  }
  assert.equal(await nextWith('@every 2h', true), 7200)
  assert.equal(await nextWith('@every 1h', true), 3600)
  assert.equal(await nextWith('@every 1h', false), 3600)
  standingClock.ms += 60_000
  assert.equal(await nextWith('@every 1h', true), 3600)
})

test('a failed task is retried, and keeps its error and its failed job until it succeeds', async () => {
  await using test = await openTestDatabase()
  attachClock(test.db, standingClock)
  let isBroken = true
  let runs = 0
  const task = schedule({
    name: 'stumble',
    when: '@every 1h',
    run: async () => {
      runs += 1
      if (isBroken) throw new Error('the disk is full')
    },
  })
  await using workers = start(test.db, [task])
  await workers.scheduler.runNow('stumble')
  await workers.settle()
  assert.deepEqual([runs, (await workers.scheduler.list())[0]?.lastError], [1, 'the disk is full'])
  assert.deepEqual(
    (await listJobs(test.db, { limit: 9 })).map((row) => [row.name, row.state, row.attempt]),
    [['task.stumble', 'waiting', 1]],
  )
  for (const expected of [2, 3, 4, 5]) {
    standingClock.ms += 15 * 60_000
    await workers.settle()
    assert.equal(runs, expected)
  }
  assert.deepEqual(
    (await listJobs(test.db, { limit: 9 })).map((row) => [row.name, row.state]),
    [['task.stumble', 'failed']],
  )
  isBroken = false
  standingClock.ms += 3_600_000
  await workers.settle()
  assert.equal((await workers.scheduler.list())[0]?.lastError, '')
  assert.deepEqual(await listJobs(test.db, { limit: 9 }), [])
})

test('two tasks with the same name are a defect', async () => {
  await using test = await openTestDatabase()
  const task = schedule({ name: 'twice', when: '@midnight', run: async () => {} })
  assert.throws(() => createScheduler({ db: test.db, schedules: [task, task], enabled: true }), /two scheduled tasks/)
})
