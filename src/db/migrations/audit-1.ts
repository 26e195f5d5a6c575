import type { Migration } from './migration.ts'

/** The audit log. Nothing changes an entry, and nothing deletes one of the last day before the newest. */
export const audit1: Migration = {
  name: 'audit-1',
  statements: [
    `create table audit_entry (
      id {id},
      at_ms bigint not null,
      action text not null,
      outcome text not null,
      actor_id bigint,
      actor_name text not null,
      acted_as_id bigint,
      credential text not null,
      address text not null,
      operation text not null,
      request_id text not null,
      object_kind text not null,
      object_id bigint,
      object_name text not null,
      details text not null
    )`,
    `create index audit_entry_at on audit_entry (at_ms)`,
    `create index audit_entry_action on audit_entry (action, id)`,
    `create index audit_entry_actor on audit_entry (actor_name, id)`,
    `create index audit_entry_object on audit_entry (object_kind, object_id, id)`,
    {
      sqlite: `create trigger audit_entry_stays before update on audit_entry
        begin select raise(abort, 'entries of the audit log are never changed'); end`,
      postgres: `create function audit_entry_stays() returns trigger language plpgsql as $$
        begin raise exception 'entries of the audit log are never changed'; end $$`,
    },
    {
      sqlite: `create trigger audit_entry_of_last_day before delete on audit_entry
        when old.at_ms > (select max(at_ms) from audit_entry) - 86400000
        begin select raise(abort, 'entries of the last day are not deleted'); end`,
      postgres: `create trigger audit_entry_stays before update on audit_entry
        for each row execute function audit_entry_stays()`,
    },
    {
      sqlite: '',
      postgres: `create function audit_entry_of_last_day() returns trigger language plpgsql as $$
        begin
          if old.at_ms > (select max(at_ms) from audit_entry) - 86400000 then
            raise exception 'entries of the last day are not deleted';
          end if;
          return old;
        end $$`,
    },
    {
      sqlite: '',
      postgres: `create trigger audit_entry_of_last_day before delete on audit_entry for each row
        execute function audit_entry_of_last_day()`,
    },
  ],
}
