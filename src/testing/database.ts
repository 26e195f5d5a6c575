import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { engineOf, type Db } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { migrations } from '../db/migrations/index.ts'
import { closeDatabase, openDatabase, type DatabaseOptions } from '../db/open.ts'
import { takeSqlite } from './kept-sqlite.ts'
import type { TestDatabase } from './test-database.ts'

export type { TestDatabase }

export interface TestDatabaseOptions {
  readonly isEmpty?: boolean
  readonly language?: 'en-US'
}

/** Connections per test database; a test server allows about a hundred in total. */
const maxTestConnections = 5

/**
 * Creates a migrated database for one test: PostgreSQL when `INGOT_TEST_DATABASE` names a server
 * (`postgres://user:password@host:port/database`, with a role that may create databases), otherwise SQLite in memory.
 * Disposing deletes it, or its rows.
 * @param options.isEmpty true to skip the migrations
 * @param options.language language of PostgreSQL's collation; by default that of the server
 */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = process.env['INGOT_TEST_DATABASE'] ?? ''
  return server === '' ? openSqliteTest(options) : openPostgresTest(server, options)
}

const testFolder = (): string => mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ingot-test-'))

const sqliteOptions = (file: string): DatabaseOptions => ({
  kind: 'sqlite',
  path: file,
  maxReaders: 4,
  writerWaitMs: 10_000,
  busyTimeoutMs: 10_000,
  volatile: true,
})

let sqliteTemplate: Promise<string> | undefined

async function makeSqliteTemplate(): Promise<string> {
  const folder = testFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'template.db')
  const db = openDatabase(sqliteOptions(file))
  await migrate(db)
  await closeDatabase(db)
  return file
}

async function openSqliteTest({ isEmpty = false }: TestDatabaseOptions): Promise<TestDatabase> {
  if (!isEmpty) return takeSqlite(copySqliteTemplate)
  const folder = testFolder()
  const options = sqliteOptions(path.join(folder, 'ingot.db'))
  const db = openDatabase(options)
  return {
    db,
    options,
    keep: () => Promise.reject(new Error('an empty database keeps no rows')),
    async [Symbol.asyncDispose]() {
      await closeDatabase(db)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function copySqliteTemplate(): Promise<{ readonly folder: string; readonly options: DatabaseOptions }> {
  const template = await (sqliteTemplate ??= makeSqliteTemplate())
  const folder = testFolder()
  const options = sqliteOptions(path.join(folder, 'ingot.db'))
  copyFileSync(template, path.join(folder, 'ingot.db'))
  return { folder, options }
}

const postgresOptions = (server: string, database?: string): DatabaseOptions => {
  const url = new URL(server)
  if (database !== undefined) url.pathname = `/${database}`
  return {
    kind: 'postgres',
    url: url.href,
    maxConnections: maxTestConnections,
    connectWaitMs: 10_000,
    statementTimeoutMs: 30_000,
  }
}

/** Runs statements outside transactions on the server's own database. */
async function onServer(server: string, work: (db: Db) => Promise<void>): Promise<void> {
  const db = openDatabase(postgresOptions(server))
  try {
    await work(db)
  } finally {
    await closeDatabase(db)
  }
}

const execute = (db: Db, statement: string): Promise<unknown> => sql.raw(statement).execute(engineOf(db).writer)

let postgresTemplate: Promise<string> | undefined

/** The migrated template database; its name depends on the schema, so that processes share it. */
async function makePostgresTemplate(server: string): Promise<string> {
  const form = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)
  const template = `ingot_template_${form}`
  // Created under another name and renamed, so that an existing template is always complete.
  const unfinished = `ingot_template_${randomBytes(8).toString('hex')}`
  await onServer(server, async (db) => {
    const known = await sql`select 1 from pg_database where datname = ${template}`.execute(engineOf(db).writer)
    if (known.rows.length > 0) return
    await execute(db, `create database ${unfinished}`)
    const made = openDatabase(postgresOptions(server, unfinished))
    try {
      await migrate(made)
    } finally {
      await closeDatabase(made)
    }
    try {
      await execute(db, `alter database ${unfinished} rename to ${template}`)
    } catch (error) {
      await execute(db, `drop database ${unfinished}`)
      // Another process created it at the same time.
      if (!['42P04', '23505'].includes(String((error as { code?: unknown }).code))) throw error
    }
  })
  return template
}

async function openPostgresTest(server: string, { isEmpty, language }: TestDatabaseOptions): Promise<TestDatabase> {
  const isFresh = isEmpty === true || language !== undefined
  const template = isFresh ? 'template0' : await (postgresTemplate ??= makePostgresTemplate(server))
  const collation = language === undefined ? '' : ` locale_provider icu icu_locale '${language}'`
  const database = await openPostgresCopy(server, template, collation)
  if (isFresh && !isEmpty) await migrate(database.db)
  return database
}

/** Creates a database and returns its name. Copying files takes half the processor time of logging each block of the template. */
async function createPostgres(server: string, template: string, collation = ''): Promise<string> {
  const name = `ingot_test_${randomBytes(8).toString('hex')}`
  await onServer(server, async (db) => {
    await execute(db, `create database ${name} template ${template} strategy file_copy${collation}`)
  })
  return name
}

const dropPostgres = (server: string, name: string): Promise<void> =>
  onServer(server, async (db) => {
    await execute(db, `drop database ${name} with (force)`)
  })

async function openPostgresCopy(server: string, template: string, collation?: string): Promise<TestDatabase> {
  const name = await createPostgres(server, template, collation)
  const options = postgresOptions(server, name)
  const db = openDatabase(options)
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= closeDatabase(db))
  return {
    db,
    options,
    async keep() {
      // The server copies only a database without connections.
      await close()
      const copied = await createPostgres(server, name)
      return {
        async restore(current) {
          await current[Symbol.asyncDispose]()
          return openPostgresCopy(server, copied)
        },
        [Symbol.asyncDispose]: () => dropPostgres(server, copied),
      }
    },
    async [Symbol.asyncDispose]() {
      await close()
      await dropPostgres(server, name)
    },
  }
}
