import type { AreaSchema } from './area.ts'

/** Tags and releases. */
export const releases: AreaSchema = {
  tables: [
    `create table "release" (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      tag_name text not null,
      lower_tag_name text not null,
      target text not null,
      title text not null,
      content text not null,
      is_draft boolean not null,
      is_prerelease boolean not null,
      hides_archive_links boolean not null,
      publisher_id bigint not null,
      created_unix bigint not null,
      original_author text not null default '',
      unique (repo_id, lower_tag_name)
    )`,
  ],
  indexes: [`create index release_list on "release" (repo_id, created_unix desc, id desc)`],
}
