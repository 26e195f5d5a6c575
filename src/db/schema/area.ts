/** One SQL text for both databases, or one text for each database. An empty text is skipped. */
export type Statement = string | { readonly sqlite: string; readonly postgres: string }

/**
 * The baseline tables of one area. `{id}` stands for an auto-increment primary key whose values are never reused.
 * `src/db/tables/` documents the columns.
 */
export interface AreaSchema {
  readonly tables: readonly Statement[]
  readonly indexes?: readonly string[]
  /** Views and triggers of SQLite. */
  readonly sqlite?: readonly string[]
  /** Functions and triggers of PostgreSQL. */
  readonly postgres?: readonly string[]
}
