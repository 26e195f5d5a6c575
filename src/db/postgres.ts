import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { engineOf, type Db, type PostgresEngine } from './database.ts'
import { createListener, sendBroadcasts } from './postgres-listener.ts'
import { PreparedConnections } from './postgres-prepared.ts'
import type { Schema } from './schema.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`, or a socket folder as `host` parameter. */
  readonly url: string
  /** Most connections of this process. */
  readonly maxConnections: number
  /** Longest wait for a free connection, in milliseconds. */
  readonly connectWaitMs: number
  /** Longest time of one statement, in milliseconds. */
  readonly statementTimeoutMs: number
}

const int8 = 20
const numeric = 1700

/** Opens PostgreSQL. 64-bit integers and sums arrive as numbers: ids and sizes stay below 2^53. */
export function openPostgres(options: PostgresOptions): PostgresEngine {
  const forPrepared = Math.max(1, Math.min(maxPreparedConnections, Math.floor(options.maxConnections / 4)))
  const pooled = Math.max(1, options.maxConnections - forPrepared)
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: () => openPool(options, pooled) }) })
  const prepared = new PreparedConnections(
    forPrepared,
    async () => new (await loadDriver()).Client(clientOptions(options)),
  )
  const listener = createListener(options.url)
  return {
    kind: 'postgres',
    reader: kysely,
    writer: kysely,
    async script(tx, text) {
      await sql.raw(text).execute(tx)
    },
    // Its commits wait for the disk themselves, many for one sync.
    lasting: async () => {},
    askPrepared: (name, statement) => prepared.ask(name, statement),
    isRetryable(error) {
      const code = (error as { code?: unknown } | null)?.code
      return code === '40001' || code === '40P01'
    },
    broadcast: (tx, broadcasts) => sendBroadcasts(tx, listener.origin, broadcasts),
    receive: (receiver) => listener.start(receiver),
    // The memory is the server's.
    trim: () => {},
    async close() {
      await listener.close()
      await prepared.close()
      await kysely.destroy()
    },
  }
}

/** Settings of the server with which a cut of power takes what was answered. */
export async function unsafeSettings(db: Db): Promise<string[]> {
  if (engineOf(db).kind !== 'postgres') return []
  const { rows } = await sql<{ name: string }>`select name from pg_settings
    where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off' order by name`.execute(
    engineOf(db).reader,
  )
  return rows.map(({ name }) => name)
}

/** Returns whether the database sorts texts by their bytes, as the collations `C` and `C.UTF-8` do. */
export async function sortsBytewise(db: Db): Promise<boolean> {
  if (engineOf(db).kind !== 'postgres') return true
  const { rows } = await sql<{ is: boolean }>`select 'Z' < 'a' and 'a-b' < 'aa' and 'a_b' < 'aa' as is`.execute(
    engineOf(db).reader,
  )
  return rows[0]?.is === true
}

/** Connections that answer prepared queries, many at once on each. */
const maxPreparedConnections = 4

/** The driver is loaded with the first query: with the other database it would only cost the start its time. */
const loadDriver = async (): Promise<typeof pg> => (await import('pg')).default

const clientOptions = (options: PostgresOptions): pg.ClientConfig => ({
  connectionString: options.url,
  connectionTimeoutMillis: options.connectWaitMs,
  statement_timeout: options.statementTimeoutMs,
  application_name: 'ingot',
  // Statements end with a page: the server would spend more on compiling one, or on sharing it among processes, than on
  // answering it. An address that has options of its own keeps them.
  options: '-c jit=off -c max_parallel_workers_per_gather=0',
})

async function openPool(options: PostgresOptions, max: number): Promise<pg.Pool> {
  const driver = await loadDriver()
  const pool = new driver.Pool({
    ...clientOptions(options),
    max,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 || oid === numeric ? Number : driver.types.getTypeParser(oid, format),
    },
  })
  // An idle connection that the server ends is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => {})
  return pool
}
