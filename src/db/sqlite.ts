import SqliteConnection, { type Database, type Statement } from 'better-sqlite3'
import {
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'
import { Unavailable } from '../lib/errors.ts'
import type { SqliteEngine } from './database.ts'
import type { Schema } from './schema.ts'

export interface SqliteOptions {
  /** Absolute path of the database file; made when it is missing. */
  readonly path: string
  /** Most connections that read at the same time; more readers wait. */
  readonly maxReaders: number
  /** Longest wait for the one writer, in milliseconds; then the caller gets `Unavailable`. */
  readonly writerWaitMs: number
  /** How long another process may hold the file before a statement fails, in milliseconds. */
  readonly busyTimeoutMs: number
  /** True when a power cut may lose the last commits (a throw-away database of a test). */
  readonly volatile?: boolean
}

/** Prepared statements kept for each connection; the least recently used goes first. */
const maxStatements = 400

interface Prepared {
  readonly statement: Statement
  /** Names of result columns declared boolean, which SQLite stores as 0 and 1. */
  readonly booleans: readonly string[]
}

class Connection implements DatabaseConnection {
  readonly database: Database
  readonly #prepared = new Map<string, Prepared>()

  constructor(
    options: SqliteOptions,
    readonly role: 'reads' | 'writes',
  ) {
    const readonly = role === 'reads'
    this.database = new SqliteConnection(options.path, { readonly })
    this.database.pragma(`busy_timeout = ${options.busyTimeoutMs}`)
    if (!readonly) {
      this.database.pragma('journal_mode = WAL')
      this.database.pragma(`synchronous = ${options.volatile ? 'OFF' : 'NORMAL'}`)
      this.database.pragma('foreign_keys = ON')
    }
    this.database.pragma('cache_size = -16000')
    this.database.pragma('temp_store = MEMORY')
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) {
      this.#prepared.delete(sql)
      this.#prepared.set(sql, known)
      return known
    }
    const statement = this.database.prepare(sql)
    const booleans = statement.reader
      ? statement.columns().flatMap((column) => (column.type?.toLowerCase() === 'boolean' ? [column.name] : []))
      : []
    const prepared = { statement, booleans }
    this.#prepared.set(sql, prepared)
    if (this.#prepared.size > maxStatements) this.#prepared.delete(this.#prepared.keys().next().value as string)
    return prepared
  }

  /** The rows of a statement that reads. */
  all<Row>(sql: string, parameters: readonly unknown[]): Row[] {
    const { statement, booleans } = this.#prepare(sql)
    const rows = statement.all(...parameters.map(toSqliteValue)) as Row[]
    for (const row of rows) decodeBooleans(row, booleans)
    return rows
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { statement } = this.#prepare(query.sql)
    if (statement.reader) return { rows: this.all<Row>(query.sql, query.parameters) }
    const { changes, lastInsertRowid } = statement.run(...query.parameters.map(toSqliteValue))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    const { statement, booleans } = this.#prepare(query.sql)
    for (const row of statement.iterate(...query.parameters.map(toSqliteValue)) as Iterable<Row>) {
      decodeBooleans(row, booleans)
      yield { rows: [row] }
    }
  }

  exec(sql: string): void {
    this.#prepare(sql).statement.run()
  }
}

const toSqliteValue = (value: unknown): unknown =>
  typeof value === 'boolean' ? (value ? 1 : 0) : value === undefined ? null : value

function decodeBooleans(row: unknown, names: readonly string[]): void {
  const record = row as Record<string, unknown>
  for (const name of names) {
    const value = record[name]
    if (value !== null) record[name] = value !== 0
  }
}

/** Connections handed out one user at a time; a caller waits its turn, first come first served. */
class ConnectionPool implements Driver {
  readonly #open: Connection[] = []
  readonly #free: Connection[] = []
  readonly #waiting: { give: (connection: Connection) => void; expired: boolean }[] = []

  constructor(
    readonly make: () => Connection,
    readonly size: number,
    readonly waitMs: number,
  ) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    const free = this.#free.pop()
    if (free) return free
    if (this.#open.length < this.size) {
      const made = this.make()
      this.#open.push(made)
      return made
    }
    return new Promise((resolve, reject) => {
      const turn = { give: resolve, expired: false }
      const timer = setTimeout(() => {
        turn.expired = true
        reject(new Unavailable('the database is busy', 'database_busy'))
      }, this.waitMs)
      turn.give = (connection) => {
        clearTimeout(timer)
        resolve(connection)
      }
      this.#waiting.push(turn)
    })
  }

  async releaseConnection(connection: Connection): Promise<void> {
    for (let turn = this.#waiting.shift(); turn; turn = this.#waiting.shift()) {
      if (turn.expired) continue
      turn.give(connection)
      return
    }
    this.#free.push(connection)
  }

  async beginTransaction(connection: Connection): Promise<void> {
    connection.exec(connection.role === 'writes' ? 'begin immediate' : 'begin')
  }

  async commitTransaction(connection: Connection): Promise<void> {
    connection.exec('commit')
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    // SQLite may have rolled back by itself (a full disk), and then there is nothing left to undo.
    if (connection.database.inTransaction) connection.exec('rollback')
  }

  async destroy(): Promise<void> {
    for (const connection of this.#open.splice(0)) connection.database.close()
    this.#free.length = 0
  }
}

const dialectOf = (driver: Driver): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** Opens the embedded database: one connection that writes, several that read the last committed state. */
export function openSqlite(options: SqliteOptions): SqliteEngine {
  const writers = new ConnectionPool(() => new Connection(options, 'writes'), 1, options.writerWaitMs)
  const readers = new ConnectionPool(() => new Connection(options, 'reads'), options.maxReaders, options.writerWaitMs)
  const writer = new Kysely<Schema>({ dialect: dialectOf(writers) })
  // Nothing is awaited on it, so nobody has to wait for a turn.
  let direct: Connection | undefined
  return {
    kind: 'sqlite',
    reader: new Kysely<Schema>({ dialect: dialectOf(readers) }),
    writer,
    isRetryable: () => false,
    askPrepared(statements) {
      direct ??= new Connection(options, 'reads')
      const { length } = statements
      if (length > 1) direct.exec('begin')
      try {
        return statements.map(({ sql, parameters }) => (direct as Connection).all<object>(sql, parameters))
      } finally {
        if (length > 1) direct.exec('commit')
      }
    },
    broadcast: async () => {},
    receive: () => {},
    async close() {
      direct?.database.close()
      await readers.destroy()
      await writers.destroy()
    },
  }
}
