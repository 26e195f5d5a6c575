import { NoResultError, type Kysely, type QueryExecutorProvider } from 'kysely'
import type { Schema } from './schema.ts'

const internals = Symbol('database internals')

/** The state of an open transaction. */
interface TxState {
  readonly engine: DatabaseEngine
  readonly beforeCommit: (() => Promise<void>)[]
  readonly lastBeforeCommit: (() => Promise<void>)[]
  readonly afterCommit: (() => void)[]
}

/** A short message between processes of one database; see `notify.ts`. */
export interface Broadcast {
  readonly channel: string
  readonly payload: string
}

/** Receives the broadcasts of other processes. */
export interface BroadcastReceiver {
  heard(broadcast: Broadcast): void
  /** The connection was opened; earlier messages may be lost. */
  missed(): void
}

interface Engine {
  /** For queries outside transactions. */
  readonly reader: Kysely<Schema>
  /** For transactions; on SQLite the one writing connection. */
  readonly writer: Kysely<Schema>
  /** Runs the statements of a text in order, in the open transaction of `writer`. */
  script(tx: QueryExecutorProvider, text: string): Promise<void>
  /** Resolves when all previous commits are durable. */
  lasting(): Promise<void>
  /** Returns whether the transaction may be retried (serialization failure, deadlock, outdated plan). */
  isRetryable(error: unknown): boolean
  /** Notifies other processes at the commit; does nothing on SQLite. */
  broadcast(tx: Tx, broadcasts: readonly Broadcast[]): Promise<void>
  /** Starts to receive broadcasts; called once. */
  receive(receiver: BroadcastReceiver): void
  /** Frees memory that only speeds up later queries. */
  trim(): void
  close(): Promise<void>
}

/** A parameter of a prepared statement. */
export type Parameter = string | number | boolean | null

