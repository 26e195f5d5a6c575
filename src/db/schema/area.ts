/** SQL that both databases understand, or the text for each; an empty text does nothing. */
export type Statement = string | { readonly sqlite: string; readonly postgres: string }

/**
 * The tables of one area, as the baseline creates them. `{id}` stands for a row id that counts up and is never used again. Which columns mean what, `src/db/tables/` says.
 */
export interface AreaSchema {
  readonly tables: readonly Statement[]
  readonly indexes?: readonly string[]
  /** What SQLite has instead: views and triggers. */
  readonly sqlite?: readonly string[]
  /** What PostgreSQL has instead: functions and triggers. */
  readonly postgres?: readonly string[]
}
