import { sql, type Compilable, type CompiledQuery, type Expression } from 'kysely'
import {
  engineBehind,
  isTransaction,
  type Db,
  type DatabaseEngine,
  type Parameter,
  type SqliteEngine,
  type StatementGroup,
  type Tx,
} from './database.ts'

type Scalar = string | number | boolean

/** A query with a known row type. */
type RowsOf<Row> = Compilable<Row> & Expression<unknown>

type Queries = Readonly<Record<string, RowsOf<object>>>

/** The rows of each query of a group, by name. */
type Answers<Group extends Queries> = {
  readonly [Name in keyof Group]: Group[Name] extends RowsOf<infer Row> ? readonly Row[] : never
}

/** Placeholder of an argument while a query is compiled. */
const marker = (index: number): string => `\0argument ${index}`

/** A compiled statement and the source of each parameter. */
interface Statement {
  readonly query: CompiledQuery
  /** For each parameter, the index of its argument; undefined for a constant. */
  readonly sources: readonly (number | undefined)[]
}

interface Plan {
  readonly names: readonly string[]
  /** One for each query. */
  readonly single: readonly Statement[]
  /** PostgreSQL: all queries as one statement with one JSON column for each. */
  readonly together: Statement | undefined
}

let groupCount = 0

function statementOf(query: CompiledQuery, markers: readonly string[]): Statement {
  const sources = query.parameters.map((parameter) => {
    const index = markers.indexOf(parameter as string)
    return index < 0 ? undefined : index
  })
  return { query, sources }
}

function parametersOf({ query, sources }: Statement, args: readonly Scalar[]): Parameter[] {
  const parameters: Parameter[] = []
  for (let index = 0; index < sources.length; index++) {
    const source = sources[index]
    parameters.push(source === undefined ? (query.parameters[index] as Parameter) : (args[source] as Scalar))
  }
  return parameters
}

/** Returns one statement that selects the rows of every query as JSON text. */
const asJson = (db: Db, queries: readonly RowsOf<object>[]): CompiledQuery =>
  db
    .selectNoFrom(
      queries.map((query, index) =>
        sql<string>`(select coalesce(json_agg(answer), '[]') from ${query} as answer)::text`.as(`rows_${index}`),
      ),
    )
    .compile()

/**
 * Returns a function that runs independent queries of a hot path: compiled once, prepared once per connection, and on
 * PostgreSQL sent as one statement. Results are not cached.
 * @param build returns the queries; it may use the arguments only as values of comparisons and limits
 */
export const preparedQueries = <Args extends readonly Scalar[], Group extends Queries>(
  build: (db: Db, ...args: Args) => Group,
): ((db: Db | Tx, ...args: Args) => Promise<Answers<Group>>) => prepared(build, build.length - 1)

function prepared<Args extends readonly Scalar[], Group extends Queries>(
  build: (db: Db, ...args: Args) => Group,
  argumentCount: number,
): (db: Db | Tx, ...args: Args) => Promise<Answers<Group>> {
  const plans = new Map<DatabaseEngine['kind'], Plan>()
  const groups = new WeakMap<SqliteEngine, StatementGroup>()
  const id = `prepared_${++groupCount}`

  function planFor(db: Db, kind: DatabaseEngine['kind']): Plan {
    const known = plans.get(kind)
    if (known) return known
    const markers = Array.from({ length: argumentCount }, (_, index) => marker(index))
    const group = build(db, ...(markers as unknown as Args))
    const queries = Object.values(group)
    const plan: Plan = {
      names: Object.keys(group),
      single: queries.map((query) => statementOf(query.compile(), markers)),
      together: kind === 'postgres' ? statementOf(asJson(db, queries), markers) : undefined,
    }
    plans.set(kind, plan)
    return plan
  }

  function groupOf(engine: SqliteEngine, single: readonly Statement[]): StatementGroup {
    let group = groups.get(engine)
    if (!group) groups.set(engine, (group = engine.prepare(single.map(({ query }) => query.sql))))
    return group
  }

  return async (db, ...args) => {
    const engine = engineBehind(db)
    const { names, single, together } = planFor(db, engine.kind)
    const answers: Record<string, readonly object[]> = {}
    const set = (index: number, rows: readonly object[]) => {
      answers[names[index] as string] = rows
    }
    if (isTransaction(db)) {
      for (const [index, statement] of single.entries()) {
        const parameters = parametersOf(statement, args)
        // oxlint-disable-next-line no-await-in-loop -- a transaction has one connection
        set(index, (await db.executeQuery<object>({ ...statement.query, parameters })).rows)
      }
    } else if (engine.kind === 'sqlite') {
      const parameters = single.map((statement) => parametersOf(statement, args))
      const found = await engine.askPrepared(groupOf(engine, single), parameters)
      found.forEach((rows, index) => set(index, rows))
    } else {
      const statement = together as Statement
      const parameters = parametersOf(statement, args)
      const texts = await engine.askPrepared(id, { sql: statement.query.sql, parameters })
      texts.forEach((text, index) => set(index, JSON.parse(text) as object[]))
    }
    return answers as Answers<Group>
  }
}

/** Like `preparedQueries`, for one query. */
export function preparedQuery<Args extends readonly Scalar[], Row extends object>(
  build: (db: Db, ...args: Args) => RowsOf<Row>,
): (db: Db | Tx, ...args: Args) => Promise<readonly Row[]> {
  const ask = prepared((db: Db, ...args: Args) => ({ rows: build(db, ...args) }), build.length - 1)
  return async (db, ...args) => (await ask(db, ...args)).rows
}

/** Maximum number of statements with a cached plan. */
const maxTexts = 100
const names = new Map<string, string>()

/**
 * Returns the rows of a query that has few different texts. PostgreSQL keeps the plan of each text per connection, since
 * planning takes longer than execution.
 */
export async function askAgain<Row extends object>(db: Db, query: RowsOf<Row>): Promise<readonly Row[]> {
  const engine = engineBehind(db)
  if (engine.kind === 'sqlite' || isTransaction(db)) return (await db.executeQuery<Row>(query.compile())).rows
  const { sql: text, parameters } = asJson(db, [query])
  const name = names.get(text) ?? (names.size < maxTexts ? `text_${names.size}` : undefined)
  if (name === undefined) return (await db.executeQuery<Row>(query.compile())).rows
  names.set(text, name)
  const [rows = '[]'] = await engine.askPrepared(name, { sql: text, parameters: parameters as Parameter[] })
  return JSON.parse(rows) as Row[]
}
