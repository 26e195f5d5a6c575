import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import { databaseKind } from './open.ts'

/** A table that is joined by rows of the previous tables, and its condition. */
export interface Step {
  readonly table: string
  /** A query with that alias; missing for a table. */
  readonly rows?: RawBuilder<unknown>
  readonly where: RawBuilder<SqlBool>
}

const named = ({ table, rows }: Step) => (rows ? sql`${rows} as ${sql.table(table)}` : sql.table(table))

/**
 * Returns the `from` and `where` of a query that joins its tables in this order. SQLite follows `cross join`. PostgreSQL
 * misjudges row counts and may scan a whole table, so each step is a lateral subquery of its own.
 * @param db undefined when the database is not known; the query then has the form for SQLite
 */
export function stepByStep(db: Db | undefined, first: Step, ...others: readonly Step[]): RawBuilder<unknown> {
  if (db && databaseKind(db) === 'postgres') {
    const steps = others.map(
      (step) =>
        sql`cross join lateral (select * from ${named(step)} where ${step.where} offset 0) as ${sql.table(step.table)}`,
    )
    return sql`from ${named(first)} ${sql.join(steps, sql` `)} where ${first.where}`
  }
  const all = [first, ...others]
  return sql`from ${sql.join(all.map(named), sql` cross join `)} where ${sql.join(
    all.map(({ where }) => where),
    sql` and `,
  )}`
}
