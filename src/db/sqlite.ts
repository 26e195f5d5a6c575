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
  type SelectModifierNode,
} from 'kysely'
import { Unavailable } from '../lib/errors.ts'
import type { Parameter, SqliteEngine, StatementGroup } from './database.ts'
import { KeptStatements } from './kept-statements.ts'
import type { Schema } from './schema.ts'
import { WalSync } from './wal-sync.ts'

export interface SqliteOptions {
  /** Absolute path of the database file; created when missing. */
  readonly path: string
  /** Maximum number of read connections; further readers wait. */
  readonly maxReaders: number
  /** Maximum wait for the writer, in milliseconds; then `Unavailable`. */
  readonly writerWaitMs: number
  /** SQLite's busy timeout, in milliseconds. */
  readonly busyTimeoutMs: number
  /** Whether a power failure may lose the last commits (databases of tests). */
  readonly volatile?: boolean
}

/**
 * Maximum number of cached statements per connection, and of characters of their texts. A statement takes about 35 bytes
 * per character outside the heap.
 */
const maxStatements = 400
const maxStatementChars = 300_000

interface Prepared {
  readonly statement: Statement
  /** Result columns declared boolean, which SQLite stores as 0 and 1. */
  readonly booleans: readonly string[]
}

/** A connection of a pool. */
interface PooledConnection extends DatabaseConnection {
  begin(): void
  /** Commits; returns whether the transaction changed a row. */
  commit(): boolean
  rollback(): void
  /** Frees memory; called while the connection is idle. */
  trim(): void
  close(): void
}

class Connection implements PooledConnection {
  readonly database: Database
  readonly #role: 'reads' | 'writes'
  readonly #prepared = new KeptStatements<Prepared>(maxStatements, maxStatementChars)
  /** Change counter at the last commit. */
  #changes = 0

  constructor(options: SqliteOptions, role: 'reads' | 'writes') {
    this.#role = role
    const readonly = role === 'reads'
    this.database = new SqliteConnection(options.path, { readonly })
    this.database.pragma(`busy_timeout = ${options.busyTimeoutMs}`)
    if (!readonly) {
      this.database.pragma('journal_mode = WAL')
      // `WalSync` syncs commits, several at once; SQLite syncs checkpoints.
      this.database.pragma(`synchronous = ${options.volatile ? 'OFF' : 'NORMAL'}`)
      this.database.pragma('foreign_keys = ON')
    }
    this.database.pragma('cache_size = -16000')
    this.database.pragma('temp_store = MEMORY')
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const prepared = prepare(this.database, sql)
    this.#prepared.add(sql, prepared)
    return prepared
  }

  /** Like `executeQuery`; throws for a statement that writes. */
  async read<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.#prepare(query.sql).statement.readonly) throw new Error('the database was to be read, not written')
    return this.executeQuery<Row>(query)
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

  begin(): void {
    this.#exec(this.#role === 'writes' ? 'begin immediate' : 'begin')
  }

  commit(): boolean {
    this.#exec('commit')
    const { changes } = this.#prepare('select total_changes() as changes').statement.get() as { changes: number }
    const wrote = changes !== this.#changes
    this.#changes = changes
    return wrote
  }

  rollback(): void {
    // SQLite may have rolled back by itself (full disk).
    if (this.database.inTransaction) this.#exec('rollback')
  }

  close(): void {
    this.database.close()
  }

  /** Frees cached statements and pages. */
  trim(): void {
    this.#prepared.clear()
    this.database.pragma('shrink_memory')
  }

  #exec(sql: string): void {
    this.#prepare(sql).statement.run()
  }
}

/**
 * A reader of committed data. A commit invalidates the page cache of every other connection. So reads use the writing
 * connection unless it has an open transaction; snapshots, streams and reads during a transaction use an own connection.
 */
class ReadConnection implements PooledConnection {
  readonly #writing: Connection
  readonly #open: () => Connection
  #own: Connection | undefined
  #standsStill = false

  constructor(writing: Connection, open: () => Connection) {
    this.#writing = writing
    this.#open = open
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const isFree = !this.#standsStill && !this.#writing.database.inTransaction
    return (isFree ? this.#writing : this.#ownOne()).read<Row>(query)
  }

  streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    return this.#ownOne().streamQuery<Row>(query)
  }

  begin(): void {
    this.#ownOne().begin()
    this.#standsStill = true
  }

  commit(): boolean {
    this.#standsStill = false
    return this.#ownOne().commit()
  }

  rollback(): void {
    this.#standsStill = false
    this.#ownOne().rollback()
  }

  trim(): void {
    this.close()
  }

  close(): void {
    this.#own?.close()
    this.#own = undefined
  }

  #ownOne(): Connection {
    return (this.#own ??= this.#open())
  }
}

function prepare(database: Database, sql: string): Prepared {
  const statement = database.prepare(sql)
  const booleans = statement.reader
    ? statement.columns().flatMap((column) => (column.type?.toLowerCase() === 'boolean' ? [column.name] : []))
    : []
  return { statement, booleans }
}

/** Returns the rows of a reading statement. */
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

/** A pool of connections with one user each; callers wait in order. */
class ConnectionPool<Pooled extends PooledConnection> implements Driver {
  readonly #open: Pooled[] = []
  readonly #free: Pooled[] = []
  readonly #waiting: { give: (connection: Pooled) => void; expired: boolean }[] = []

