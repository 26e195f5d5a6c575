import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { examined } from '../testing/doctor.ts'
import { startForge, type Forge } from '../testing/forge.ts'
import { transaction, type Db } from './database.ts'
import { migrations } from './migrations/index.ts'
import { databaseKind } from './open.ts'

/** What a newer version leaves: its migration, columns, a table, a job and an event of its own. */
async function leaveNewerVersion(db: Db): Promise<void> {
  const number = (migrations.at(-1)?.number ?? 0) + 1
  const statements = [
    `insert into migration (number, name, requires, applied_unix) values (${number}, 'later', ${number - 1}, 0)`,
    ...['issue', 'repo', '"user"', 'job', 'event', 'git_ref', 'webhook_delivery'].map(
      (table) => `alter table ${table} add column later text not null default 'later'`,
    ),
    'create table later (id bigint primary key, repo_id bigint not null references repo (id) on delete cascade)',
    `insert into job (name, input, pool, priority, max_attempts, run_at_ms, state, created_unix, updated_unix)
      values ('laterJob', '{}', 'default', 10, 5, 0, 'waiting', 0, 0)`,
    `insert into event (name, version, repo_id, data, at_ms)
      select 'issue.teleported', 1, id, '{}', 0 from repo`,
  ]
  await transaction(db, async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
}

/** Works with a repository, whose lists and feeds may have rows of another version. */
async function work(forge: Forge, name: string): Promise<void> {
  const alice = forge.as('alice')
  const api = '/repos/alice/both'
  const { json: issue } = await alice.must('POST', `${api}/issues`, { title: name })
  await alice.must('POST', `${api}/issues/${issue.number}/comments`, { body: 'a comment' })
  await alice.must('POST', `${api}/contents/${name}`, { content: Buffer.from(name).toString('base64'), branch: 'main' })
  await alice.must('GET', `${api}/events?after=oldest`)
  await forge.as('root').must('GET', '/admin/events/log?after=0&limit=50')
  await forge.as('root').must('GET', '/admin/jobs')
  for (const path of ['', '/issues', `/issues/${issue.number}`, '/commits/branch/main']) {
    const page = await fetch(`${forge.url}/alice/both${path}`)
    assert.equal(page.status, 200, `${path}: ${await page.text()}`)
  }
}

test('two versions: a running program and one that starts work on the schema and rows of a newer version (PostgreSQL)', async (context) => {
  await using database = await openTestDatabase()
  if (databaseKind(database.db) !== 'postgres') return context.skip('SQLite has one process')
  const folder = mkdtempSync(join(tmpdir(), 'ingot-versions-'))
  const start = (name: string) =>
    startForge({
      users: ['alice'],
      database: database.options,
      dataFolder: join(folder, name),
      settings: {
        repository: { STORAGE: 'blobs' },
        storage: { PATH: join(folder, 'storage') },
        security: { SECRET_KEY: 'a key of both' },
      },
    })
  try {
    await using running = await start('one')
    await running.as('alice').must('POST', '/user/repos', { name: 'both', auto_init: true, default_branch: 'main' })
    for (let time = 0; time < 6; time++) await work(running, `before-${time}`)
    await leaveNewerVersion(database.db)
    await work(running, 'after')
    await using started = await start('two')
    await work(started, 'started')
    await running.settle()
    await started.settle()
    const later = await database.db.selectFrom('job').select('state').where('name', '=', 'laterJob').execute()
    assert.deepEqual(later, [{ state: 'waiting' }], 'the job waits for the newer version')
    assert.deepEqual(await examined(started.services), [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
