import type { Migration } from './migration.ts'

/** Bytes of the parts of an unfinished artifact or cache entry, as they are charged to the owner of the repository. */
export const actions11: Migration = {
  name: 'actions-11',
  statements: [
    `alter table action_artifact add column reserved_bytes bigint not null default 0`,
    `alter table action_cache add column reserved_bytes bigint not null default 0`,
    `create index action_artifact_unfinished on action_artifact (created_unix) where not is_whole`,
  ],
}
