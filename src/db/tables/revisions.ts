import { bigint, byTrigger, table, text, type TablesOf } from '../table.ts'

/** The tables whose rows have revisions. */
export type RevisedTable = 'user' | 'label' | 'milestone' | 'issue'

export const revisionTables = {
  /**
   * Counts the writes of a row since its insertion. Triggers increment it, in the same transaction, with each write of
   * the row or of its child rows (the labels, assignees, attachments and comments of an issue). Ids are never reused, so
   * an id and a revision identify one content.
   */
  row_revision: table(
    {
      table_name: byTrigger(text<RevisedTable>()),
      row_id: byTrigger(bigint()),
      revision: byTrigger(bigint()),
    },
    { primaryKey: ['table_name', 'row_id'], isWithoutRowid: true },
  ),
}

export type RevisionTables = TablesOf<typeof revisionTables>