export interface PreparedStatement {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

/** Statements that are prepared once and run together. */
export interface StatementGroup {
  readonly texts: readonly string[]
}

/** SQLite runs in this thread. */
export interface SqliteEngine extends Engine {
  readonly kind: 'sqlite'
  prepare: (texts: readonly string[]) => StatementGroup
  /** Returns the rows of each statement of a group. Calls of one turn read one state of the database. */
  askPrepared: (
    group: StatementGroup,
    parameters: readonly (readonly Parameter[])[],
  ) => Promise<readonly (readonly object[])[]>
}

/** PostgreSQL is reached over connections; related queries go out together. */
export interface PostgresEngine extends Engine {
  readonly kind: 'postgres'
  /** For heartbeats: a connection that no other work takes. */
  readonly beater: Kysely<Schema>
  /** Returns the columns of the result row of a statement that is prepared once under this name. */
  askPrepared: (name: string, statement: PreparedStatement) => Promise<readonly string[]>
}

/** The engine behind `Db`. */
export type DatabaseEngine = SqliteEngine | PostgresEngine

type ReadMethods =
  | 'selectFrom'
  | 'selectNoFrom'
  | 'with'
  | 'withRecursive'
  | 'fn'
  | 'dynamic'
  | 'getExecutor'
  | 'executeQuery'

/** The database for reading. Writing needs a `Tx`, which only `transaction()` creates. */
export type Db = Pick<Kysely<Schema>, ReadMethods> & { readonly [internals]: DatabaseEngine | TxState }

type WriteMethods = 'insertInto' | 'updateTable' | 'deleteFrom' | 'mergeInto' | 'replaceInto'

/**
 * An open transaction, which reads its own writes. Its methods have the types of `Db`'s: comparing Kysely's class of
 * transactions with its class of databases costs the type checker many seconds.
 */
export type Tx = Pick<Kysely<Schema>, ReadMethods | WriteMethods> & { readonly [internals]: TxState }

/** Wraps an engine as a `Db`. */
export function databaseOf(engine: DatabaseEngine): Db {
  return Object.assign(engine.reader, { [internals]: engine })
}

export const engineOf = (db: Db): DatabaseEngine => {
  const engine = db[internals]
  if (!('writer' in engine)) throw new Error('a transaction was given where the database was wanted')
  return engine
}

/** Returns the engine of a database or of its transaction. */
export const engineBehind = (db: Db | Tx): DatabaseEngine => {
  const state = db[internals]
  return 'writer' in state ? state : state.engine
}

/** Storage for one value per database, found from its transactions too. */
export interface DatabaseSlot<Value> {
  set(db: Db, value: Value): void
  of(db: Db | Tx): Value | undefined
}

export function databaseSlot<Value>(): DatabaseSlot<Value> {
  const values = new WeakMap<DatabaseEngine, Value>()
  return {
    set: (db, value) => {
      values.set(engineOf(db), value)
    },
    of: (db) => values.get(engineBehind(db)),
  }
}

export interface TransactionOptions {
  /**
   * False for changes that may be lost in a power failure, since they will be repeated; the caller then does not wait for
   * the disk.
   */
  readonly lasting?: false
  /** True for a heartbeat, which must not wait for the connections of other work. */
  readonly isHeartbeat?: boolean
}

/** Maximum number of attempts of a transaction after deadlocks and serialization failures. */
const maxAttempts = 4

/**
 * Runs `body` in one transaction and commits it; an exception rolls back and is rethrown. `body` awaits only the database:
 * on SQLite it holds the one writer. It may run more than once (a deadlock on PostgreSQL), so it changes rows only.
 * `afterCommit` functions run once. They and the caller continue when the commit is durable; readers may see it earlier.
 */
export async function transaction<Result>(
  db: Db,
  body: (tx: Tx) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  const engine = engineOf(db)
  for (let attempt = 1; ; attempt++) {
    const state: TxState = { engine, beforeCommit: [], lastBeforeCommit: [], afterCommit: [] }
    try {
      const result = await executorOf(engine, options)
        .transaction()
        .execute(async (inner) => {
          const value = await body(Object.assign(inner, { [internals]: state }))
          for (const run of state.beforeCommit) await run()
          for (const run of state.lastBeforeCommit) await run()
          return value
        })
      if (options.lasting !== false) await engine.lasting()
      for (const run of state.afterCommit) run()
      return result
    } catch (error) {
      if (attempt >= maxAttempts || !engine.isRetryable(error)) throw error
    }
  }
}

const executorOf = (engine: DatabaseEngine, { isHeartbeat = false }: TransactionOptions): Kysely<Schema> =>
  isHeartbeat && engine.kind === 'postgres' ? engine.beater : engine.writer

/** Runs `body` with a snapshot: all its queries see one state of the database. `body` awaits only this database. */
export async function snapshot<Result>(db: Db, body: (still: Db) => Promise<Result>): Promise<Result> {
  const engine = engineOf(db)
  const begin = engine.reader.transaction()
  // SQLite transactions are snapshots; PostgreSQL needs `repeatable read`.
  const reading = engine.kind === 'postgres' ? begin.setIsolationLevel('repeatable read') : begin
  return reading.execute((inner) => {
    const state: TxState = { engine, beforeCommit: [], lastBeforeCommit: [], afterCommit: [] }
    return body(Object.assign(inner, { [internals]: state }))
  })
}

/** Runs `run` in the transaction after its body; an exception rolls back. */
export function beforeCommit(tx: Tx, run: () => Promise<void>): void {
  tx[internals].beforeCommit.push(run)
}

/** Like `beforeCommit`, after all of those functions. */
export function lastBeforeCommit(tx: Tx, run: () => Promise<void>): void {
  tx[internals].lastBeforeCommit.push(run)
}

/** Runs `run` once after the commit, never after a rollback. It must not throw. */
export function afterCommit(tx: Tx, run: () => void): void {
  tx[internals].afterCommit.push(run)
}

/** Returns whether an insert or update violated a unique key. */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** Returns whether an insert or update violated a foreign key. */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/**
 * Returns whether an error means that a concurrent request created or deleted a row first. Expected cases are handled where
 * they occur.
 */
export const isLostRace = (error: unknown): boolean =>
  isForeignKeyViolation(error) || isUniqueViolation(error) || error instanceof NoResultError

/** Returns whether this is an open transaction, which may contain uncommitted rows. */
export const isTransaction = (db: Db | Tx): boolean => !('writer' in db[internals])
