import type pg from 'pg'
import type { PreparedStatement } from './database.ts'
import { endConnection, endWithoutAnswer } from './postgres-deadline.ts'

interface Question {
  readonly name: string
  readonly statement: PreparedStatement
  readonly answered: (columns: readonly string[]) => void
  readonly failed: (error: unknown) => void
}

interface Line {
  readonly client: pg.Client
  /** Names of the statements prepared on the connection. */
  readonly prepared: Set<string>
  isFree: boolean
}

/** Maximum number of queries in one batch. */
const maxBatch = 64

/**
 * Connections for prepared statements with one result row. All queries of one turn of the event loop, or those that queue
 * while all connections are busy, go out in one message: the cost of writing, waking up and reading exceeds that of a
 * query. For short lookups only: a slow query delays its batch.
 */
export class PreparedConnections {
  readonly #lines: Line[] = []
  readonly #queued: Question[] = []
  #opening = 0
  #isClosed = false

  constructor(
    readonly max: number,
    /** Time in which a batch must be answered, in milliseconds. */
    readonly deadlineMs: number,
    readonly connect: () => Promise<pg.Client>,
  ) {}

  /** Returns the columns of the result row. */
  ask(name: string, statement: PreparedStatement): Promise<readonly string[]> {
    return new Promise((answered, failed) => {
      this.#queued.push({ name, statement, answered, failed })
      if (this.#queued.length === 1) setImmediate(() => this.#send())
    })
  }

  #send(): void {
    while (this.#queued.length > 0) {
      const line = this.#lines.find(({ isFree }) => isFree)
      if (!line) {
        if (this.#lines.length + this.#opening < this.max) void this.#open()
        return
      }
      line.isFree = false
      const clear = endWithoutAnswer(line.client, this.deadlineMs)
      const batch = new Batch(this.#queued.splice(0, maxBatch), line.prepared, (unanswered) => {
        clear()
        line.isFree = true
        this.#queued.unshift(...unanswered)
        this.#send()
      })
      line.client.query(batch)
    }
  }

  async #open(): Promise<void> {
    this.#opening++
    try {
      if (this.#isClosed) throw new Error('the database is closed')
      const client = await this.connect()
      const line: Line = { client, prepared: new Set(), isFree: true }
      // The next query replaces a closed connection.
      const drop = () => {
        line.isFree = false
        const index = this.#lines.indexOf(line)
        if (index >= 0) this.#lines.splice(index, 1)
      }
      // Waiting callers get the error; without a listener it would end the process.
      client.on('error', drop).on('end', drop)
      await client.connect()
      this.#lines.push(line)
    } catch (error) {
      // Other connections may still serve the queue.
      if (this.#lines.length === 0) for (const { failed } of this.#queued.splice(0)) failed(error)
    } finally {
      this.#opening--
    }
    this.#send()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#lines.map(({ client }) => endConnection(client)))
  }
}

/** A batch in flight. The driver calls the methods named `handle…`. */
class Batch implements pg.Submittable {
  readonly #questions: readonly Question[]
  readonly #prepared: Set<string>
  readonly #done: (unanswered: readonly Question[]) => void
  #row: readonly string[] = []
  #answeredCount = 0

  /**
   * @param done called once the connection is free, with the queries that the server did not execute
   *  @param done called once when the connection is free; what it is given was not looked at by the server
   */
  constructor(questions: readonly Question[], prepared: Set<string>, done: (unanswered: readonly Question[]) => void) {
    this.#questions = questions
    this.#prepared = prepared
    this.#done = done
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const { name, statement } of this.#questions) {
      if (!this.#prepared.has(name)) {
        // A failed batch may have left the statement prepared; closing a missing one is not an error.
        connection.close({ type: 'S', name }, true)
        connection.parse({ name, text: statement.sql, types: [] }, true)
        this.#prepared.add(name)
      }
      connection.bind({ statement: name, values: statement.parameters.map(toText) }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: readonly string[] }): void {
    this.#row = fields
  }

  handleCommandComplete(): void {
    this.#questions[this.#answeredCount++]?.answered(this.#row)
  }

  handleReadyForQuery(): void {
    this.#done([])
  }

  /** After a failed query the server skips the rest of the batch, and the driver reports nothing more. */
  handleError(error: unknown): void {
    const [refused, ...unanswered] = this.#questions.slice(this.#answeredCount)
    for (const { name } of this.#questions.slice(this.#answeredCount)) this.#prepared.delete(name)
    refused?.failed(error)
    this.#done(unanswered)
  }
}

const toText = (value: PreparedStatement['parameters'][number]): string | null =>
  value === null ? null : String(value)
