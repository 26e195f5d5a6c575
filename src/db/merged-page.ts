import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import type { CursorKey } from '../lib/cursor.ts'
import { databaseKind } from './open.ts'

/** One value that an order compares. */
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
  /** Their sum, which a prepared statement gets as an argument. */
  readonly end?: number
}

/** SQLite merges ordered queries by itself. PostgreSQL sorts all rows of a query that does not state order and limit. */
const mergesOrdered = (db: Db): boolean => databaseKind(db) === 'sqlite'

/**
 * Returns the union of statements, which the caller orders again.
 * @param orderAndLimit what each statement needs at its end so that PostgreSQL reads it from an index in the order
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
 * Merges ordered queries into one page. Each query selects the keys of the order by their names; where an index has the
 * order, each query reads no more rows than the page needs.
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

const operators = { asc: sql`>`, desc: sql`<` } as const

/**
 * Conditions for the rows after a key, one for each range of an index: rows that share all keys but the last, and so on,
 * down to rows that share none. Neither database finds the ranges in a comparison of whole rows when the directions differ.
 */
export const rangesAfter = (order: readonly OrderKey[], key: CursorKey): readonly RawBuilder<SqlBool>[] =>
  order.map((_, index) => {
    const shared = order.length - 1 - index
    const equal = order.slice(0, shared).map(({ value }, at) => sql`${value} = ${key[at]}`)
    const { value, direction } = order[shared] as OrderKey
    return sql<SqlBool>`${sql.join([...equal, sql`${value} ${operators[direction]} ${key[shared]}`], sql` and `)}`
  })
