import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from './database.ts'
import { databaseKind } from './open.ts'

/** A table that is come to by the rows of those before it, and what is asked of its rows. */
export interface Step {
  readonly table: string
  readonly where: RawBuilder<SqlBool>
}

/**
 * `from` and `where` of a query that comes to its tables one by one, in this order. SQLite joins in the order of `cross
 * join`. PostgreSQL guesses how many rows each step has, and goes through a whole table where it guesses too many: it keeps
 * to the order only where each step is a query of its own.
 * @param db undefined where that is not known, and what SQLite needs is written
 */
export function stepByStep(db: Db | undefined, first: Step, ...others: readonly Step[]): RawBuilder<unknown> {
  if (db && databaseKind(db) === 'postgres') {
    const steps = others.map(
      ({ table, where }) =>
        sql`cross join lateral (select * from ${sql.table(table)} where ${where} offset 0) as ${sql.table(table)}`,
    )
    return sql`from ${sql.table(first.table)} ${sql.join(steps, sql` `)} where ${first.where}`
  }
  const all = [first, ...others]
  const tables = all.map(({ table }) => sql.table(table))
  return sql`from ${sql.join(tables, sql` cross join `)} where ${sql.join(
    all.map(({ where }) => where),
    sql` and `,
  )}`
}