  constructor(
    readonly make: () => Pooled,
    readonly size: number,
    readonly waitMs: number,
    readonly onWritten: () => void = () => {},
  ) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Pooled> {
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

  async releaseConnection(connection: Pooled): Promise<void> {
    for (let turn = this.#waiting.shift(); turn; turn = this.#waiting.shift()) {
      if (turn.expired) continue
      turn.give(connection)
      return
    }
    this.#free.push(connection)
  }

  async beginTransaction(connection: Pooled): Promise<void> {
    connection.begin()
  }

  async commitTransaction(connection: Pooled): Promise<void> {
    if (connection.commit()) this.onWritten()
  }

  async rollbackTransaction(connection: Pooled): Promise<void> {
    connection.rollback()
  }

  trim(): void {
    for (const connection of this.#free) connection.trim()
  }

  async destroy(): Promise<void> {
    for (const connection of this.#open.splice(0)) connection.close()
    this.#free.length = 0
  }
}

/** A group of statements, prepared per connection on first use. */
class PreparedGroup implements StatementGroup {
  readonly #prepared = new WeakMap<Database, readonly Prepared[]>()

  constructor(readonly texts: readonly string[]) {}

  of(database: Database): readonly Prepared[] {
    const known = this.#prepared.get(database)
    if (known) return known
    const made = this.texts.map((text) => prepare(database, text))
    this.#prepared.set(database, made)
    return made
  }
}

interface Question {
  readonly group: StatementGroup
  readonly parameters: readonly (readonly Parameter[])[]
  readonly answered: (rows: readonly (readonly object[])[]) => void
  readonly failed: (error: unknown) => void
}

/** A connection with prepared `begin` and `commit`. */
class ReadingConnection {
  readonly begin: Statement
  readonly commit: Statement

  constructor(readonly database: Database) {
    this.begin = database.prepare('begin')
    this.commit = database.prepare('commit')
  }
}

/**
 * Runs prepared statements without the pools. It awaits nothing while it reads, so no queue is needed. All queries of one
 * turn run in one transaction, since its locks cost as much as a lookup. It uses the writing connection unless that has an
 * open transaction.
 */
class DirectReader {
  readonly #writing: ReadingConnection
  readonly #openOther: () => Database
  #other: ReadingConnection | undefined
  #queued: Question[] = []

  /**
   * @param openOther opens a connection for reads during a transaction
   *  @param openOther a connection of its own, for as long as the one that writes is in a transaction
   */
  constructor(writing: Database, openOther: () => Database) {
    this.#writing = new ReadingConnection(writing)
    this.#openOther = openOther
  }

  ask(group: StatementGroup, parameters: Question['parameters']): Promise<readonly (readonly object[])[]> {
    return new Promise((answered, failed) => {
      this.#queued.push({ group, parameters, answered, failed })
      if (this.#queued.length === 1) void settled.then(this.#answer)
    })
  }

  readonly #answer = () => {
    const waiting = this.#queued
    this.#queued = []
    const connection = this.#writing.database.inTransaction
      ? (this.#other ??= new ReadingConnection(this.#openOther()))
      : this.#writing
    const { database } = connection
    try {
      const isOne = waiting.length === 1 && waiting[0]?.group.texts.length === 1
      if (!isOne) connection.begin.run()
      for (const { group, parameters, answered } of waiting) {
        const statements = (group as PreparedGroup).of(database)
        answered(statements.map((prepared, index) => rowsOf(prepared, parameters[index] as readonly Parameter[])))
      }
    } catch (error) {
      // Resolved callers ignore the rejection.
      for (const { failed } of waiting) failed(error)
    } finally {
      if (database.inTransaction) connection.commit.run()
    }
  }

  close(): void {
    this.#other?.database.close()
    this.#other = undefined
  }
}

/** Continuations run after the current turn, before other events. */
const settled = Promise.resolve()

/**
 * Writes a parameter as `+?`. SQLite plans a statement for the value bound to a bare `?`, and again for each new value (in
 * limits and join conditions), which takes ten times as long as most statements.
 */
class Compiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }

  /** Leaves row locks out: the one connection that writes holds the whole database. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!/^(For|NoWait|SkipLocked)/u.test(node.modifier ?? '')) super.visitSelectModifier(node)
  }
}

const dialectOf = (driver: Driver): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new Compiler(),
})

/** Opens SQLite: one writing connection, and several that read the last commit. */
export function openSqlite(options: SqliteOptions): SqliteEngine {
  const log = options.volatile ? undefined : new WalSync(`${options.path}-wal`)
  let writing: Connection | undefined
  const openWriting = () => (writing ??= new Connection(options, 'writes'))
  const writers = new ConnectionPool(openWriting, 1, options.writerWaitMs, () => log?.committed())
  const readers = new ConnectionPool(
    () => new ReadConnection(openWriting(), () => new Connection(options, 'reads')),
    options.maxReaders,
    options.writerWaitMs,
  )
  const writer = new Kysely<Schema>({ dialect: dialectOf(writers) })
  let opened: DirectReader | undefined
  const direct = () =>
    (opened ??= new DirectReader(openWriting().database, () => new Connection(options, 'reads').database))
  return {
    kind: 'sqlite',
    reader: new Kysely<Schema>({ dialect: dialectOf(readers) }),
    writer,
    // The transaction uses the writing connection.
    async script(_tx, text) {
      openWriting().database.exec(text)
    },
    lasting: async () => log?.lasting(),
    isRetryable: () => false,
    prepare: (texts) => new PreparedGroup(texts),
    askPrepared: (group, parameters) => direct().ask(group, parameters),
    broadcast: async () => {},
    receive: () => {},
    trim() {
      opened?.close()
      readers.trim()
      writers.trim()
    },
    async close() {
      opened?.close()
      await log?.close()
      await readers.destroy()
      await writers.destroy()
      // Without a write, the pool has not opened it.
      writing?.close()
    },
  }
}
