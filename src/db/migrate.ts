import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type QueryExecutorProvider } from 'kysely'
import type { Log } from '../lib/log.ts'
import { engineOf, type Db, type DatabaseEngine } from './database.ts'
import { migrations, type Migration } from './migrations/index.ts'
import { textOf } from './migrations/migration.ts'

/** Code of PostgreSQL for a statement that waited too long for a lock. */
const lockNotAvailable = '55P03'

/** Key of the advisory lock for replicas that start at the same time. The number is arbitrary. */
const advisoryLock = 7_746_110_293

/**
 * Longest wait of a statement for a table, in milliseconds. A backup keeps its tables for hours, and every query of a table
 * waits behind a migration that waits for it.
 */
const longestTableWaitMs = 3000

/** Pause in which queries go on, before a migration tries again, in milliseconds. */
const tableWaitPauseMs = 5000

/**
 * Brings the database to the newest schema: runs each missing migration in a transaction of its own, in order. A migration
 * that fails changes nothing and stops the start. A database with migrations of a newer version is used as it is, unless one
 * of them requires that version.
 *
 * @param list the migrations that the program has
 * @param log hears of migrations that wait for a table in use
 * @returns the names of the migrations that ran
 * @throws Error when the database requires a newer version
 */
export async function migrate(db: Db, list: readonly Migration[] = migrations, log: Log = () => {}): Promise<string[]> {
  const engine = engineOf(db)
  await hasTables(db)
  const applied = await alone(engine, async (tx) => {
    await createTable(tx)
    return listApplied(tx)
  })
  refuseNewer(applied, list)
  const ran: string[] = []
  for (const migration of list) {
    if (applied.some(({ number }) => number === migration.number)) continue
    // oxlint-disable-next-line no-await-in-loop -- each migration changes the schema that the one before left
    if (await applyMissing(engine, migration, log)) ran.push(migration.name)
  }
  if (engine.kind === 'postgres' && ran.length > 0 && applied.length > 0) await vacuum(engine)
  return ran
}

function refuseNewer(applied: Awaited<ReturnType<typeof listApplied>>, list: readonly Migration[]): void {
  const newest = list.at(-1)?.number ?? 0
  const tooNew = applied.find(({ requires }) => requires > newest)
  if (!tooNew) return
  throw new Error(`the database requires a newer version of the program: migration ${tooNew.number} (${tooNew.name})`)
}

/**
 * Refuses what a start refuses of a database, and changes nothing.
 * @returns whether its tables are those of this version
 * @throws Error with what to do
 */
export async function checkDatabase(db: Db, list: readonly Migration[] = migrations): Promise<boolean> {
  if (!(await hasTables(db))) return false
  const applied = await listApplied(engineOf(db).reader)
  refuseNewer(applied, list)
  return list.every(({ number }) => applied.some((each) => each.number === number))
}

/**
 * Returns whether a database has tables of this program, of any version.
 * @throws Error with what to do when it has tables of another program
 */
export async function hasTables(db: Db): Promise<boolean> {
  const { kind, reader } = engineOf(db)
  const { rows } =
    kind === 'sqlite'
      ? await sql<{ name: string }>`
          select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name`.execute(reader)
      : await sql<{ name: string }>`
          select tablename as name from pg_tables where schemaname = current_schema() order by tablename`.execute(
          reader,
        )
  const names = rows.map(({ name }) => name)
  // Extensions of PostgreSQL have tables as well, so a table of an own name shows another program there.
  const [foreign] = kind === 'sqlite' ? names : names.filter((name) => name === 'user' || name === 'repository')
  if (foreign === undefined || names.includes('migration')) return names.includes('migration')
  throw new Error(
    `the database belongs to another program: it has a table "${foreign}"; name another with [database].${kind === 'sqlite' ? 'PATH' : 'NAME'} or --data`,
  )
}

interface Applied {
  readonly number: number
  readonly name: string
  readonly requires: number
}

const listApplied = async (db: QueryExecutorProvider): Promise<Applied[]> =>
  (await sql<Applied>`select number, name, requires from migration order by number`.execute(db)).rows

/** Runs a transaction under the lock of schema changes. PostgreSQL has no safe `create … if not exists` without it. */
const alone = <Result>(
  { writer, kind }: DatabaseEngine,
  work: (tx: QueryExecutorProvider) => Promise<Result>,
): Promise<Result> =>
  writer.transaction().execute(async (tx) => {
    if (kind === 'postgres') {
      // Without a statement timeout: a migration, and waiting for the replica that runs it, may take long.
      await sql`set local statement_timeout = 0`.execute(tx)
      await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(tx)
    }
    return work(tx)
  })

/** Applies a migration, again until no other transaction keeps its tables; false when another replica has applied it. */
async function applyMissing(engine: DatabaseEngine, migration: Migration, log: Log): Promise<boolean> {
  for (;;) {
    try {
      return await alone(engine, async (tx) => {
        if ((await listApplied(tx)).some((applied) => applied.number === migration.number)) return false
        if (engine.kind === 'postgres') await sql`set local lock_timeout = ${sql.lit(longestTableWaitMs)}`.execute(tx)
        await apply(engine, tx, migration)
        return true
      })
    } catch (error) {
      if ((error as { readonly code?: unknown } | null)?.code !== lockNotAvailable) throw error
      log(
        'warn',
        'a migration waits for a table that another transaction keeps, such as that of a backup; trying again',
        {
          migration: migration.name,
        },
      )
    }
    await sleep(tableWaitPauseMs)
  }
}

const createTable = (tx: QueryExecutorProvider): Promise<unknown> =>
  sql`create table if not exists migration (
    number bigint primary key, name text not null, requires bigint not null, applied_unix bigint not null
  )`.execute(tx)

async function apply(
  engine: DatabaseEngine,
  tx: QueryExecutorProvider,
  { number, name, requires, statements }: Migration,
): Promise<void> {
  await engine.script(tx, textOf(statements, engine.kind))
  const now = Math.floor(Date.now() / 1000)
  await sql`insert into migration (number, name, requires, applied_unix)
    values (${number}, ${name}, ${requires}, ${now})`.execute(tx)
}

/**
 * Fills an empty database in one transaction: creates the schema that a list of migrations makes, and runs `work`.
 * A failure leaves the database empty.
 */
export async function createFilled(
  db: Db,
  list: readonly Migration[],
  work: (tx: QueryExecutorProvider) => Promise<void>,
): Promise<void> {
  const engine = engineOf(db)
  await alone(engine, async (tx) => {
    await createTable(tx)
    for (const migration of list) await apply(engine, tx, migration)
    await work(tx)
  })
  await engine.lasting()
  if (engine.kind === 'postgres') await vacuum(engine)
}

/** Vacuums the rows that migrations wrote, without which PostgreSQL cannot use index-only scans. */
const vacuum = ({ writer }: DatabaseEngine): Promise<void> =>
  writer.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`vacuum (analyze)`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  })
