import type { Compilable, CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'
import { engineBehind, isTransaction, type Db, type DatabaseEngine, type Tx } from './database.ts'

type Scalar = string | number | boolean

/** Stands for an argument while a query is compiled, to find where it went. */
const marker = (index: number): string => `\0argument ${index}`

interface Plan {
  readonly query: CompiledQuery
  /** For each parameter: which argument, or undefined for a value that is always the same. */
  readonly sources: readonly (number | undefined)[]
}

/** Answers of one database, as long as nothing was committed since. */
interface Answers {
  version: number
  readonly rows: LRUCache<string, readonly object[]>
}

/** Bytes of the answers that are remembered for a database, about; the ones not asked for longest go first. */
const maxAnswersBytes = 24 << 20
/** One that is larger is rather asked for again. */
const maxAnswerBytes = 1 << 20

const sizeOfValue = (value: unknown): number => (typeof value === 'string' ? 20 + value.length : 8)

const sizeOfRow = (row: object): number =>
  (Object.values(row) as readonly unknown[]).reduce<number>((sum, value) => sum + sizeOfValue(value), 100)

const sizeOfRows = (rows: readonly object[], key: string): number =>
  rows.reduce((sum, row) => sum + sizeOfRow(row), 200 + key.length)

const answersOf = new WeakMap<DatabaseEngine, Answers>()

/** The remembered answers, emptied when anything was committed, by whoever; undefined where that can not be known. */
function currentAnswers(engine: DatabaseEngine): Answers | undefined {
  const version = engine.contentVersion()
  if (version === undefined) return undefined
  let answers = answersOf.get(engine)
  if (!answers) {
    answers = {
      version,
      rows: new LRUCache({ maxSize: maxAnswersBytes, maxEntrySize: maxAnswerBytes, sizeCalculation: sizeOfRows }),
    }
    answersOf.set(engine, answers)
  } else if (answers.version !== version) {
    answers.rows.clear()
    answers.version = version
  }
  return answers
}

/** Has every query asked again, so that what is counted does not depend on who asked before. */
export const forgetAnswers = (db: Db): void => answersOf.get(engineBehind(db))?.rows.clear()

let queryCount = 0

/**
 * A query of the hottest paths: compiled once, and its rows remembered while nothing was committed to the database (on
 * SQLite, which tells). The rows are frozen, since several requests may hold them.
 * @param build makes the query of its arguments, which stand where a value is compared and nowhere else
 */
export function preparedQuery<Args extends readonly Scalar[], Row extends object>(
  build: (db: Db, ...args: Args) => Compilable<Row>,
): (db: Db | Tx, ...args: Args) => Promise<readonly Row[]> {
  const plans = new Map<DatabaseEngine['kind'], Plan>()
  const id = ++queryCount

  function planFor(db: Db, kind: DatabaseEngine['kind']): Plan {
    const known = plans.get(kind)
    if (known) return known
    const markers = Array.from({ length: build.length - 1 }, (_, index) => marker(index))
    const query = build(db, ...(markers as unknown as Args)).compile()
    const sources = query.parameters.map((parameter) => {
      const index = markers.indexOf(parameter as string)
      return index < 0 ? undefined : index
    })
    const plan = { query, sources }
    plans.set(kind, plan)
    return plan
  }

  return async (db, ...args) => {
    const engine = engineBehind(db)
    const answers = isTransaction(db) ? undefined : currentAnswers(engine)
    const key = answers && `${id}\0${args.join('\0')}`
    const known = key === undefined ? undefined : answers?.rows.get(key)
    if (known) return known as readonly Row[]
    const { query, sources } = planFor(db, engine.kind)
    const parameters = sources.map((source, index) => (source === undefined ? query.parameters[index] : args[source]))
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    // What was committed while the query waited may not be in its rows: they are remembered only for the version asked.
    if (key !== undefined && answers && engine.contentVersion() === answers.version) {
      for (const row of rows) Object.freeze(row)
      answers.rows.set(key, Object.freeze(rows))
    }
    return rows
  }
}
