import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import type { CursorKey } from '../lib/cursor.ts'
import { databaseKind } from './open.ts'

/** One sort key of an order. */
export interface OrderKey {
  /** The name under which queries select the value. */
  readonly name: string
  /** A column, or an expression that an index contains. */
  readonly value: RawBuilder<unknown>
  readonly direction: 'asc' | 'desc'
}

export interface MergedPage {
  readonly limit: number
  readonly offset: number
  /** `offset + limit`. A prepared statement passes it as a parameter. */
  readonly end?: number
}

/** SQLite merges ordered subqueries. PostgreSQL sorts all rows of a query that does not state order and limit. */
const mergesOrdered = (db: Db): boolean => databaseKind(db) === 'sqlite'

/**
 * Returns the union of the statements. The caller orders the result.
 * @param orderAndLimit appended to each statement on PostgreSQL, which then reads it from an index in that order
 */
export const orderedUnion = (
  db: Db,
  statements: readonly RawBuilder<unknown>[],
  orderAndLimit: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql.join(
    mergesOrdered(db) ? statements : statements.map((each) => sql`select * from (${each} ${orderAndLimit}) as part`),
    sql` union all `,
  )

/**
 * Merges ordered queries into one page. Each query selects the sort keys by their names. With an index in that order, a
 * query reads at most `offset + limit` rows.
 */
export function mergedPage<DB, TB extends keyof DB, Row>(
  db: Db,
  queries: readonly SelectQueryBuilder<DB, TB, Row>[],
  order: readonly Pick<OrderKey, 'name' | 'direction'>[],
  { limit, offset, end = offset + limit }: MergedPage,
): SelectQueryBuilder<DB, TB, Row> {
  const ordered = (query: SelectQueryBuilder<DB, TB, Row>, atMost: number) =>
    order.reduce((each, { name, direction }) => each.orderBy(sql.ref(name), direction), query).limit(atMost)
  const mergesByItself = queries.length === 1 || mergesOrdered(db)
  const merged = queries
    .map((query) => {
      if (mergesByItself) return query
      const first = db.selectFrom(sql<Row>`${ordered(query, end)}`.as('part')).selectAll()
      return first as unknown as typeof query
    })
    .reduce((one, other) => one.unionAll(other))
  return ordered(merged, limit).offset(offset)
}

/**
 * Returns the query that counts the rows of all queries together.
 * @param atMost the number at which counting stops; undefined: never
 */
export function countingQuery<DB, TB extends keyof DB, Row>(
  db: Db,
  queries: readonly SelectQueryBuilder<DB, TB, Row>[],
  atMost?: number,
) {
  const rows = queries
    .map((query) => query.clearSelect().select(sql.lit(1).as('one')))
    .reduce((one, other) => one.unionAll(other))
  return db
    .selectFrom((atMost === undefined ? rows : rows.limit(atMost)).as('found'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
}

const operators = { asc: sql`>`, desc: sql`<` } as const

/**
 * Returns the conditions for the rows after a cursor key, one for each index range. The first range shares all keys but
 * the last, the last range shares none. A row comparison cannot express keys of different directions.
 */
export const rangesAfter = (order: readonly OrderKey[], key: CursorKey): readonly RawBuilder<SqlBool>[] =>
  order.map((_, index) => {
    const shared = order.length - 1 - index
    const equal = order.slice(0, shared).map(({ value }, at) => sql`${value} = ${key[at]}`)
    const { value, direction } = order[shared] as OrderKey
    return sql<SqlBool>`${sql.join([...equal, sql`${value} ${operators[direction]} ${key[shared]}`], sql` and `)}`
  })
