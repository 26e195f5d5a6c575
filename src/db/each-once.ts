import { sql, type RawBuilder, type SqlBool } from 'kysely'

/**
 * Returns the distinct values of a column as a table with the column `id`. It jumps from value to value in an index (loose
 * index scan), so the cost depends on the number of values, not of rows.
 */
export function eachOnce(table: string, column: string, isWanted: RawBuilder<SqlBool>): RawBuilder<unknown> {
  const least = sql`select min(${sql.ref(column)}) as id from ${sql.table(table)} where ${isWanted}`
  return sql`(with recursive step(id) as (
    ${least} union all select (${least} and ${sql.ref(column)} > step.id) from step where step.id is not null
  ) select id from step where id is not null)`
}
