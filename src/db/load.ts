import { sql, type QueryExecutorProvider } from 'kysely'
import { engineOf, type Db, type DatabaseEngine } from './database.ts'
import type { DumpedColumn, DumpedTable } from './dump.ts'
import { createFilled } from './migrate.ts'
import { migrations, type Migration } from './migrations/index.ts'
import { textOf } from './migrations/migration.ts'
import { rewriting } from './schema/baseline.ts'

/** Rows of a table: JSON arrays of the values in the order of the columns, separated by commas. */
export type RowsText = string

export interface Filling {
  /** Number of the newest migration of the rows. */
  readonly migration: number
  readonly tables: readonly DumpedTable[]
  rows(table: DumpedTable): AsyncIterable<RowsText>
  readonly counters: Readonly<Record<string, number>>
}

/** The database cannot hold the rows. The message ends with the reason. */
export class UnfitRows extends Error {
  override readonly name = 'UnfitRows'
}

/**
 * Fills an empty database in one transaction: a failure leaves it empty. The rows are as they were given: no trigger runs.
 * @throws UnfitRows
 */
export async function load(db: Db, filling: Filling, list: readonly Migration[] = migrations): Promise<void> {
  const engine = engineOf(db)
  const known = list.filter(({ number }) => number <= filling.migration)
  await createFilled(db, known, async (tx) => {
    const resume = engine.kind === 'sqlite' ? await suspendSqlite(engine, tx) : await suspendPostgres(engine, tx)
    for (const table of filling.tables) await loadTable(engine, tx, table, filling.rows(table))
    await setCounters(engine, tx, filling)
    await engine.script(tx, textOf(rewriting(), engine.kind))
    await resume()
  })
}

async function loadTable(
  engine: DatabaseEngine,
  tx: QueryExecutorProvider,
  { name, columns }: DumpedTable,
  rows: AsyncIterable<RowsText>,
): Promise<void> {
  const present = await columnsOf(engine, tx, name)
  const missing = columns.find((column) => !present.has(column.name) && column.name !== 'position')
  if (missing) throw new UnfitRows(`this version has no column "${missing.name}" of the table "${name}"`)
  const taken = columns.map((column, index) => ({ column, index })).filter(({ column }) => present.has(column.name))
  // What the schema itself inserted is in the rows.
  await sql`delete from ${sql.table(name)}`.execute(tx)
  const values = taken.map(({ column, index }) => valueOf(engine, column, index))
  for await (const text of rows) {
    const array = `[${text}]`
    const given = engine.kind === 'sqlite' ? sql`json_each(${array})` : sql`jsonb_array_elements(${array}::jsonb)`
    try {
      await sql`insert into ${sql.table(name)} (${sql.join(taken.map(({ column }) => sql.ref(column.name)))})
        select ${sql.join(values)} from ${given} as given`.execute(tx)
    } catch (error) {
      if (!isAboutValues(error)) throw error
      throw new UnfitRows(`a row does not fit into the table "${name}": ${(error as Error).message}`, { cause: error })
    }
  }
}

/** Whether an error is one of the rows: a value, a constraint or a missing column. */
function isAboutValues(error: unknown): boolean {
  const code = String((error as { readonly code?: unknown } | null)?.code)
  return /^(?:2[23]|42)/.test(code) || code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_ERROR'
}

async function columnsOf({ kind }: DatabaseEngine, tx: QueryExecutorProvider, table: string): Promise<Set<string>> {
  const { rows } =
    kind === 'sqlite'
      ? await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(tx)
      : await sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table}`.execute(tx)
  if (rows.length === 0) throw new UnfitRows(`this version has no table "${table}"`)
  return new Set(rows.map(({ name }) => name))
}

/** The value of a column in a JSON array. */
function valueOf({ kind }: DatabaseEngine, { type }: DumpedColumn, index: number) {
  if (kind === 'sqlite') {
    const value = sql`given.value ->> ${sql.lit(index)}`
    return type === 'bytes' ? sql`unhex(${value})` : value
  }
  const value = sql`given.value ->> ${sql.lit(index)}`
  if (type === 'bytes') return sql`decode(${value}, 'hex')`
  return type === 'text' ? value : sql`(${value})::${sql.raw(type === 'boolean' ? 'boolean' : 'bigint')}`
}

/** Sets the counters of ids, so that no id is used twice, and the positions of events. */
async function setCounters(
  { kind }: DatabaseEngine,
  tx: QueryExecutorProvider,
  { tables, counters }: Filling,
): Promise<void> {
  const names = Object.keys(counters).filter((name) => tables.some((table) => table.name === name))
  if (kind === 'sqlite') {
    for (const name of names) {
      await sql`delete from sqlite_sequence where name = ${name}`.execute(tx)
      await sql`insert into sqlite_sequence (name, seq) values (${name}, ${counters[name]})`.execute(tx)
    }
    return
  }
  for (const name of names) {
    await sql`select setval(pg_get_serial_sequence(${`"${name}"`}, 'id'), ${counters[name]})`.execute(tx)
  }
  // On SQLite an id is the position of its event.
  const isFromSqlite = counters['event_position'] === undefined
  if (isFromSqlite) await sql`update event set position = id`.execute(tx)
  const position = counters['event_position'] ?? counters['event'] ?? 0
  if (position > 0) await sql`select setval('event_position', ${position})`.execute(tx)
}

/** Removes triggers and indexes until the rows are there. Returns what brings them back. */
async function suspendSqlite(engine: DatabaseEngine, tx: QueryExecutorProvider): Promise<() => Promise<void>> {
  await sql`pragma defer_foreign_keys = on`.execute(tx)
  const { rows } = await sql<{ type: string; name: string; text: string }>`select type, name, sql as text
    from sqlite_master where type in ('trigger', 'index') and sql is not null`.execute(tx)
  await engine.script(tx, rows.map(({ type, name }) => `drop ${type} "${name}";\n`).join(''))
  return () => engine.script(tx, rows.map(({ text }) => `${text};\n`).join(''))
}

/** Turns triggers off and removes foreign keys until the rows are there. Returns what brings them back. */
async function suspendPostgres(engine: DatabaseEngine, tx: QueryExecutorProvider): Promise<() => Promise<void>> {
  // The rows come from files, which may be slow, and nobody else waits for this database.
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = current_schema()`.execute(tx)
  const { rows: keys } = await sql<{ table: string; name: string; text: string }>`
    select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as text
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(tx)
  const turn = (how: 'disable' | 'enable'): string =>
    tables.map(({ name }) => `alter table ${name} ${how} trigger user;\n`).join('')
  await engine.script(
    tx,
    turn('disable') + keys.map(({ table, name }) => `alter table ${table} drop constraint ${name};\n`).join(''),
  )
  return () =>
    engine.script(
      tx,
      keys.map(({ table, name, text }) => `alter table ${table} add constraint ${name} ${text};\n`).join('') +
        turn('enable'),
    )
}
