import type { Migration } from './migration.ts'

/** What registries know of versions and files, names for versions, keys that sign indexes, and uploads in parts. */
export const packages2: Migration = {
  name: 'packages-2',
  statements: [
    // Apart from the rows that lists read: a description may be long.
    `create table package_version_metadata (
      version_id bigint primary key references package_version(id) on delete cascade,
      body text not null
    )`,
    `create table package_file_metadata (
      file_id bigint primary key references package_file(id) on delete cascade,
      body text not null
    )`,
    // Versions that a registry keeps for itself; no list shows them.
    `alter table package_version add column is_internal boolean not null default false`,
    `create table package_tag (
      package_id bigint not null references package(id) on delete cascade,
      name text not null,
      version_id bigint not null references package_version(id) on delete cascade,
      primary key (package_id, name)
    )`,
    `create index package_tag_version on package_tag (version_id)`,
    // Counts changes of what an owner has in a registry, so that what was made of it is known to be current.
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
      created_unix bigint not null
    )`,
    `create index package_upload_owner on package_upload (owner_id)`,
    `create index package_upload_created on package_upload (created_unix)`,
  ],
}
