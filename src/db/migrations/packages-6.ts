import type { Migration } from './migration.ts'

/** What manifests of images name, so that nobody has to read all of them to know who names one; and rules of what may go. */
export const packages6: Migration = {
  name: 'packages-6',
  statements: [
    `create table package_reference (
      version_id bigint not null references package_version(id) on delete cascade,
      package_id bigint not null,
      digest text not null,
      is_subject boolean not null,
      primary key (version_id, is_subject, digest)
    )`,
    `create index package_reference_digest on package_reference (package_id, digest, is_subject, version_id)`,
    {
      sqlite: `insert into package_reference (version_id, package_id, digest, is_subject)
        select version.id, version.package_id, json_extract(metadata.body, '$.subject'), true
        from package_version version join package_version_metadata metadata on metadata.version_id = version.id
        where version.type = 'container' and json_extract(metadata.body, '$.subject') is not null`,
      postgres: `insert into package_reference (version_id, package_id, digest, is_subject)
        select version.id, version.package_id, metadata.body::json->>'subject', true
        from package_version version join package_version_metadata metadata on metadata.version_id = version.id
        where version.type = 'container' and metadata.body::json->>'subject' is not null`,
    },
    // What indexes are made of stands in their contents: an empty digest says that they are still to be read.
    {
      sqlite: `insert into package_reference (version_id, package_id, digest, is_subject)
        select version.id, version.package_id, '', false
        from package_version version join package_version_metadata metadata on metadata.version_id = version.id
        where version.type = 'container' and json_extract(metadata.body, '$.isIndex')`,
      postgres: `insert into package_reference (version_id, package_id, digest, is_subject)
        select version.id, version.package_id, '', false
        from package_version version join package_version_metadata metadata on metadata.version_id = version.id
        where version.type = 'container' and metadata.body::json->>'isIndex' = 'true'`,
    },
    // Tags are listed by their bytes.
    {
      sqlite: '',
      postgres: `create index package_version_bytewise on package_version (package_id, lower_version collate "C")`,
    },
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
}
