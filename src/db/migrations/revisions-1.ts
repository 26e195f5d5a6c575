import type { Migration } from './migration.ts'

/** Tables whose rows are counted, and those whose rows belong to one of theirs, with the column that names it. */
const counted = ['user', 'label', 'milestone', 'issue']
const belonging = ['issue_label', 'issue_assignee', 'attachment']

const ofIssue = (row: 'old' | 'new'): string =>
  `update row_revision set revision = revision + 1 where table_name = 'issue' and row_id = ${row}.issue_id;`

/** The database itself counts the writes of rows that are shown together, whoever writes them. */
export const revisions1: Migration = {
  name: 'revisions-1',
  statements: [
    {
      sqlite: `create table row_revision (
        table_name text not null,
        row_id bigint not null,
        revision bigint not null,
        primary key (table_name, row_id)
      ) without rowid`,
      postgres: `create table row_revision (
        table_name text not null,
        row_id bigint not null,
        revision bigint not null,
        primary key (table_name, row_id)
      )`,
    },
    ...counted.map((table) => `insert into row_revision select '${table}', id, 0 from "${table}"`),
    {
      sqlite: '',
      postgres: `create function count_revision() returns trigger language plpgsql as $$
        begin
          if tg_op = 'INSERT' then
            insert into row_revision values (tg_table_name::text, new.id, 0);
          elsif tg_op = 'UPDATE' then
            update row_revision set revision = revision + 1 where table_name = tg_table_name::text and row_id = new.id;
          else
            delete from row_revision where table_name = tg_table_name::text and row_id = old.id;
          end if;
          return null;
        end $$`,
    },
    {
      sqlite: '',
      postgres: `create function count_issue_revision() returns trigger language plpgsql as $$
        begin
          if tg_op <> 'INSERT' then ${ofIssue('old')} end if;
          if tg_op <> 'DELETE' then ${ofIssue('new')} end if;
          return null;
        end $$`,
    },
    ...counted.flatMap((table) => [
      {
        sqlite: `create trigger ${table}_revision_insert after insert on "${table}" begin
          insert into row_revision values ('${table}', new.id, 0);
        end`,
        postgres: `create trigger ${table}_revision after insert or update or delete on "${table}"
          for each row execute function count_revision()`,
      },
      {
        sqlite: `create trigger ${table}_revision_update after update on "${table}" begin
          update row_revision set revision = revision + 1 where table_name = '${table}' and row_id = new.id;
        end`,
        postgres: '',
      },
      {
        sqlite: `create trigger ${table}_revision_delete after delete on "${table}" begin
          delete from row_revision where table_name = '${table}' and row_id = old.id;
        end`,
        postgres: '',
      },
    ]),
    ...belonging.flatMap((table) => [
      {
        sqlite: `create trigger ${table}_revision_insert after insert on ${table} begin ${ofIssue('new')} end`,
        postgres: `create trigger ${table}_revision after insert or update or delete on ${table}
          for each row execute function count_issue_revision()`,
      },
      {
        sqlite: `create trigger ${table}_revision_update after update on ${table} begin
          ${ofIssue('old')} ${ofIssue('new')}
        end`,
        postgres: '',
      },
      {
        sqlite: `create trigger ${table}_revision_delete after delete on ${table} begin ${ofIssue('old')} end`,
        postgres: '',
      },
    ]),
  ],
}
