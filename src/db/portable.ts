import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db, Tx } from './database.ts'
import { databaseKind } from './open.ts'

/*
 * SQL that SQLite and PostgreSQL write or plan differently. Stores use these functions; only `src/db` asks which database
 * it talks to. Row locks need no function: SQLite has one writer, and its compiler leaves `forUpdate()` and the like out.
 */

/** Returns a row lock for a statement written as text, such as `update skip locked`; empty on SQLite. */
export const rowLock = (tx: Tx, lock: 'key share of repo' | 'update skip locked'): RawBuilder<unknown> =>
  databaseKind(tx) === 'postgres' ? sql.raw(`for ${lock}`) : sql``

/**
 * Keeps other transactions that take the same lock waiting until this one ends. SQLite has one writer and needs no lock.
 * @param key distinguishes the lock from the other advisory locks of the server
 */
export async function takeAdvisoryLock(tx: Tx, key: number): Promise<void> {
  if (databaseKind(tx) === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(key)})`.execute(tx)
}

/** As `takeAdvisoryLock`, one lock for each name. All callers take them in the same order, so none deadlocks. */
export async function takeNamedLocks(tx: Tx, key: number, names: readonly string[]): Promise<void> {
  if (names.length === 0 || databaseKind(tx) === 'sqlite') return
  await sql`select pg_advisory_xact_lock(${sql.lit(key)}, wanted.hash) from (
    select distinct hashtext(value) as hash from json_array_elements_text(${JSON.stringify(names)}::json)
    order by 1) as wanted`.execute(tx)
}

/** As `takeNamedLocks`, without waiting. Returns the names whose locks no other transaction has. */
export async function tryNamedLocks(tx: Tx, key: number, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0 || databaseKind(tx) === 'sqlite') return names
  const { rows } = await sql<{ name: string; is_taken: boolean }>`select value as name,
    pg_try_advisory_xact_lock(${sql.lit(key)}, hashtext(value)) as is_taken
    from json_array_elements_text(${JSON.stringify(names)}::json)`.execute(tx)
  return rows.filter(({ is_taken }) => is_taken).map(({ name }) => name)
}

/** Returns a column whose indexes SQLite does not use. PostgreSQL chooses the index by its statistics. */
export const withoutIndex = <Value>(db: Db | Tx, column: string): RawBuilder<Value> =>
  databaseKind(db) === 'sqlite' ? sql<Value>`+${sql.ref(column)}` : sql.ref<Value>(column)

/**
 * Returns what ends a subquery that PostgreSQL must run as written: without it the planner merges the subquery into the
 * outer query and may choose a far worse order. Empty on SQLite.
 */
export const fence = (db: Db | Tx): RawBuilder<unknown> => (databaseKind(db) === 'postgres' ? sql`offset 0` : sql``)

/**
 * Returns whether a value is among the few ids of a query. PostgreSQL cannot estimate how many ids a query returns and
 * might read the whole table; it takes an array to be short.
 */
export const isAmong = (db: Db | Tx, value: Expression<unknown>, ids: Expression<unknown>): RawBuilder<SqlBool> =>
  databaseKind(db) === 'sqlite' ? sql<SqlBool>`${value} in ${ids}` : sql<SqlBool>`${value} = any(array${ids})`

/** Returns the elements of a JSON array as a table with the column `value`, whose members `->>` returns. */
export const jsonRows = (db: Db, text: string): RawBuilder<unknown> =>
  databaseKind(db) === 'sqlite' ? sql`json_each(${text})` : sql`json_array_elements(${text}::json)`

/** Returns the texts of a JSON array as a table with the column `value`. */
export const jsonTexts = (db: Db | Tx, text: string): RawBuilder<unknown> =>
  databaseKind(db) === 'sqlite' ? sql`json_each(${text})` : sql`json_array_elements_text(${text}::json)`

/** Returns a member of a JSON object in a text column, as an integer. */
export const jsonInteger = (db: Db | Tx, column: string, member: string): RawBuilder<number> =>
  databaseKind(db) === 'sqlite'
    ? sql<number>`json_extract(${sql.ref(column)}, ${sql.lit(`$.${member}`)})`
    : sql<number>`(${sql.ref(column)}::json ->> ${sql.lit(member)})::bigint`

/** Returns a JSON object in a text column with some of its members set to the empty text, where it has them. */
export const withEmptyMembers = (db: Db | Tx, column: string, members: readonly string[]): RawBuilder<string> =>
  databaseKind(db) === 'sqlite'
    ? sql<string>`json_replace(${sql.ref(column)}, ${sql.join(
        members.flatMap((member) => [sql.lit(`$.${member}`), sql.lit('')]),
      )})`
    : sql<string>`(select json_object_agg(key, case when key in (${sql.join(members)}) then '""'::json else value end)
        from json_each(${sql.ref(column)}::json))::text`

/** Returns whether a full-text table matches a query, which each database has in its own language. */
export const matchesText = (
  db: Db,
  table: string,
  { fts5, tsquery }: { readonly fts5: string; readonly tsquery: RawBuilder<unknown> },
): RawBuilder<SqlBool> =>
  databaseKind(db) === 'postgres' ? sql<SqlBool>`words @@ ${tsquery}` : sql<SqlBool>`${sql.table(table)} match ${fts5}`

/**
 * Returns whether the text of a known row is looked up cheaply: 3 µs on PostgreSQL, 70 µs in FTS5, which in turn returns the
 * matches of a word one by one, while PostgreSQL first gathers all of them.
 */
export const looksUpTexts = (db: Db): boolean => databaseKind(db) === 'postgres'

type Committed = 'event' | 'audit_entry'

/**
 * Returns the column that orders rows by their commits. SQLite has one writer, so ids are in this order. PostgreSQL assigns
 * ids before commits; the column `position` is filled in after them.
 */
export const commitPosition = <Position>(db: Db | Tx, table: Committed) =>
  sql.ref<Position>(`${table}.${databaseKind(db) === 'sqlite' ? 'id' : 'position'}`)

/** Returns whether committed rows still lack their position. */
export const hasRowsWithoutPosition = (db: Db | Tx, table: Committed): RawBuilder<boolean | number> =>
  databaseKind(db) === 'sqlite'
    ? sql<number>`false`
    : sql<boolean>`exists (select 1 from ${sql.table(table)} as fresh where fresh.position is null)`
