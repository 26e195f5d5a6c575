import type { Migration } from './migration.ts'

/**
 * The order in which entries were committed, for those who read on: PostgreSQL gives ids before commits, and who read an
 * id would never come back for a smaller one. SQLite has one writer, whose ids are in that order. It is given to an entry
 * once, and is all that may be said of one afterwards.
 */
export const audit2: Migration = {
  name: 'audit-2',
  statements: [
    { sqlite: '', postgres: `alter table audit_entry add column position bigint` },
    {
      sqlite: '',
      postgres: `create or replace function audit_entry_stays() returns trigger language plpgsql as $$
        begin
          if old.position is null and to_jsonb(new) - 'position' = to_jsonb(old) - 'position' then return new; end if;
          raise exception 'entries of the audit log are never changed';
        end $$`,
    },
    { sqlite: '', postgres: `update audit_entry set position = id` },
    { sqlite: '', postgres: `create unique index audit_entry_place on audit_entry (position)` },
    { sqlite: '', postgres: `create index audit_entry_unplaced on audit_entry (id) where position is null` },
  ],
}
