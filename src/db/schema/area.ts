import type { Statement } from '../table.ts'

/** What the database of an area has besides the tables of `db/tables/`, as SQL text. */
export interface AreaSchema {
  /** Full-text tables, and what other statements of the area need first. */
  readonly tables?: readonly Statement[]
  /** Views and triggers of SQLite. */
  readonly sqlite?: readonly string[]
  /** Functions, triggers and sequences of PostgreSQL. */
  readonly postgres?: readonly string[]
  /** Statements that write again what triggers wrote to tables that no declaration names, for rows of a backup. */
  readonly rewrite?: readonly Statement[]
}
