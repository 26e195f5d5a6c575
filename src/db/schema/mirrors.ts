import type { AreaSchema } from './area.ts'

/** Pull mirrors and push mirrors. */
export const mirrors: AreaSchema = {
  tables: [
    `create table mirror (
      id {id},
      repo_id bigint not null unique references repo(id) on delete cascade,
      remote_url text not null,
      sealed_credentials text not null,
      interval_seconds bigint not null,
      prunes boolean not null,
      synced_unix bigint not null,
      next_unix bigint not null,
      last_error text not null default '',
      follows text not null default '[]',
      service text not null default 'git'
    )`,
    `create table push_mirror (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      remote_name text not null unique,
      remote_url text not null,
      sealed_credentials text not null,
      public_key text not null,
      known_hosts text not null default '',
      interval_seconds bigint not null,
      pushes_on_commit boolean not null,
      created_unix bigint not null,
      synced_unix bigint not null default 0,
      next_unix bigint not null,
      last_error text not null default ''
    )`,
  ],
  indexes: [
    `create index mirror_next on mirror (next_unix) where next_unix > 0`,
    `create index push_mirror_repo on push_mirror (repo_id, id)`,
    `create index push_mirror_next on push_mirror (next_unix) where next_unix > 0`,
  ],
}
