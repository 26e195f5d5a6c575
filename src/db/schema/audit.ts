import type { AreaSchema } from './area.ts'

/** The audit log. */
export const audit: AreaSchema = {
  tables: [
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
      details text not null,
      position bigint
    )`,
  ],
  indexes: [
    `create index audit_entry_at on audit_entry (at_ms)`,
    `create index audit_entry_action on audit_entry (action, id)`,
    `create index audit_entry_actor on audit_entry (actor_name, id)`,
    `create index audit_entry_object on audit_entry (object_kind, object_id, id)`,
  ],
  sqlite: [
    `create trigger audit_entry_stays before update on audit_entry begin
      select raise(abort, 'entries of the audit log are never changed');
    end`,
    `create trigger audit_entry_of_last_day before delete on audit_entry when old.at_ms > (select max(at_ms)
      from audit_entry) - 86400000 begin
      select raise(abort, 'entries of the last day are not deleted');
    end`,
  ],
  postgres: [
    `create unique index audit_entry_place on audit_entry (position)`,
    `create index audit_entry_unplaced on audit_entry (id) where position is null`,
    `create function audit_entry_stays() returns trigger language plpgsql as $$
    begin
      if old.position is null and to_jsonb(new) - 'position' = to_jsonb(old) - 'position' then
        return new;
      end if;
      raise exception 'entries of the audit log are never changed';
    end $$`,
    `create function audit_entry_of_last_day() returns trigger language plpgsql as $$
    begin
      if old.at_ms > (select max(at_ms) from audit_entry) - 86400000 then
        raise exception 'entries of the last day are not deleted';
      end if;
      return old;
    end $$`,
    `create trigger audit_entry_stays before update on audit_entry for each row execute function audit_entry_stays()`,
    `create trigger audit_entry_of_last_day before delete on audit_entry for each row
      execute function audit_entry_of_last_day()`,
  ],
}
