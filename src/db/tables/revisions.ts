import type { GeneratedAlways } from 'kysely'

/** Tables whose rows are counted. */
export type RevisedTable = 'user' | 'label' | 'milestone' | 'issue'

/**
 * How often a row was written since it was made. The database counts, with every write of the row and of the rows that
 * belong to it (labels, assignees, files and comments of an issue) and in the same transaction. Ids are never used again,
 * so what a row was at a revision never changes.
 */
export interface RowRevisionTable {
  table_name: GeneratedAlways<RevisedTable>
  row_id: GeneratedAlways<number>
  revision: GeneratedAlways<number>
}

export interface RevisionTables {
  row_revision: RowRevisionTable
}
