import type { RawBuilder, SqlBool } from 'kysely'

/** A kept count. `ingot doctor` and the task `check_repo_stats` compare it with the rows that it counts. */
export interface Counter {
  /** A table with an `id`. */
  readonly table: string
  readonly column: string
  /** Counts the rows for the row `it` of the table. */
  readonly count: RawBuilder<number>
  /** Finds missing rows of a table of counts. */
  readonly expected?: readonly ExpectedRows[]
}

/** The rows that a table of counts must have. */
export interface ExpectedRows {
  /** The counted table. It has an `id`. */
  readonly of: string
  /** The columns that the count is grouped by. */
  readonly columns: readonly string[]
  /** Selects the values of these columns from rows `each` of the table that satisfy a condition. */
  readonly keys: (condition: RawBuilder<SqlBool>) => RawBuilder<unknown>
}
