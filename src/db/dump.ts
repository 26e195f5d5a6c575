import { CompiledQuery, sql, type RawBuilder } from 'kysely'
import { bytewise } from './bytewise.ts'
import { engineBehind, snapshot, type Db } from './database.ts'
import { allTables } from './schema.ts'
import type { Table } from './table.ts'

/**
 * Rows as values of JSON, which are the same for both databases: numbers, texts, true, false and null. Bytes are
 * hexadecimal. `load.ts` reads them.
 */

/** Tables whose rows mean nothing to another database: processes, and what belongs to the storage of this instance. */
const leftOut: ReadonlySet<string> = new Set(['process', 'backup_pin', 'git_pack', 'repo_archive'])

export interface DumpedColumn {
  readonly name: string
  readonly type: 'number' | 'text' | 'boolean' | 'bytes'
}

/** A table with its columns in the order of the values of a row. */
export interface DumpedTable {
  readonly name: string
  readonly columns: readonly DumpedColumn[]
  /** The columns of the primary key, which order the rows: numbers by value, texts by their bytes. */
  readonly key: readonly string[]
}

export type DumpedValue = number | string | boolean | null
export type DumpedRow = readonly DumpedValue[]

const typeOf = {
  '{id}': 'number',
  bigint: 'number',
  integer: 'number',
  text: 'text',
  boolean: 'boolean',
  bytea: 'bytes',
} as const

/** Returns the tables of a database, a table after those that it references. */
export function dumpedTables(db: Db): readonly DumpedTable[] {
  const { kind } = engineBehind(db)
  return Object.entries<Table>(allTables)
    .filter(([name]) => !leftOut.has(name))
    .map(([name, table]) => dumpedTable(name, table, kind))
}

function dumpedTable(name: string, { columns, options }: Table, kind: 'sqlite' | 'postgres'): DumpedTable {
  const stored = Object.entries(columns).filter(
    ([
      ,
      {
        sql: { rest = '', isOnPostgresOnly = false },
      },
    ]) => !rest.startsWith('generated') && (kind === 'postgres' || !isOnPostgresOnly),
  )
  const own = stored.filter(([, declared]) => declared.sql.type === '{id}' || declared.sql.key === 'primary key')
  const all = stored.map(([column]) => column)
  return {
    name,
    columns: stored.map(([column, declared]) => ({ name: column, type: typeOf[declared.sql.type] })),
    // A table without a primary key has no equal rows.
    key: options.primaryKey ?? (own.length > 0 ? own.map(([column]) => column) : all),
  }
}

/** The manifest of packs, whose rows belong to the storage that has the packs. */
export const packTable = dumpedTable('git_pack', allTables.git_pack, 'sqlite')

/** Number of rows that PostgreSQL returns together. */
const fetchedRows = 200

/** A snapshot of the database that stands still while files are written. */
export interface Dump {
  readonly tables: readonly DumpedTable[]
  readonly migrations: readonly { readonly number: number; readonly name: string }[]
  /** Yields the rows of a table in the order of its key. */
  rows(table: DumpedTable): AsyncIterable<DumpedRow>
  /** The last id of each table that counts its ids, and of `event_position` on PostgreSQL. */
  readonly counters: Readonly<Record<string, number>>
}

/**
 * Runs `work` with a snapshot of the database. It keeps one connection, and no writer waits for it: SQLite keeps its
 * write-ahead log, PostgreSQL the row versions, until `work` ends.
 */
export const dump = <Result>(db: Db, work: (dump: Dump) => Promise<Result>): Promise<Result> =>
  snapshot(db, async (still) => {
    const { kind } = engineBehind(still)
    if (kind === 'postgres') {
      await run(still, 'set transaction read only')
      for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
        await run(still, `set local ${setting} = 0`)
      }
    }
    const tables = dumpedTables(still)
    return work({
      tables,
      migrations: (
        await sql<{ number: number; name: string }>`select number, name from migration order by number`.execute(still)
      ).rows,
      rows: (table) => readRows(still, table),
      counters: await readCounters(still, tables),
    })
  })

const run = (db: Db, statement: string) => sql.raw(statement).execute(db)

async function* readRows(still: Db, { name, columns, key }: DumpedTable): AsyncGenerator<DumpedRow> {
  const order = key.map((column) => {
    const isText = columns.some((each) => each.name === column && each.type === 'text')
    const value = isText ? bytewise(still, sql.ref<string>(column)) : sql.ref(column)
    // Columns of a primary key are not null. Their index has the order without this rule.
    return key.length < columns.length ? value : sql`${value} nulls first`
  })
  const query = sql<Record<string, unknown>>`select ${sql.join(columns.map((column) => sql.ref(column.name)))}
    from ${sql.table(name)} order by ${sql.join(order)}`
  for await (const row of streamed(still, query, name)) yield columns.map((column) => portable(row[column.name]))
}

/** Yields the rows of a query without holding all of them in memory. */
async function* streamed(
  still: Db,
  query: RawBuilder<Record<string, unknown>>,
  name: string,
): AsyncGenerator<Record<string, unknown>> {
  if (engineBehind(still).kind === 'sqlite') {
    const compiled = CompiledQuery.raw(query.compile(still).sql)
    for await (const { rows } of still.getExecutor().stream(compiled, 1)) yield* rows as Record<string, unknown>[]
    return
  }
  // A statement of its own for each table: statements that are prepared keep their columns.
  const cursor = sql.ref(`dumped_${name}`)
  await sql`declare ${cursor} no scroll cursor for ${query}`.execute(still)
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each call returns the rows after the previous ones
    const { rows } = await sql<Record<string, unknown>>`fetch ${sql.lit(fetchedRows)} from ${cursor}`.execute(still)
    if (rows.length === 0) break
    yield* rows
  }
  await sql`close ${cursor}`.execute(still)
}

const portable = (value: unknown): DumpedValue =>
  Buffer.isBuffer(value) ? value.toString('hex') : (value as DumpedValue)

async function readCounters(still: Db, tables: readonly DumpedTable[]): Promise<Record<string, number>> {
  const names = new Set(tables.map(({ name }) => name))
  const { rows } =
    engineBehind(still).kind === 'sqlite'
      ? await sql<{ name: string; last: number }>`select name, seq as last from sqlite_sequence order by name`.execute(
          still,
        )
      : await sql<{ name: string; last: number }>`
          select regexp_replace(sequencename, '_id_seq$', '') as name, last_value as last from pg_sequences
          where schemaname = current_schema() and last_value is not null order by 1`.execute(still)
  return Object.fromEntries(
    rows
      .filter(({ name, last }) => last > 0 && (names.has(name) || name === 'event_position'))
      .map(({ name, last }) => [name, last]),
  )
}
