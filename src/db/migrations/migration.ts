/**
 * One step of the database's form. Statements are SQL that both databases understand; `{id}` stands for a row id that is
 * counted up and never used again. Where the two differ a statement is given for each (an empty text: nothing to do).
 * Migrations only go forward: one that was released is never changed.
 */
export interface Migration {
  /** The area and which of its migrations this is, for example `issues-2`: the name of the file, and of the row that says it ran. */
  readonly name: string
  /** The name under which earlier releases recorded it. */
  readonly formerly?: string
  readonly statements: readonly (string | { readonly sqlite: string; readonly postgres: string })[]
}
