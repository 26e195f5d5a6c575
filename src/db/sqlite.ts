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

/**
 * Prepared statements kept for each connection, and characters of their texts. What SQLite makes of a statement takes some 35
 * bytes for each of them, which the engine does not count.
 */
const maxStatements = 400
const maxStatementChars = 300_000

interface Prepared {
  readonly statement: Statement
  /** Names of result columns declared boolean, which SQLite stores as 0 and 1. */
  readonly booleans: readonly string[]
}

/** What a pool hands out. */
interface PooledConnection extends DatabaseConnection {
  begin(): void
  /** Ends the open transaction; gives whether it changed anything. */
  commit(): boolean
  rollback(): void
  /** Gives back memory that nothing needs; called when nobody uses it. */
  trim(): void
  close(): void
}

class Connection implements PooledConnection {
  readonly database: Database
  readonly #role: 'reads' | 'writes'
  readonly #prepared = new KeptStatements<Prepared>(maxStatements, maxStatementChars)
  /** Changes of rows when the last transaction ended. */
  #changes = 0

  constructor(options: SqliteOptions, role: 'reads' | 'writes') {
    this.#role = role
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
    if (known) return known
    const prepared = prepare(this.database, sql)
    this.#prepared.add(sql, prepared)
    return prepared
  }

  /** Like `executeQuery`, of what only reads; throws when it would write. */
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
    // SQLite may have rolled back by itself (a full disk), and then there is nothing left to undo.
    if (this.database.inTransaction) this.#exec('rollback')
  }

  close(): void {
    this.database.close()
  }

  /** Gives back the statements and the pages of the file that it has in memory. */
  trim(): void {
    this.#prepared.clear()
    this.database.pragma('shrink_memory')
  }

  #exec(sql: string): void {
    this.#prepare(sql).statement.run()
  }
}

/**
 * One that reads what is committed. A commit takes from every other connection all that it has in memory of the file, so
 * that each would begin anew after each: as long as the connection that writes has no transaction open, that one is asked,
 * and one of its own only meanwhile, for what stands still, and for what is read bit by bit.
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

/** A group of statements as one connection has them; made when that connection is first asked. */
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

/** A connection with what begins and ends a reading of several statements. */
class ReadingConnection {
  readonly begin: Statement
  readonly commit: Statement

  constructor(readonly database: Database) {
    this.begin = database.prepare('begin')
    this.commit = database.prepare('commit')
  }
}

/**
 * Prepared statements, past the pools: nothing is awaited while they are asked, so nobody waits for a turn. What is asked
 * before the caller first waits is answered in one transaction, whose locks cost as much as a look-up.
 * The connection that writes is asked as long as it has no transaction open, as by `ReadConnection`.
 */
class DirectReader {
  readonly #writing: ReadingConnection
  readonly #openOther: () => Database
  #other: ReadingConnection | undefined
  #asked: Question[] = []

  /** @param openOther a connection of its own, for as long as the one that writes is in a transaction */
  constructor(writing: Database, openOther: () => Database) {
    this.#writing = new ReadingConnection(writing)
    this.#openOther = openOther
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
    const connection = this.#writing.database.inTransaction
      ? (this.#other ??= new ReadingConnection(this.#openOther()))
      : this.#writing
    const { database } = connection
    try {
      const isOne = asked.length === 1 && asked[0]?.group.texts.length === 1
      if (!isOne) connection.begin.run()
      for (const { group, parameters, answered } of asked) {
        const statements = (group as PreparedGroup).of(database)
        answered(statements.map((prepared, index) => rowsOf(prepared, parameters[index] as readonly Parameter[])))
      }
    } catch (error) {
      // Who was answered already hears nothing of it.
      for (const { failed } of asked) failed(error)
    } finally {
      if (database.inTransaction) connection.commit.run()
    }
  }

  close(): void {
    this.#other?.database.close()
    this.#other = undefined
  }
}

/** What follows it comes after the turn of the caller, before anything else. */
const settled = Promise.resolve()

/**
 * Writes an argument as `+?`, which says the same. For a bare one SQLite plans a statement for what it is bound to, and
 * plans it anew whenever something is bound again (a limit, a comparison in a join): ten times what most statements take.
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

/** Opens the embedded database: one connection that writes, several that read the last committed state. */
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
    // The transaction has the one connection that writes.
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
      // Where nothing was written, the pool had none.
      writing?.close()
    },
  }
}
