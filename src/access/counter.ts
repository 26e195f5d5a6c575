import type { RawBuilder } from 'kysely'

/** A number in a row that can be counted from other rows; `ingot doctor` and the task `check_repo_stats` do. */
export interface Counter {
  /** A table with an `id`. */
  readonly table: string
  readonly column: string
  /** Counts for the row `it` of the table. */
  readonly count: RawBuilder<number>
}
