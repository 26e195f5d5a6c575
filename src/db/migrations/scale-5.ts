import type { Migration } from './migration.ts'

const sqlite = (text: string) => ({ sqlite: text, postgres: '' })
const postgres = (text: string) => ({ sqlite: '', postgres: text })

/** What issues have, with the column that names it. */
const tables = [
  { table: 'issue_label', key: 'label_id', isRevised: true, index: 'issue_label_label' },
  { table: 'issue_assignee', key: 'user_id', isRevised: true, index: 'issue_assignee_user' },
  { table: 'issue_mention', key: 'user_id', isRevised: false, index: 'issue_mention_user' },
] as const

/** What lists of issues are limited and ordered by. */
const kept = ['repo_id', 'is_pull', 'is_closed', 'created_unix']
const names = kept.join(', ')
const isMoved = kept.map((column) => `old.${column} <> new.${column}`).join(' or ')
const moved = (table: string): string =>
  `update ${table} set ${kept.map((column) => `${column} = new.${column}`).join(', ')} where issue_id = new.id;`

const ofIssue = (row: 'old' | 'new'): string =>
  `update row_revision set revision = revision + 1 where table_name = 'issue' and row_id = ${row}.issue_id;`

/**
 * Labels, assignees and mentions know of their issue what lists are limited and ordered by, so that a page of the issues that
 * have something is found in one index. The database keeps it, in the transaction of the change.
 */
export const scale5: Migration = {
  name: 'scale-5',
  statements: [
    // Whoever closes the issue meanwhile is waited for.
    postgres(`create function place_by_issue() returns trigger language plpgsql as $$ begin
        select ${names} into ${kept.map((column) => `new.${column}`).join(', ')} from issue
          where id = new.issue_id for no key update;
        return new;
      end $$`),
    ...tables.flatMap(({ table, key, isRevised, index }) => [
      `alter table ${table} add column repo_id bigint`,
      `alter table ${table} add column is_pull boolean`,
      `alter table ${table} add column is_closed boolean`,
      `alter table ${table} add column created_unix bigint`,
      // What the database adds to a row changes nothing of what an issue shows.
      ...(isRevised
        ? [
            sqlite(`drop trigger ${table}_revision_update`),
            sqlite(`create trigger ${table}_revision_update after update of issue_id, ${key} on ${table} begin
              ${ofIssue('old')} ${ofIssue('new')}
            end`),
            postgres(`drop trigger ${table}_revision on ${table}`),
            postgres(`create trigger ${table}_revision after insert or update of issue_id, ${key} or delete on ${table}
              for each row execute function count_issue_revision()`),
          ]
        : []),
      `update ${table} set ${kept.map((column) => `${column} = issue.${column}`).join(', ')} from issue
        where issue.id = ${table}.issue_id`,
      ...['insert', 'update of issue_id'].map((act) =>
        sqlite(`create trigger ${table}_place_${act.slice(0, 6)} after ${act} on ${table} begin
          update ${table} set (${names}) = (select ${names} from issue where id = new.issue_id)
            where issue_id = new.issue_id and ${key} = new.${key};
        end`),
      ),
      postgres(`create trigger ${table}_place before insert or update of issue_id on ${table}
        for each row execute function place_by_issue()`),
      `drop index ${index}`,
      `create index ${index} on ${table} (${key}, repo_id, is_pull, is_closed, created_unix, issue_id)`,
    ]),
    sqlite(`create trigger issue_places after update of ${names} on issue when ${isMoved} begin
      ${tables.map(({ table }) => moved(table)).join('\n')}
    end`),
    postgres(`create function pass_on_place() returns trigger language plpgsql as $$ begin
        ${tables.map(({ table }) => moved(table)).join('\n')}
        return null;
      end $$`),
    postgres(`create trigger issue_places after update of ${names} on issue for each row when (${isMoved})
      execute function pass_on_place()`),
  ],
}
