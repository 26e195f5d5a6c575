/** SQLite triggers that count the revisions of a table's rows. PostgreSQL has one function for all tables. */
export const rowRevisions = (table: string): readonly string[] => [
  `create trigger ${table}_revision_insert after insert on "${table}" begin
    insert into row_revision values ('${table}', new.id, 0);
  end`,
  `create trigger ${table}_revision_update after update on "${table}" begin
    update row_revision set revision = revision + 1 where table_name = '${table}' and row_id = new.id;
  end`,
  `create trigger ${table}_revision_delete after delete on "${table}" begin
    delete from row_revision where table_name = '${table}' and row_id = old.id;
  end`,
]

/** A statement for triggers: increments the revision of the issue that a child row belongs to. */
export const countIssueRevision = (row: 'old' | 'new'): string =>
  `update row_revision set revision = revision + 1 where table_name = 'issue' and row_id = ${row}.issue_id;`
