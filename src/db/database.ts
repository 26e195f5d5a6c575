import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

const internals = Symbol('database internals')

/** What a transaction collects while it runs. */
interface TxState {
  readonly afterCommit: (() => void)[]
}

/** How the two databases differ behind `Db`. */
export interface DatabaseEngine {
  readonly kind: 'sqlite' | 'postgres'
  /** Queries outside of a transaction. */
  readonly reader: Kysely<Schema>
  /** Transactions; on SQLite the one connection that writes. */
  readonly writer: Kysely<Schema>
  /** True when the whole transaction may be tried again (serialisation failure, deadlock). */
  isRetryable(error: unknown): boolean
  close(): Promise<void>
}

type ReadMethods = 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'fn' | 'dynamic' | 'getExecutor'

/** The database for reading. Writing needs a `Tx`, which only `transaction()` makes. */
export type Db = Pick<Kysely<Schema>, ReadMethods> & { readonly [internals]: DatabaseEngine | TxState }

/** An open transaction: reads what it wrote itself; everything it did is kept or dropped together. */
export type Tx = Transaction<Schema> & { readonly [internals]: TxState }

/** Wraps an engine as the `Db` that stores take. */
export function databaseOf(engine: DatabaseEngine): Db {
  return Object.assign(engine.reader, { [internals]: engine }) as unknown as Db
}

export const engineOf = (db: Db): DatabaseEngine => {
  const engine = db[internals]
  if (!('writer' in engine)) throw new Error('a transaction was given where the database was wanted')
  return engine
}

/** How often a transaction is tried again after a deadlock or a serialisation failure. */
const maxAttempts = 4

/**
 * Runs `body` in one transaction and commits it; whatever `body` throws rolls everything back and is thrown on.
 * `body` awaits only the database: on SQLite it holds the one writer. It may run more than once (a deadlock on
 * PostgreSQL), so it changes nothing but rows. Functions given to `afterCommit` run once, after the commit.
 */
export async function transaction<Result>(db: Db, body: (tx: Tx) => Promise<Result>): Promise<Result> {
  const engine = engineOf(db)
  for (let attempt = 1; ; attempt++) {
    const state: TxState = { afterCommit: [] }
    try {
      const result = await engine.writer
        .transaction()
        .execute((inner) => body(Object.assign(inner, { [internals]: state }) as unknown as Tx))
      for (const run of state.afterCommit) run()
      return result
    } catch (error) {
      if (attempt >= maxAttempts || !engine.isRetryable(error)) throw error
    }
  }
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
