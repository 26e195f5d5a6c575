import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { endWithoutAnswer } from './postgres-deadline.ts'

/** Executions after which a statement is prepared. */
const preparedAfter = 5
/** Maximum number of prepared statements; each connection of the PostgreSQL server keeps their plans. */
const maxPrepared = 256
/** Maximum number of texts whose executions are counted. */
const maxCounted = 5000

/** Pages and totals: their best index depends on the values, for example on the size of the repository. */
const isList = (text: string): boolean =>
  text.startsWith('select count(') || (text.includes(' order by ') && /\blimit \$\d+(?: offset \$\d+)?$/.test(text))

const isPreparable = (text: string, values: readonly unknown[]): boolean =>
  values.length > 0 && /^(?:insert|update|delete|with|select)\b/.test(text) && !isList(text)

/** Names of the statements that a process executes again and again. */
export class RepeatedStatements {
  readonly #executions = new Map<string, number>()
  readonly #names = new Map<string, string>()
  #named = 0

  /** Counts an execution and returns the name under which the statement is prepared, if it is repeated. */
  nameOf(text: string, values: readonly unknown[]): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= maxPrepared || !isPreparable(text, values)) return known
    const executions = (this.#executions.get(text) ?? 0) + 1
    if (executions <= preparedAfter) {
      if (this.#executions.size >= maxCounted) this.#executions.clear()
      this.#executions.set(text, executions)
      return undefined
    }
    this.#executions.delete(text)
    const name = `repeated_${++this.#named}`
    this.#names.set(text, name)
    return name
  }

  /** The next repetition gets a new name. */
  forget(text: string): void {
    this.#names.delete(text)
  }
}

/** Whether a prepared statement failed because a migration of a newer version changed the columns of its result. */
export const isOutdatedPlan = (error: unknown): boolean =>
  (error as { routine?: unknown } | null)?.routine === 'RevalidateCachedQuery'

/** Matches the statement after which the statements of a transaction or connection may take as long as they need. */
const endsTimeout = /^set (?:local )?statement_timeout = 0$/

/**
 * Returns a pool whose connections prepare repeated statements, and end when PostgreSQL does not answer. PostgreSQL plans a
 * statement at each execution otherwise, which takes longer than executing the small statements of a write.
 * @param deadlineMs time in which a statement must be answered, unless the statement timeout is off, in milliseconds
 */
export function preparingPool(pool: pg.Pool, deadlineMs: number): PostgresPool {
  const statements = new RepeatedStatements()
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  /** The clients in use without a statement timeout. */
  const unlimited = new WeakSet<pg.PoolClient>()

  async function query(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    if (endsTimeout.test(text)) unlimited.add(client)
    const clear = unlimited.has(client) ? () => {} : endWithoutAnswer(client, deadlineMs)
    try {
      return await prepareAndQuery(client, text, values)
    } finally {
      clear()
    }
  }

  async function prepareAndQuery(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = statements.nameOf(text, values)
    if (name === undefined) return client.query(text, values)
    try {
      return await client.query({ name, text, values })
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error
      statements.forget(text)
      // In a transaction, which has failed, this fails too; then the transaction is retried.
      return client.query(text, values).catch(() => {
        throw error
      })
    }
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let preparing = clients.get(client)
      if (!preparing) {
        preparing = {
          // Kysely's type has another form, for cursors, which need a class that is not configured.
          query: ((text: string, values: unknown[]) => query(client, text, values)) as never,
          release(destroy) {
            unlimited.delete(client)
            client.release(destroy)
          },
        }
        clients.set(client, preparing)
      }
      return preparing
    },
  }
}
