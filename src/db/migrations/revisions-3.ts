import type { Migration } from './migration.ts'

/**
 * PostgreSQL finds the row that counts another one's writes by the index again. The name of a trigger's table is compared
 * as its type says, which no index over texts serves: each write of an account, a label, a milestone or an issue went through
 * all that is counted.
 */
export const revisions3: Migration = {
  name: 'revisions-3',
  statements: [
    {
      sqlite: '',
      postgres: `create or replace function count_revision() returns trigger language plpgsql as $$
        declare
          counted constant text collate "default" := tg_table_name;
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
    },
  ],
}
