import type pg from 'pg'
import type { PreparedStatement } from './database.ts'

interface Question {
  readonly name: string
  readonly statement: PreparedStatement
  readonly answered: (columns: readonly string[]) => void
  readonly failed: (error: unknown) => void
}

interface Line {
  readonly client: pg.Client
  /** Names of the statements that the connection knows. */
  readonly prepared: Set<string>
  isFree: boolean
}

/** Most questions that are sent at once; those behind them take another connection, or wait for the answers. */
const maxBatch = 64

/**
 * Connections that answer prepared statements which give one row. What was asked in one turn of the event loop, or while
 * all connections were busy, is sent as one piece and answered as one: writing, waking up and reading cost several times
 * what a question does. For short look-ups only: a slow one holds up those sent with it.
 */
export class PreparedConnections {
  readonly #lines: Line[] = []
  readonly #asked: Question[] = []
  #opening = 0
  #isClosed = false

  constructor(
    readonly max: number,
    readonly connect: () => Promise<pg.Client>,
  ) {}

  /** The columns of the one row that the statement gives. */
  ask(name: string, statement: PreparedStatement): Promise<readonly string[]> {
    return new Promise((answered, failed) => {
      this.#asked.push({ name, statement, answered, failed })
      if (this.#asked.length === 1) setImmediate(() => this.#send())
    })
  }

  #send(): void {
    while (this.#asked.length > 0) {
      const line = this.#lines.find(({ isFree }) => isFree)
      if (!line) {
        if (this.#lines.length + this.#opening < this.max) void this.#open()
        return
      }
      line.isFree = false
      const batch = new Batch(this.#asked.splice(0, maxBatch), line.prepared, (unanswered) => {
        line.isFree = true
        this.#asked.unshift(...unanswered)
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
      // A connection that ended is replaced by the next question.
      const drop = () => {
        line.isFree = false
        const index = this.#lines.indexOf(line)
        if (index >= 0) this.#lines.splice(index, 1)
      }
      // Who waits for answers hears of an error there; without a listener it would end the process.
      client.on('error', drop).on('end', drop)
      await client.connect()
      this.#lines.push(line)
    } catch (error) {
      // Others may still answer.
      if (this.#lines.length === 0) for (const { failed } of this.#asked.splice(0)) failed(error)
    } finally {
      this.#opening--
    }
    this.#send()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#lines.map(({ client }) => client.end()))
  }
}

/** Questions that are on their way together. The driver leads what the server says to the methods named `handle…`. */
class Batch implements pg.Submittable {
  readonly #questions: readonly Question[]
  readonly #prepared: Set<string>
  readonly #done: (unanswered: readonly Question[]) => void
  #row: readonly string[] = []
  #answeredCount = 0

  /** @param done called once when the connection is free; what it is given was not looked at by the server */
  constructor(questions: readonly Question[], prepared: Set<string>, done: (unanswered: readonly Question[]) => void) {
    this.#questions = questions
    this.#prepared = prepared
    this.#done = done
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const { name, statement } of this.#questions) {
      if (!this.#prepared.has(name)) {
        // A batch that failed may have left it there; closing what is not there is no error.
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

  /** One question failed, and the server passes over those behind it; the driver says no more of this batch. */
  handleError(error: unknown): void {
    const [refused, ...unanswered] = this.#questions.slice(this.#answeredCount)
    for (const { name } of this.#questions.slice(this.#answeredCount)) this.#prepared.delete(name)
    refused?.failed(error)
    this.#done(unanswered)
  }
}

const toText = (value: PreparedStatement['parameters'][number]): string | null =>
  value === null ? null : String(value)
