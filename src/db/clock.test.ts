import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../testing/database.ts'
import { until } from '../testing/until.ts'
import { attachSharedClock, clockOf, DatabaseClock, noteDatabaseTime } from './clock.ts'
import { engineOf } from './database.ts'
import { ProcessLease } from './process-lease.ts'
import { reachDatabase } from './reach.ts'

const hourMs = 3_600_000

/** What a clock shows more than the clock of this machine. */
const aheadOf = (clock: { nowMs(): number }) => clock.nowMs() - (performance.timeOrigin + performance.now())

test('clock: it shows the time of this machine before it has read that of the database', () => {
  assert.ok(Math.abs(aheadOf(new DatabaseClock())) < 5)
})

test('clock: a reading sets it, and one that it can explain leaves it', () => {
  const clock = new DatabaseClock()
  const nowMs = performance.now()
  const databaseMs = performance.timeOrigin + nowMs + hourMs
  clock.note(databaseMs, nowMs - 10, nowMs + 10)
  const first = aheadOf(clock)
  assert.ok(Math.abs(first - hourMs) < 5, `${first}`)
  // A slow reply: the database was read somewhere within two seconds.
  clock.note(databaseMs + 900, nowMs - 1000, nowMs + 1000)
  assert.ok(Math.abs(aheadOf(clock) - first) < 5)
})

test('clock: a reading that it cannot explain moves it as little as needed', () => {
  const clock = new DatabaseClock()
  const nowMs = performance.now()
  const databaseMs = performance.timeOrigin + nowMs
  clock.note(databaseMs, nowMs, nowMs)
  clock.note(databaseMs + 500, nowMs - 100, nowMs + 100)
  assert.ok(Math.abs(aheadOf(clock) - 400) < 5)
  clock.note(databaseMs - hourMs, nowMs, nowMs)
  assert.ok(Math.abs(aheadOf(clock) + hourMs) < 5)
})

test('clock: a start and each heartbeat read the clock of the database (PostgreSQL)', async (t) => {
  await using database = await openTestDatabase()
  const { db } = database
  if (engineOf(db).kind !== 'postgres') return t.skip('SQLite has the clock of this machine')
  const clock = attachSharedClock(db)
  assert.equal(clockOf(db), clock)
  const shift = (ms: number) => noteDatabaseTime(db, performance.timeOrigin + performance.now() + ms, performance.now())
  shift(hourMs)
  assert.ok(Math.abs(aheadOf(clock) - hourMs) < 500)
  await reachDatabase(db, { retries: 1, backoffMs: 0, log: () => undefined })
  assert.ok(Math.abs(aheadOf(clock)) < 500)
  const lease = new ProcessLease({ db, log: () => undefined, leaseMs: 200 })
  await lease.id()
  shift(-hourMs)
  await until(() => Math.abs(aheadOf(clock)) < 500)
  await lease.close()
})
