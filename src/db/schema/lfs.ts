import type { AreaSchema } from './area.ts'

/** Large objects and locks. */
export const lfs: AreaSchema = {
  tables: [
    `create table lfs_blob (
      id {id},
      oid text not null unique,
      size_bytes bigint not null,
      blob_key text not null unique,
      created_unix bigint not null,
      released_unix bigint
    )`,
    `create table lfs_object (
      repo_id bigint not null references repo(id) on delete cascade,
      blob_id bigint not null references lfs_blob(id),
      oid text not null,
      size_bytes bigint not null,
      created_unix bigint not null,
      seen_unix bigint not null,
      primary key (repo_id, oid)
    )`,
    `create table lfs_lock (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      owner_id bigint not null references "user"(id) on delete cascade,
      path text not null,
      path_key text not null,
      ref_name text not null,
      created_unix bigint not null,
      unique (repo_id, path_key)
    )`,
  ],
  indexes: [
    `create index lfs_blob_released on lfs_blob (released_unix) where released_unix is not null`,
    `create index lfs_object_blob on lfs_object (blob_id)`,
    `create index lfs_object_seen on lfs_object (repo_id, seen_unix)`,
    `create index lfs_lock_owner on lfs_lock (owner_id)`,
  ],
}
