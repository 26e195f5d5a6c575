import type { Migration } from './migration.ts'

export const repositories: Migration = {
  name: '0002-repositories',
  statements: [
    `create table repo (
      id {id},
      owner_id bigint not null references "user"(id),
      name text not null,
      lower_name text not null,
      git_key text not null unique,
      wiki_git_key text unique,
      description text not null default '',
      website text not null default '',
      default_branch text not null,
      wiki_branch text not null default 'main',
      object_format text not null default 'sha1',
      is_private boolean not null default false,
      is_empty boolean not null default true,
      is_archived boolean not null default false,
      archived_unix bigint not null default 0,
      is_template boolean not null default false,
      is_mirror boolean not null default false,
      has_transfer boolean not null default false,
      is_fork boolean not null default false,
      fork_id bigint references repo(id) on delete set null,
      template_id bigint references repo(id) on delete set null,
      original_url text not null default '',
      trust_model text not null default 'default',
      topics text not null default '[]',
      avatar_key text not null default '',
      primary_language text not null default '',
      git_size_bytes bigint not null default 0,
      lfs_size_bytes bigint not null default 0,
      num_stars integer not null default 0,
      num_watches integer not null default 0,
      num_forks integer not null default 0,
      num_issues integer not null default 0,
      num_closed_issues integer not null default 0,
      num_pulls integer not null default 0,
      num_closed_pulls integer not null default 0,
      num_releases integer not null default 0,
      last_index integer not null default 0,
      created_unix bigint not null,
      updated_unix bigint not null,
      languages_commit text not null default '',
      unique (owner_id, lower_name)
    )`,
    `create index repo_fork on repo (fork_id)`,
    `create index repo_template on repo (template_id)`,
    `create index repo_updated on repo (updated_unix)`,
    `create table team_repo (
      team_id bigint not null references team(id) on delete cascade,
      org_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      primary key (team_id, repo_id)
    )`,
    `create index team_repo_repo on team_repo (repo_id)`,
    `create table repo_unit (
      repo_id bigint not null references repo(id) on delete cascade,
      unit text not null,
      config text not null default '{}',
      default_access integer not null default 0,
      primary key (repo_id, unit)
    )`,
    `create table repo_redirect (
      owner_id bigint not null references "user"(id) on delete cascade,
      lower_name text not null,
      repo_id bigint not null references repo(id) on delete cascade,
      primary key (owner_id, lower_name)
    )`,
    `create table collaboration (
      repo_id bigint not null references repo(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      access_mode integer not null,
      created_unix bigint not null,
      primary key (repo_id, user_id)
    )`,
    `create index collaboration_user on collaboration (user_id)`,
    `create table branch (
      repo_id bigint not null references repo(id) on delete cascade,
      name text not null,
      commit_oid text not null,
      commit_unix bigint not null,
      pusher_id bigint,
      updated_unix bigint not null,
      is_deleted boolean not null default false,
      journal_id bigint not null default 0,
      primary key (repo_id, name)
    )`,
    `create index branch_newest on branch (repo_id, commit_unix)`,
    `create table tag (
      repo_id bigint not null references repo(id) on delete cascade,
      name text not null,
      oid text not null,
      commit_oid text not null,
      created_unix bigint not null,
      is_deleted boolean not null default false,
      journal_id bigint not null default 0,
      primary key (repo_id, name)
    )`,
    `create table ref_journal (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      updates text not null,
      origin text not null,
      created_unix bigint not null
    )`,
    `create index ref_journal_repo on ref_journal (repo_id)`,
    `create table commit_status (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      sha text not null,
      "index" integer not null,
      state text not null,
      target_url text not null default '',
      description text not null default '',
      context text not null default '',
      context_hash text not null,
      creator_id bigint not null,
      created_unix bigint not null,
      updated_unix bigint not null,
      unique (repo_id, sha, "index")
    )`,
    `create table star (
      repo_id bigint not null references repo(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null,
      primary key (repo_id, user_id)
    )`,
    `create index star_user on star (user_id)`,
    `create table watch (
      repo_id bigint not null references repo(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      mode text not null,
      created_unix bigint not null,
      primary key (repo_id, user_id)
    )`,
    `create index watch_user on watch (user_id)`,
    `create table repo_archive (
      repo_id bigint not null references repo(id) on delete cascade,
      commit_oid text not null,
      format text not null,
      blob_key text not null,
      created_unix bigint not null,
      primary key (repo_id, commit_oid, format)
    )`,
  ],
}
