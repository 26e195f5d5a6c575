import type { AreaSchema } from './area.ts'

/** Packages, versions, files, uploads and upstream registries. */
export const packages: AreaSchema = {
  tables: [
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
      is_internal boolean not null default false,
      unique (package_id, lower_version)
    )`,
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
    `create table package_version_metadata (
      version_id bigint primary key references package_version(id) on delete cascade,
      body text not null
    )`,
    `create table package_file_metadata (
      file_id bigint primary key references package_file(id) on delete cascade,
      body text not null
    )`,
    `create table package_tag (
      package_id bigint not null references package(id) on delete cascade,
      name text not null,
      version_id bigint not null references package_version(id) on delete cascade,
      primary key (package_id, name)
    )`,
    `create table package_revision (
      owner_id bigint not null references "user"(id) on delete cascade,
      type text not null,
      revision bigint not null,
      changed_unix bigint not null,
      primary key (owner_id, type)
    )`,
    `create table package_key (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      type text not null,
      sealed_key text not null,
      public_key text not null,
      created_unix bigint not null,
      unique (owner_id, type)
    )`,
    `create table package_upload (
      id {id},
      uuid text not null unique,
      owner_id bigint not null references "user"(id) on delete cascade,
      lower_name text not null,
      creator_id bigint not null,
      upload_key text not null,
      size_bytes bigint not null,
      busy_until_unix bigint not null,
      created_unix bigint not null,
      reserved_bytes bigint not null default 0
    )`,
    `create table package_index_part (
      file_id bigint not null references package_file(id) on delete cascade,
      name text not null,
      members text not null,
      size_bytes bigint not null,
      packed bytea not null,
      primary key (file_id, name)
    )`,
    `create table package_upstream (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      type text not null,
      url text not null,
      user_name text not null,
      sealed_secret text,
      reserved text not null,
      created_unix bigint not null,
      unique (owner_id, type)
    )`,
    `create table package_reference (
      version_id bigint not null references package_version(id) on delete cascade,
      package_id bigint not null,
      digest text not null,
      is_subject boolean not null,
      primary key (version_id, is_subject, digest)
    )`,
    `create table package_cleanup_rule (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      type text not null,
      is_enabled boolean not null,
      keep_count bigint not null,
      keep_pattern text not null,
      remove_days bigint not null,
      remove_pattern text not null,
      matches_full_name boolean not null,
      doer_id bigint not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      ran_unix bigint,
      removed_count bigint not null default 0,
      problem text not null default '',
      unique (owner_id, type)
    )`,
  ],
  indexes: [
    `create index package_repo on package (repo_id) where repo_id is not null`,
    `create index package_blob_released on package_blob (released_unix) where released_unix is not null`,
    `create index package_file_blob on package_file (blob_id)`,
    `create index package_tag_version on package_tag (version_id)`,
    `create index package_upload_owner on package_upload (owner_id)`,
    `create index package_upload_created on package_upload (created_unix)`,
    `create index package_blob_sha512 on package_blob (sha512)`,
    `create index package_reference_digest on package_reference (package_id, digest, is_subject, version_id)`,
    `create index package_version_list on package_version (owner_id, is_internal, created_unix, id, package_id)`,
    `create index package_version_type on package_version (owner_id, type, is_internal, created_unix, id, package_id)`,
  ],
  postgres: [`create index package_version_bytewise on package_version (package_id, lower_version collate "C")`],
}
