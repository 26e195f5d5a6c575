import type { AreaSchema } from './area.ts'

/** Imports from other servers. */
export const imports: AreaSchema = {
  tables: [
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
    `create table reaction (
      id {id},
      issue_id bigint not null references issue(id) on delete cascade,
      comment_id bigint not null default 0,
      user_id bigint not null references "user"(id) on delete cascade,
      original_author text not null default '',
      content text not null,
      created_unix bigint not null,
      unique (issue_id, comment_id, user_id, original_author, content)
    )`,
  ],
  indexes: [
    `create unique index repo_import_name on repo_import (owner_id, lower_name) where state in ('waiting', 'running')`,
    `create index repo_import_doer on repo_import (doer_id, id)`,
    `create index repo_import_repo on repo_import (repo_id) where repo_id is not null`,
    `create index reaction_comment on reaction (comment_id)`,
    `create index reaction_user on reaction (user_id)`,
    `create index repo_import_owner on repo_import (owner_id)`,
  ],
}
