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
import type { Parameter, SqliteEngine, StatementGroup } from './database.ts'
import type { Schema } from './schema.ts'
import { WalSync } from './wal-sync.ts'

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
  /** Changes of rows when the last transaction ended. */
  #changes = 0

  constructor(
    options: SqliteOptions,
    readonly role: 'reads' | 'writes',
  ) {
    const readonly = role === 'reads'
    this.database = new SqliteConnection(options.path, { readonly })
    this.database.pragma(`busy_timeout = ${options.busyTimeoutMs}`)
    if (!readonly) {
      this.database.pragma('journal_mode = WAL')
      // Commits are synced by `WalSync`, which many share, and checkpoints by the database.
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
    const prepared = prepare(this.database, sql)
    this.#prepared.set(sql, prepared)
    if (this.#prepared.size > maxStatements) this.#prepared.delete(this.#prepared.keys().next().value as string)
    return prepared
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const prepared = this.#prepare(query.sql)
    const { statement } = prepared
    if (statement.reader) return { rows: rowsOf<Row>(prepared, query.parameters) }
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

  /** Ends the open transaction; gives whether it changed anything. */
  commit(): boolean {
    this.exec('commit')
    const { changes } = this.#prepare('select total_changes() as changes').statement.get() as { changes: number }
    const wrote = changes !== this.#changes
    this.#changes = changes
    return wrote
  }
}

function prepare(database: Database, sql: string): Prepared {
  const statement = database.prepare(sql)
  const booleans = statement.reader
    ? statement.columns().flatMap((column) => (column.type?.toLowerCase() === 'boolean' ? [column.name] : []))
    : []
  return { statement, booleans }
}

/** The rows of a statement that reads. */
function rowsOf<Row>({ statement, booleans }: Prepared, parameters: readonly unknown[]): Row[] {
  const rows = statement.all(...parameters.map(toSqliteValue)) as Row[]
  for (const row of rows) decodeBooleans(row, booleans)
  return rows
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
    readonly onWritten: () => void = () => {},
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
    if (connection.commit()) this.onWritten()
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

interface PreparedGroup extends StatementGroup {
  readonly prepared: readonly Prepared[]
}

interface Question {
  readonly group: StatementGroup
  readonly parameters: readonly (readonly Parameter[])[]
  readonly answered: (rows: readonly (readonly object[])[]) => void
  readonly failed: (error: unknown) => void
}

/**
 * A connection for prepared statements, past the pool: nothing is awaited while it is used, so nobody waits for a turn.
 * What is asked before the caller first waits is answered in one transaction, whose locks cost as much as a look-up.
 */
class DirectReader {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  #asked: Question[] = []

  constructor({ database }: Connection) {
    this.#database = database
    this.#begin = database.prepare('begin')
    this.#commit = database.prepare('commit')
  }

  prepare(texts: readonly string[]): PreparedGroup {
    return { texts, prepared: texts.map((text) => prepare(this.#database, text)) }
  }

  ask(group: StatementGroup, parameters: Question['parameters']): Promise<readonly (readonly object[])[]> {
    return new Promise((answered, failed) => {
      this.#asked.push({ group, parameters, answered, failed })
      if (this.#asked.length === 1) void settled.then(this.#answer)
    })
  }

  readonly #answer = () => {
    const asked = this.#asked
    this.#asked = []
    try {
      const isOne = asked.length === 1 && asked[0]?.group.texts.length === 1
      if (!isOne) this.#begin.run()
      for (const { group, parameters, answered } of asked) {
        const { prepared: statements } = group as PreparedGroup
        answered(statements.map((prepared, index) => rowsOf(prepared, parameters[index] as readonly Parameter[])))
      }
    } catch (error) {
      // Who was answered already hears nothing of it.
      for (const { failed } of asked) failed(error)
    } finally {
      if (this.#database.inTransaction) this.#commit.run()
    }
  }

  close(): void {
    this.#database.close()
  }
}

/** What follows it comes after the turn of the caller, before anything else. */
const settled = Promise.resolve()

const dialectOf = (driver: Driver): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** Opens the embedded database: one connection that writes, several that read the last committed state. */
export function openSqlite(options: SqliteOptions): SqliteEngine {
  const log = options.volatile ? undefined : new WalSync(`${options.path}-wal`)
  const writers = new ConnectionPool(
    () => new Connection(options, 'writes'),
    1,
    options.writerWaitMs,
    () => log?.committed(),
  )
  const readers = new ConnectionPool(() => new Connection(options, 'reads'), options.maxReaders, options.writerWaitMs)
  const writer = new Kysely<Schema>({ dialect: dialectOf(writers) })
  let opened: DirectReader | undefined
  const direct = () => (opened ??= new DirectReader(new Connection(options, 'reads')))
  return {
    kind: 'sqlite',
    reader: new Kysely<Schema>({ dialect: dialectOf(readers) }),
    writer,
    lasting: async () => log?.lasting(),
    isRetryable: () => false,
    prepare: (texts) => direct().prepare(texts),
    askPrepared: (group, parameters) => direct().ask(group, parameters),
    broadcast: async () => {},
    receive: () => {},
    async close() {
      opened?.close()
      await log?.close()
      await readers.destroy()
      await writers.destroy()
    },
  }
}
