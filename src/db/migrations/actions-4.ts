import type { Migration } from './migration.ts'

/** Artifacts of runs, and what has arrived of those that are not whole yet. */
export const actions4: Migration = {
  name: 'actions-4',
  statements: [
    `create table action_artifact (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      run_id bigint not null references action_run(id) on delete cascade,
      name text not null,
      path text not null,
      version bigint not null,
      is_whole boolean not null,
      is_expired boolean not null,
      is_gzip boolean not null,
      size_bytes bigint not null,
      stored_bytes bigint not null,
      blob_key text not null,
      created_unix bigint not null,
      expires_unix bigint not null
    )`,
    `create index action_artifact_run on action_artifact (run_id, name)`,
    `create index action_artifact_repo on action_artifact (repo_id)`,
    `create index action_artifact_expiry on action_artifact (expires_unix) where not is_expired`,
    `create table action_artifact_block (
      id {id},
      artifact_id bigint not null references action_artifact(id) on delete cascade,
      block_key text not null,
      position bigint not null,
      size_bytes bigint not null,
      blob_key text not null,
      unique (artifact_id, block_key)
    )`,
  ],
}
