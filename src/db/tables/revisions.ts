import type { GeneratedAlways } from 'kysely'

/** The tables whose rows have revisions. */
export type RevisedTable = 'user' | 'label' | 'milestone' | 'issue'

/**
 * Counts the writes of a row since its insertion. Triggers increment it, in the same transaction, with each write of
 * the row or of its child rows (the labels, assignees, attachments and comments of an issue). Ids are never reused, so
 * an id and a revision identify one content.
 */
export interface RowRevisionTable {
  table_name: GeneratedAlways<RevisedTable>
  row_id: GeneratedAlways<number>
  revision: GeneratedAlways<number>
}

export interface RevisionTables {
  row_revision: RowRevisionTable
}
