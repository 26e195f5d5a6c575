import { sql, type RawBuilder, type SqlBool } from 'kysely'

/** A condition of a query. */
export type Condition = RawBuilder<SqlBool>

/** A part of a rule: decided before the query runs, or a condition that the database decides. */
export type Term = boolean | Condition

export function anyOf(...terms: readonly Term[]): Term {
  if (terms.includes(true)) return true
  const open = terms.filter((term) => typeof term !== 'boolean')
  return open.length === 0 ? false : sql<SqlBool>`(${sql.join(open, sql` or `)})`
}

export function allOf(...terms: readonly Term[]): Term {
  if (terms.includes(false)) return false
  const open = terms.filter((term) => typeof term !== 'boolean')
  return open.length === 0 ? true : sql<SqlBool>`(${sql.join(open, sql` and `)})`
}

export const not = (term: Term): Term => (typeof term === 'boolean' ? !term : sql<SqlBool>`not ${term}`)

export const asCondition = (term: Term): Condition =>
  typeof term === 'boolean' ? sql<SqlBool>`${sql.lit(term)}` : term
