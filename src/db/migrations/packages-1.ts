import type { Migration } from './migration.ts'

/** Packages: their versions, the files of these, and contents, each of which is stored once. */
export const packages1: Migration = {
  name: 'packages-1',
  statements: [
    // Whoever has packages is not deleted; a repository that goes is forgotten.
    `create table package (
      id {id},
      owner_id bigint not null references "user"(id),
      repo_id bigint references repo(id) on delete set null,
      type text not null,
      name text not null,
      lower_name text not null,
      created_unix bigint not null,
      unique (owner_id, type, lower_name)
    )`,
    `create index package_repo on package (repo_id) where repo_id is not null`,
    `create table package_version (
      id {id},
      package_id bigint not null references package(id),
      owner_id bigint not null,
      type text not null,
      version text not null,
      lower_version text not null,
      creator_id bigint not null,
      download_count bigint not null,
      created_unix bigint not null,
      unique (package_id, lower_version)
    )`,
    // Lists of an owner, whole and by type, begin where their page does.
    `create index package_version_list on package_version (owner_id, created_unix desc, id desc)`,
    `create index package_version_type on package_version (owner_id, type, created_unix desc, id desc)`,
    `create table package_blob (
      id {id},
      sha256 text not null unique,
      sha512 text not null,
      sha1 text not null,
      md5 text not null,
      size_bytes bigint not null,
      blob_key text not null unique,
      created_unix bigint not null,
      released_unix bigint
    )`,
    // Few are given up at any time, and whoever looks for them reads no others.
    `create index package_blob_released on package_blob (released_unix) where released_unix is not null`,
    `create table package_file (
      id {id},
      version_id bigint not null references package_version(id),
      blob_id bigint not null references package_blob(id),
      name text not null,
      lower_name text not null,
      file_key text not null,
      is_lead boolean not null,
      size_bytes bigint not null,
      created_unix bigint not null,
      unique (version_id, lower_name, file_key)
    )`,
    `create index package_file_blob on package_file (blob_id)`,
  ],
}
