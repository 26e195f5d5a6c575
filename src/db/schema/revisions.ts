import type { AreaSchema } from './area.ts'
import { countIssueRevision } from './row-revisions.ts'

/** Row revisions. Cached answers name the revisions of the rows that they show. */
export const revisions: AreaSchema = {
  postgres: [
    `create function count_revision() returns trigger language plpgsql as $$
    declare counted constant text collate "default" := tg_table_name;
    begin
      if tg_op = 'INSERT' then
        insert into row_revision values (counted, new.id, 0);
      elsif tg_op = 'UPDATE' then
        update row_revision set revision = revision + 1 where table_name = counted and row_id = new.id;
      else
        delete from row_revision where table_name = counted and row_id = old.id;
      end if;
      return null;
    end $$`,
    `create function count_issue_revision() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        ${countIssueRevision('old')}
      end if;
      if tg_op <> 'DELETE' then
        ${countIssueRevision('new')}
      end if;
      return null;
    end $$`,
  ],
}
