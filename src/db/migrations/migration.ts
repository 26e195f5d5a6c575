/**
 * One step of the database's form. Statements are SQL that both databases understand; `{id}` stands for a row id that is
 * counted up and never used again. Where the two differ a statement is given for each (an empty text: nothing to do).
 * Migrations only go forward: one that was released is never changed.
 */
export interface Migration {
  /** Number and title, for example `0001-accounts`; they run in this order. */
  readonly name: string
  readonly statements: readonly (string | { readonly sqlite: string; readonly postgres: string })[]
}
