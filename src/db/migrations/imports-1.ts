import type { Migration } from './migration.ts'

/**
 * Imports that wait, run or have ended, and who wrote what was imported: those who have no account here are kept by name.
 * Of a reaction the name is a part of what must be unique, so that of ten people without an account ten are counted.
 */
export const imports1: Migration = {
  name: 'imports-1',
  statements: [
    `create table repo_import (
      id {id},
      doer_id bigint not null references "user"(id) on delete cascade,
      owner_id bigint not null references "user"(id) on delete cascade,
      lower_name text not null,
      wanted text not null,
      sealed_credentials text not null,
      state text not null,
      is_cancelled boolean not null default false,
      step text not null default '',
      place text not null default '',
      done_count bigint not null default 0,
      counts text not null default '{}',
      notes text not null default '[]',
      problem text not null default '',
      repo_id bigint references repo(id) on delete set null,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create unique index repo_import_name on repo_import (owner_id, lower_name) where state in ('waiting', 'running')`,
    `create index repo_import_doer on repo_import (doer_id, id)`,
    `create index repo_import_repo on repo_import (repo_id) where repo_id is not null`,
    `alter table review add column original_author text not null default ''`,
    `alter table "release" add column original_author text not null default ''`,
    `create table reaction_new (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      comment_id bigint not null default 0,
      user_id bigint not null references "user"(id) on delete cascade,
      original_author text not null default '',
      content text not null,
      created_unix bigint not null,
      unique (issue_id, comment_id, user_id, original_author, content)
    )`,
    `insert into reaction_new (id, issue_id, comment_id, user_id, content, created_unix)
      select id, issue_id, comment_id, user_id, content, created_unix from reaction`,
    `drop table reaction`,
    `alter table reaction_new rename to reaction`,
    {
      sqlite: '',
      postgres: `select setval(pg_get_serial_sequence('reaction', 'id'), (select coalesce(max(id), 0) + 1 from reaction), false)`,
    },
    `create index reaction_comment on reaction (comment_id)`,
    `create index reaction_user on reaction (user_id)`,
  ],
}
