import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { engineOf, type Db, type PostgresEngine } from './database.ts'
import { createListener, sendBroadcasts } from './postgres-listener.ts'
import { PreparedConnections } from './postgres-prepared.ts'
import { isOutdatedPlan, preparingPool } from './postgres-repeated.ts'
import type { Schema } from './schema.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`, or a socket folder as the `host` parameter. */
  readonly url: string
  /** Maximum number of connections. */
  readonly maxConnections: number
  /** Maximum wait for a free connection, in milliseconds. */
  readonly connectWaitMs: number
  /** Statement timeout, in milliseconds. */
  readonly statementTimeoutMs: number
}

const int8 = 20
const numeric = 1700

/** Opens PostgreSQL. 64-bit integers and sums become numbers: ids and sizes are below 2^53. */
export function openPostgres(options: PostgresOptions): PostgresEngine {
  const forPrepared = Math.max(1, Math.min(maxPreparedConnections, Math.floor(options.maxConnections / 4)))
  const pooled = Math.max(1, options.maxConnections - forPrepared)
  const deadlineMs = options.statementTimeoutMs + answerGraceMs
  const kysely = openKysely(options, pooled, deadlineMs)
  const beating = { ...options, connectWaitMs: longestBeatMs, statementTimeoutMs: longestBeatMs }
  const beater = openKysely(beating, 1, longestBeatMs)
  const connect = async (more: pg.ClientConfig = {}): Promise<pg.Client> =>
    new (await loadDriver()).Client({ ...clientOptions(options), ...more })
  const prepared = new PreparedConnections(forPrepared, deadlineMs, connect)
  const listener = createListener(() => connect({ application_name: 'ingot listener' }))
  return {
    kind: 'postgres',
    reader: kysely,
    writer: kysely,
    beater,
    async script(tx, text) {
      await sql.raw(text).execute(tx)
    },
    // PostgreSQL commits are durable by themselves.
    lasting: async () => {},
    askPrepared: (name, statement) => prepared.ask(name, statement),
    isRetryable(error) {
      const code = (error as { code?: unknown } | null)?.code
      return code === '40001' || code === '40P01' || isOutdatedPlan(error)
    },
    broadcast: (tx, broadcasts) => sendBroadcasts(tx, listener.origin, broadcasts),
    receive: (receiver) => listener.start(receiver),
    // The server owns the memory.
    trim: () => {},
    async close() {
      await listener.close()
      await prepared.close()
      await beater.destroy()
      await kysely.destroy()
    },
  }
}

/** Server settings with which a power failure may lose acknowledged writes. */
export async function unsafeSettings(db: Db): Promise<string[]> {
  if (engineOf(db).kind !== 'postgres') return []
  const { rows } = await sql<{ name: string }>`select name from pg_settings
    where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off' order by name`.execute(
    engineOf(db).reader,
  )
  return rows.map(({ name }) => name)
}

/** Returns whether the database sorts texts by bytes, as the collations `C` and `C.UTF-8` do. */
export async function sortsBytewise(db: Db): Promise<boolean> {
  if (engineOf(db).kind !== 'postgres') return true
  const { rows } = await sql<{ is: boolean }>`select 'Z' < 'a' and 'a-b' < 'aa' and 'a_b' < 'aa' as is`.execute(
    engineOf(db).reader,
  )
  return rows[0]?.is === true
}

/** Connections for prepared queries, many in flight on each. */
const maxPreparedConnections = 4

/** The driver loads with the first query, which saves start time with SQLite. */
const loadDriver = async (): Promise<typeof pg> => (await import('pg')).default

/** Longest statement of a heartbeat, and longest wait for its connection, in milliseconds. */
const longestBeatMs = 4000

/** Time after the statement timeout in which PostgreSQL must have answered, in milliseconds. */
const answerGraceMs = 5000

/**
 * Settings of each session. Statements return a page: JIT compilation and parallel plans cost more than they save. The server
 * ends a connection, and with it a transaction and its locks, within half a minute after the machine of its process vanished.
 */
const sessionSettings = {
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
}

/** Returns the address with the settings of each session. Options that it has take precedence. */
function withSettings(address: string): string {
  const url = new URL(address)
  const own = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`)
  url.searchParams.set('options', [...own, url.searchParams.get('options') ?? ''].join(' ').trim())
  return url.href
}

const clientOptions = (options: PostgresOptions): pg.ClientConfig => ({
  connectionString: withSettings(options.url),
  connectionTimeoutMillis: options.connectWaitMs,
  statement_timeout: options.statementTimeoutMs,
  // A process that stands still in a transaction keeps its locks. A transaction waits for the database only.
  idle_in_transaction_session_timeout: 20_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  application_name: 'ingot',
})

const openKysely = (options: PostgresOptions, max: number, deadlineMs: number): Kysely<Schema> =>
  new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: async () => preparingPool(await openPool(options, max), deadlineMs) }),
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
  // The next query replaces an idle connection that the server closed, and fails on one in use (a transaction between two
  // statements). Without listeners the error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
