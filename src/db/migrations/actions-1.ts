import type { Migration } from './migration.ts'

export const actions1: Migration = {
  name: 'actions-1',
  formerly: '0008-actions',
  statements: [
    `create table action_secret (
      id {id},
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      name text not null,
      sealed text not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (owner_id, name),
      unique (repo_id, name),
      check ((owner_id is null) <> (repo_id is null))
    )`,
    `create table action_variable (
      id {id},
      owner_id bigint references "user"(id) on delete cascade,
      repo_id bigint references repo(id) on delete cascade,
      name text not null,
      data text not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (owner_id, name),
      unique (repo_id, name),
      check ((owner_id is null) <> (repo_id is null))
    )`,
  ],
}
