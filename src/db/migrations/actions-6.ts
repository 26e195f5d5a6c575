import type { Migration } from './migration.ts'

/** What jobs keep for later jobs of their repository, and what has arrived of entries that are not whole yet. */
export const actions6: Migration = {
  name: 'actions-6',
  statements: [
    `create table action_cache (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      scope text not null,
      cache_key text not null,
      version text not null,
      is_whole boolean not null,
      size_bytes bigint not null,
      blob_key text not null,
      created_unix bigint not null,
      used_unix bigint not null,
      unique (repo_id, scope, version, cache_key)
    )`,
    `create index action_cache_used on action_cache (repo_id, used_unix)`,
    `create index action_cache_age on action_cache (used_unix)`,
    `create table action_cache_block (
      id {id},
      cache_id bigint not null references action_cache(id) on delete cascade,
      block_key text not null,
      position bigint not null,
      size_bytes bigint not null,
      blob_key text not null,
      unique (cache_id, block_key)
    )`,
  ],
}
