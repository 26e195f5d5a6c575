import { readFile } from 'node:fs/promises'
import { sql, type Kysely } from 'kysely'
import { builtFile } from '../lib/assets.ts'
import { engineOf, type Db, type DatabaseEngine } from './database.ts'
import { migrations, type Migration } from './migrations/index.ts'
import { textOf } from './migrations/migration.ts'
import type { Schema } from './schema.ts'

/** One lock for all replicas that start at the same time; the number only has to be ours. */
const advisoryLock = 7_746_110_293

/**
 * Brings the database to the newest form: runs each missing migration in its own transaction, in order. A migration
 * that fails leaves what was before it and stops the start. An empty database gets all of them in one, since nothing is
 * before them, and as few texts as the database takes. One that is newer than the program is refused, and left as it is.
 *
 * @param list another list than today's, as an earlier release had it
 * @returns the names of the migrations that ran
 */
export async function migrate(db: Db, list: readonly Migration[] = migrations): Promise<string[]> {
  const engine = engineOf(db)
  await sql`create table if not exists migration (name text primary key, applied_unix bigint not null)`.execute(
    engine.writer,
  )
  await takeNewNames(engine, list)
  const applied = await listApplied(engine.writer)
  const names = new Set(list.map((migration) => migration.name))
  const unknown = applied.find((name) => !names.has(name))
  if (unknown !== undefined) throw new Error(`the database was made by a newer version: it holds migration ${unknown}`)
  const missing = list.filter(({ name }) => !applied.includes(name))
  const isEmpty = applied.length === 0
  const ran: string[] = []
  for (const some of isEmpty ? [missing] : missing.map((migration) => [migration])) {
    // What all together make of an empty SQLite database, the build has found out already: `scripts/lib/first-form.mjs`.
    const kept = isEmpty && list === migrations && engine.kind === 'sqlite' ? await readFirstForm() : undefined
    ran.push(...(await alone(engine, (tx) => applyMissing(engine, tx, some, kept))))
  }
  if (engine.kind === 'postgres' && ran.length > 0 && !isEmpty) await lookThrough(engine)
  return ran
}

/** One transaction, while no other replica migrates. */
const alone = <Result>(
  { writer, kind }: DatabaseEngine,
  work: (tx: Kysely<Schema>) => Promise<Result>,
): Promise<Result> =>
  writer.transaction().execute(async (tx) => {
    if (kind === 'postgres') {
      // A million rows take their time, and so does the replica that is at it.
      await sql`set local statement_timeout = 0`.execute(tx)
      await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(tx)
    }
    return work(tx)
  })

/**
 * Has PostgreSQL look through what migrations wrote anew. It knows of no row that all see it, and finds nothing in an index
 * alone, until it has; and by itself it would not before much else has changed.
 */
const lookThrough = ({ writer }: DatabaseEngine): Promise<void> =>
  writer.connection().execute(async (connection) => {
    // As long as it takes: it can be ended by nobody else.
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`vacuum (analyze)`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
  })

const listApplied = async (db: Kysely<Schema>): Promise<string[]> =>
  (await sql<{ name: string }>`select name from migration order by name`.execute(db)).rows.map(({ name }) => name)

/** What an earlier release recorded under another name goes by today's from now on. */
async function takeNewNames(engine: DatabaseEngine, list: readonly Migration[]): Promise<void> {
  const named = list.flatMap(({ name, formerly }) => (formerly === undefined ? [] : [{ name, formerly }]))
  const isOld = new Set(named.map(({ formerly }) => formerly))
  if (!(await listApplied(engine.writer)).some((name) => isOld.has(name))) return
  await alone(engine, async (tx) => {
    for (const { name, formerly } of named) {
      await sql`update migration set name = ${name} where name = ${formerly}`.execute(tx)
    }
  })
}

const readFirstForm = (): Promise<string> => readFile(builtFile('data/first-form.sql'), 'utf8')

/**
 * Runs those that no other replica ran meanwhile; gives their names.
 * @param kept statements that make the same as all of them
 */
async function applyMissing(
  engine: DatabaseEngine,
  tx: Kysely<Schema>,
  some: readonly Migration[],
  kept: string | undefined,
): Promise<string[]> {
  const applied = await listApplied(tx)
  const missing = some.filter(({ name }) => !applied.includes(name))
  if (missing.length === 0) return []
  await engine.script(tx, kept ?? missing.map((migration) => textOf(migration, engine.kind)).join(''))
  const now = Math.floor(Date.now() / 1000)
  const rows = missing.map(({ name }) => sql`(${name}, ${now})`)
  await sql`insert into migration (name, applied_unix) values ${sql.join(rows)}`.execute(tx)
  return missing.map(({ name }) => name)
}
