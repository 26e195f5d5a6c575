import type { RawBuilder, SqlBool } from 'kysely'

/** A number in a row that can be counted from other rows; `ingot doctor` and the task `check_repo_stats` do. */
export interface Counter {
  /** A table with an `id`. */
  readonly table: string
  readonly column: string
  /** Counts for the row `it` of the table. */
  readonly count: RawBuilder<number>
  /** Where rows are made for what is there: how those are found that are missing. */
  readonly expected?: readonly ExpectedRows[]
}

/** The rows that a table of counts has to have for what some other rows are. */
export interface ExpectedRows {
  /** The table of these rows, which has an `id`. */
  readonly of: string
  /** The columns by which something is counted. */
  readonly columns: readonly string[]
  /** Their values for rows `each` of that table, those which a condition leaves. */
  readonly keys: (condition: RawBuilder<SqlBool>) => RawBuilder<unknown>
}
