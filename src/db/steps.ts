import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import { databaseKind } from './open.ts'

/** A table that is come to by the rows of those before it, and what is asked of its rows. */
export interface Step {
  readonly table: string
  /** A query whose rows go by that name; else it is one of the tables. */
  readonly rows?: RawBuilder<unknown>
  readonly where: RawBuilder<SqlBool>
}

const named = ({ table, rows }: Step) => (rows ? sql`${rows} as ${sql.table(table)}` : sql.table(table))

/**
 * `from` and `where` of a query that comes to its tables one by one, in this order. SQLite joins in the order of `cross
 * join`. PostgreSQL guesses how many rows each step has, and goes through a whole table where it guesses too many: it keeps
 * to the order only where each step is a query of its own.
 * @param db undefined where that is not known, and what SQLite needs is written
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
