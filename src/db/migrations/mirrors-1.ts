import type { Migration } from './migration.ts'

export const mirrors1: Migration = {
  name: 'mirrors-1',
  formerly: '0009-mirrors',
  statements: [
    `create table mirror (
      id {id},
      repo_id bigint not null unique references repo(id) on delete cascade,
      remote_url text not null,
      sealed_credentials text not null,
      interval_seconds bigint not null,
      prunes boolean not null,
      synced_unix bigint not null,
      next_unix bigint not null,
      last_error text not null default ''
    )`,
    `create index mirror_next on mirror (next_unix) where next_unix > 0`,
  ],
}
