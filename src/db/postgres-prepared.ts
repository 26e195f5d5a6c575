import type pg from 'pg'
import type { PreparedStatement } from './database.ts'

interface Question {
  readonly name: string
  readonly statement: PreparedStatement
  readonly answered: (columns: readonly string[]) => void
  readonly failed: (error: unknown) => void
}

interface Line {
  readonly client: Promise<pg.Client>
  /** Questions that are not answered yet. */
  underWay: number
}

/** Another connection is opened when this many questions wait for the answers of each. */
const enoughUnderWay = 16

/**
 * Connections on which many prepared statements are under way at once, each answered in its turn (pipelining). A question
 * costs no turn of a pool, and those of one turn of the event loop go out together. For short look-ups only: a slow one
 * holds up those behind it.
 */
export class PreparedConnections {
  readonly #lines: Line[] = []
  readonly #asked: Question[] = []
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
    const questions = this.#asked.splice(0)
    const line = this.#freest()
    line.underWay += questions.length
    line.client.then(
      (client) => {
        for (const question of questions) {
          const { sql, parameters } = question.statement
          client.query(
            { name: question.name, text: sql, values: [...parameters], rowMode: 'array' },
            (error: Error | null, result) => {
              line.underWay--
              if (error) question.failed(error)
              else question.answered(result.rows[0] as string[])
            },
          )
        }
      },
      (error: unknown) => {
        for (const question of questions) question.failed(error)
      },
    )
  }

  #freest(): Line {
    const freest = this.#lines.toSorted((one, other) => one.underWay - other.underWay)[0]
    if (freest && (freest.underWay < enoughUnderWay || this.#lines.length >= this.max)) return freest
    const line: Line = { client: this.#open(), underWay: 0 }
    this.#lines.push(line)
    // A connection that ended is replaced by the next question.
    const drop = () => {
      const index = this.#lines.indexOf(line)
      if (index >= 0) this.#lines.splice(index, 1)
    }
    line.client.then((client) => client.on('error', drop).on('end', drop), drop)
    return line
  }

  async #open(): Promise<pg.Client> {
    if (this.#isClosed) throw new Error('the database is closed')
    const client = await this.connect()
    // Who waits for answers hears of it there; without a listener it would end the process.
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#lines.map(async ({ client }) => (await client).end()))
  }
}
