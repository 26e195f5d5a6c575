import { NoResultError, type Kysely, type Transaction } from 'kysely'
import type { Schema } from './schema.ts'

const internals = Symbol('database internals')

/** What a transaction collects while it runs. */
interface TxState {
  readonly engine: DatabaseEngine
  readonly beforeCommit: (() => Promise<void>)[]
  readonly lastBeforeCommit: (() => Promise<void>)[]
  readonly afterCommit: (() => void)[]
}

/** A short message between the processes that share a database; see `notify.ts`. */
export interface Broadcast {
  readonly channel: string
  readonly payload: string
}

/** Who hears the broadcasts of other processes. */
export interface BroadcastReceiver {
  heard(broadcast: Broadcast): void
  /** The connection was (re)made: what was sent before may be lost. */
  missed(): void
}

interface Engine {
  /** Queries outside of a transaction. */
  readonly reader: Kysely<Schema>
  /** Transactions; on SQLite the one connection that writes. */
  readonly writer: Kysely<Schema>
  /** Runs the statements of a text one after the other, in the open transaction of `writer`. */
  script(tx: Kysely<Schema>, text: string): Promise<void>
  /** Resolves when what was committed before survives a cut of power. */
  lasting(): Promise<void>
  /** True when the whole transaction may be tried again (serialisation failure, deadlock). */
  isRetryable(error: unknown): boolean
  /** Tells the other processes, when the transaction is committed; does nothing on SQLite, which one process uses. */
  broadcast(tx: Kysely<Schema>, broadcasts: readonly Broadcast[]): Promise<void>
  /** Begins to hear the broadcasts of other processes; called once. */
  receive(receiver: BroadcastReceiver): void
  /** Gives back the memory of what only makes later questions quicker. */
  trim(): void
  close(): Promise<void>
}

/** What a prepared statement is asked with. */
export type Parameter = string | number | boolean | null

export interface PreparedStatement {
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

/** Statements that are prepared once and asked together. */
export interface StatementGroup {
  readonly texts: readonly string[]
}

/** SQLite answers in this thread. */
export interface SqliteEngine extends Engine {
  readonly kind: 'sqlite'
  prepare: (texts: readonly string[]) => StatementGroup
  /**
   * The rows of each statement of a group, for the parameters of each. What is asked before the caller first waits is
   * answered at one state of the database.
   */
  askPrepared: (
    group: StatementGroup,
    parameters: readonly (readonly Parameter[])[],
  ) => Promise<readonly (readonly object[])[]>
}

/** PostgreSQL is asked over a connection: what belongs together is asked together. */
export interface PostgresEngine extends Engine {
  readonly kind: 'postgres'
  /** The columns of the one row of a statement that is prepared once under this name. */
  askPrepared: (name: string, statement: PreparedStatement) => Promise<readonly string[]>
}

/** How the two databases differ behind `Db`. */
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

/** The database for reading. Writing needs a `Tx`, which only `transaction()` makes. */
export type Db = Pick<Kysely<Schema>, ReadMethods> & { readonly [internals]: DatabaseEngine | TxState }

/** An open transaction: reads what it wrote itself; everything it did is kept or dropped together. */
export type Tx = Transaction<Schema> & { readonly [internals]: TxState }

/** Wraps an engine as the `Db` that stores take. */
export function databaseOf(engine: DatabaseEngine): Db {
  return Object.assign(engine.reader, { [internals]: engine })
}

export const engineOf = (db: Db): DatabaseEngine => {
  const engine = db[internals]
  if (!('writer' in engine)) throw new Error('a transaction was given where the database was wanted')
  return engine
}

/** The engine behind a database or one of its transactions. */
export const engineBehind = (db: Db | Tx): DatabaseEngine => {
  const state = db[internals]
  return 'writer' in state ? state : state.engine
}

/** A place where a layer above keeps one value per database, found again from the database's transactions. */
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
  /** False for what may be lost in a cut of power, since it comes about again: nobody waits for the disk then. */
  readonly lasting?: false
}

/** How often a transaction is tried again after a deadlock or a serialisation failure. */
const maxAttempts = 4

/**
 * Runs `body` in one transaction and commits it; whatever `body` throws rolls everything back and is thrown on.
 * `body` awaits only the database: on SQLite it holds the one writer. It may run more than once (a deadlock on
 * PostgreSQL), so it changes nothing but rows. Functions given to `afterCommit` run once, after the commit. Both they and
 * the caller hear of a commit when a cut of power cannot take it back any more; readers may see it a moment earlier.
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
      const result = await engine.writer.transaction().execute(async (inner) => {
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

/**
 * Runs `body` with a database that stands still: all of its questions are answered as of one moment, whatever others
 * write meanwhile. For what compares the answers of several questions. `body` awaits only this database.
 */
export async function snapshot<Result>(db: Db, body: (still: Db) => Promise<Result>): Promise<Result> {
  const engine = engineOf(db)
  const begin = engine.reader.transaction()
  // A transaction of SQLite stands still by itself, one of PostgreSQL only when told.
  const reading = engine.kind === 'postgres' ? begin.setIsolationLevel('repeatable read') : begin
  return reading.execute((inner) => {
    const state: TxState = { engine, beforeCommit: [], lastBeforeCommit: [], afterCommit: [] }
    return body(Object.assign(inner, { [internals]: state }))
  })
}

/** Has `run` called inside the transaction when its body is done; what it throws rolls everything back. */
export function beforeCommit(tx: Tx, run: () => Promise<void>): void {
  tx[internals].beforeCommit.push(run)
}

/** Like `beforeCommit`, when all of that is done: for what only passes on what the others have collected. */
export function lastBeforeCommit(tx: Tx, run: () => Promise<void>): void {
  tx[internals].lastBeforeCommit.push(run)
}

/** Has `run` called once when the transaction is committed, never when it is rolled back. It must not throw. */
export function afterCommit(tx: Tx, run: () => void): void {
  tx[internals].afterCommit.push(run)
}

/** True when an insert or update met a row with the same unique key. */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** True when a row named by an insert or update is gone (a foreign key did not hold). */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === '23503' || code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/**
 * True for what a request throws that met another one: a row was made or taken away between its look and its write. What
 * is expected is told apart where it happens; this is for all the rest.
 */
export const isLostRace = (error: unknown): boolean =>
  isForeignKeyViolation(error) || isUniqueViolation(error) || error instanceof NoResultError

/** True for an open transaction, which may have written what others do not see yet. */
export const isTransaction = (db: Db | Tx): boolean => !('writer' in db[internals])
