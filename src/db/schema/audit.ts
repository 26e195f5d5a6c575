import type { AreaSchema } from './area.ts'

/** The audit log. */
export const audit: AreaSchema = {
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
