import type { Migration } from './migration.ts'

/**
 * Releases, and when their tags were made. What files they have is in `attachment`, whose column for it was there before.
 */
export const releases1: Migration = {
  name: 'releases-1',
  statements: [
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
      unique (repo_id, lower_tag_name)
    )`,
    `create index release_list on "release" (repo_id, created_unix desc, id desc)`,
    `alter table tag add column made_unix bigint not null default 0`,
  ],
}
