import assert from 'node:assert/strict'
import fs, { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { Unavailable } from '../lib/errors.ts'
import { until } from '../testing/until.ts'
import { transaction, type Db } from './database.ts'
import { migrate } from './migrate.ts'
import { closeDatabase, openDatabase } from './open.ts'

const options = { kind: 'sqlite', maxReaders: 2, writerWaitMs: 5000, busyTimeoutMs: 5000 } as const

/** Calls `use` with a new SQLite database. */
async function withDatabase(use: (db: Db) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-wal-'))
  const db = openDatabase({ ...options, path: join(folder, 'a.db') })
  try {
    await migrate(db)
    await use(db)
  } finally {
    await closeDatabase(db)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces the sync of files by `sync`. */
function replaceSync(t: TestContext, sync: (done: (error: Error | null) => void) => void): void {
  const { fdatasync } = fs
  fs.fdatasync = ((_descriptor: number, done: (error: Error | null) => void) => sync(done)) as typeof fdatasync
  syncBuiltinESMExports()
  t.after(() => {
    fs.fdatasync = fdatasync
    syncBuiltinESMExports()
  })
}

let count = 0
const write = (db: Db): Promise<void> =>
  transaction(db, async (tx) => {
    await sql`insert into instance_value (name, value) values (${`row ${++count}`}, '')`.execute(tx)
  })

const read = (db: Db): Promise<unknown> => transaction(db, (tx) => sql`select * from instance_value`.execute(tx))

test('a commit returns after the log is synced, and concurrent writers share one sync', async (t) => {
  await withDatabase(async (db) => {
    await write(db)
    const syncs: ((error: Error | null) => void)[] = []
    replaceSync(t, (done) => syncs.push(done))
    const finished: string[] = []
    const tell = (name: string) => (): void => void finished.push(name)
    const first = write(db).then(tell('first'))
    await until(() => syncs.length === 1)
    const others = Array.from({ length: 20 }, (_, index) => write(db).then(tell(`other ${index}`)))
    // A read waits for the sync of the commits that it may have seen.
    const reader = read(db).then(tell('reader'))
    await until(() => count === 22)
    assert.deepEqual([finished, syncs.length], [[], 1])
    syncs[0]?.(null)
    await first
    await until(() => syncs.length === 2)
    assert.deepEqual(finished, ['first'])
    syncs[1]?.(null)
    await Promise.all([...others, reader])
    assert.deepEqual([finished.length, syncs.length], [22, 2])
    // A read without unsynced commits does not wait.
    await read(db)
    assert.equal(syncs.length, 2)
  })
})

test('each write after a failed sync is refused, because the disk may have lost earlier writes', async (t) => {
  await withDatabase(async (db) => {
    let fails = true
    replaceSync(t, (done) => setImmediate(done, fails ? new Error('EIO') : null))
    const isRefused = (error: unknown): boolean => error instanceof Unavailable && error.code === 'database_disk_failed'
    const results = await Promise.allSettled([write(db), write(db), write(db)])
    assert.ok(results.every((result) => result.status === 'rejected' && isRefused(result.reason)))
    fails = false
    await assert.rejects(write(db), isRefused)
  })
})
