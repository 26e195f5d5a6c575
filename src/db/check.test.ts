import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { findDatabaseDamage } from './check.ts'
import { engineOf } from './database.ts'
import { closeDatabase, openDatabase } from './open.ts'

test('a full-text index that another process has changed is no damage', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-check-'))
  const path = join(folder, 'words.db')
  const db = openDatabase({ kind: 'sqlite', path, maxReaders: 1, writerWaitMs: 1000, busyTimeoutMs: 1000 })
  try {
    const { writer } = engineOf(db)
    await sql`create virtual table words using fts5(content)`.execute(writer)
    for (let row = 0; row < 50; row++) await sql`insert into words values (${`word${row}`})`.execute(writer)
    assert.deepEqual(await findDatabaseDamage(db), [])
    const other = new Sqlite(path)
    other.exec('delete from words')
    for (let row = 0; row < 50; row++) other.exec(`insert into words values ('other${row}')`)
    other.exec("insert into words (words) values ('optimize')")
    other.close()
    assert.deepEqual(await findDatabaseDamage(db), [])
  } finally {
    await closeDatabase(db)
    rmSync(folder, { recursive: true, force: true })
  }
})
