import { sql, type RawBuilder, type SqlBool } from 'kysely'

/**
 * The different values of a column in some rows of a table, as a table with the column `id`. They are found one after the
 * other in an index that has what limits the rows and then the column: as many steps as there are values, however many
 * rows have each.
 */
export function eachOnce(table: string, column: string, isWanted: RawBuilder<SqlBool>): RawBuilder<unknown> {
  const least = sql`select min(${sql.ref(column)}) as id from ${sql.table(table)} where ${isWanted}`
  return sql`(with recursive step(id) as (
    ${least} union all select (${least} and ${sql.ref(column)} > step.id) from step where step.id is not null
  ) select id from step where id is not null)`
}
