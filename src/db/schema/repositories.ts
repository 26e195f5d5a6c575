import type { AreaSchema } from './area.ts'

/** Repositories, their settings and the ref journal. */
export const repositories: AreaSchema = {
  tables: [
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
      audience integer not null default 3,
      owner_lower_name text not null default '',
      unique (owner_id, lower_name)
    )`,
    `create table team_repo (
      team_id bigint not null references team(id) on delete cascade,
      org_id bigint not null references "user"(id) on delete cascade,
      repo_id bigint not null references repo(id) on delete cascade,
      primary key (team_id, repo_id)
    )`,
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
      audience integer not null default 0,
      primary key (repo_id, user_id)
    )`,
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
    `create table tag (
      repo_id bigint not null references repo(id) on delete cascade,
      name text not null,
      oid text not null,
      commit_oid text not null,
      created_unix bigint not null,
      is_deleted boolean not null default false,
      journal_id bigint not null default 0,
      made_unix bigint not null default 0,
      primary key (repo_id, name)
    )`,
    `create table ref_journal (
      id {id},
      repo_id bigint not null references repo(id) on delete cascade,
      updates text not null,
      origin text not null,
      created_unix bigint not null,
      followed text not null default '',
      kind text not null default 'code',
      effect text not null default '',
      subject text not null default '',
      process_id text not null
    )`,
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
    `create table watch (
      repo_id bigint not null references repo(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      mode text not null,
      created_unix bigint not null,
      primary key (repo_id, user_id)
    )`,
    `create table repo_archive (
      repo_id bigint not null references repo(id) on delete cascade,
      commit_oid text not null,
      format text not null,
      blob_key text not null,
      created_unix bigint not null,
      size_bytes bigint not null default 0,
      primary key (repo_id, commit_oid, format)
    )`,
    `create table signing_key (
      id {id},
      format text not null,
      fingerprint text not null unique,
      key_ids text not null,
      public_key text not null,
      name text not null,
      email text not null,
      sealed text not null,
      created_unix bigint not null
    )`,
  ],
  indexes: [
    `create index repo_template on repo (template_id)`,
    `create index branch_newest on branch (repo_id, commit_unix)`,
    `create index ref_journal_repo on ref_journal (repo_id)`,
    `create index repo_counts on repo (audience, num_issues, num_closed_issues, num_pulls, num_closed_pulls, owner_id,
      id)`,
    `create unique index signing_key_own on signing_key (format) where sealed <> ''`,
    `create index repo_by_name on repo (audience, lower_name, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_creation on repo (audience, created_unix, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_change on repo (audience, updated_unix, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_git_size on repo (audience, git_size_bytes, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_lfs_size on repo (audience, lfs_size_bytes, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_stars on repo (audience, num_stars, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_forks on repo (audience, num_forks, id, owner_id, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_owner_name on repo (audience, owner_lower_name, lower_name, id, owner_id, is_template,
      is_archived, is_mirror, is_fork)`,
    `create index repo_of_owner on repo (owner_id, lower_name, id, audience, is_template, is_archived, is_mirror,
      is_fork)`,
    `create index repo_by_id on repo (audience, id, owner_id, is_template, is_archived, is_mirror, is_fork)`,
    `create index star_user on star (user_id, repo_id)`,
    `create index star_of_repo on star (repo_id, created_unix, user_id)`,
    `create index watch_user on watch (user_id, repo_id, mode)`,
    `create index watch_of_repo on watch (repo_id, created_unix, user_id, mode)`,
    `create index repo_fork on repo (fork_id, audience, id)`,
    `create index repo_counts_of_owner on repo (owner_id, audience, id, num_issues, num_closed_issues, num_pulls,
      num_closed_pulls)`,
    `create index team_repo_repo on team_repo (repo_id, team_id)`,
    `create index team_repo_org on team_repo (org_id)`,
    `create index repo_redirect_repo on repo_redirect (repo_id)`,
    `create index collaboration_user on collaboration (user_id, audience, repo_id, access_mode)`,
  ],
  sqlite: [
    `create index repo_by_size on repo (audience, (git_size_bytes + lfs_size_bytes), id, owner_id, is_template,
      is_archived, is_mirror, is_fork)`,
    `create trigger repo_owner_insert after insert on repo begin
      update repo set (audience, owner_lower_name) = ( select case when kind = 'reserved' then 4
        when new.is_private then 3 when visibility = 'public' then 0 when visibility = 'limited' then 1
        else 2 end, lower_name from "user" where id = new.owner_id) where id = new.id;
    end`,
    `create trigger repo_owner_update after update of owner_id, is_private on repo begin
      update repo set (audience, owner_lower_name) = ( select case when kind = 'reserved' then 4
        when new.is_private then 3 when visibility = 'public' then 0 when visibility = 'limited' then 1
        else 2 end, lower_name from "user" where id = new.owner_id) where id = new.id;
    end`,
    `create trigger topic_count_audience after update of audience on repo when old.audience <> new.audience begin
      update topic set num_seen_0 = num_seen_0 + (case when new.audience <= 0 then 1 else 0 end) - (case
        when old.audience <= 0 then 1 else 0 end), num_seen_1 = num_seen_1 + (case when new.audience <= 1 then 1
        else 0 end) - (case when old.audience <= 1 then 1 else 0 end), num_seen_2 = num_seen_2 + (case
        when new.audience <= 2 then 1 else 0 end) - (case when old.audience <= 2 then 1
        else 0 end), num_seen_3 = num_seen_3 + (case when new.audience <= 3 then 1 else 0 end) - (case
        when old.audience <= 3 then 1 else 0 end) where id in (select topic_id from repo_topic
        where repo_id = new.id);
    end`,
    `create trigger topic_count_repo before delete on repo begin
      delete from repo_topic where repo_id = old.id;
    end`,
    `create trigger collaboration_audience_insert after insert on collaboration begin
      update collaboration set audience = (select audience from repo where id = new.repo_id)
        where repo_id = new.repo_id and user_id = new.user_id;
    end`,
    `create trigger collaboration_audience_update after update of repo_id on collaboration begin
      update collaboration set audience = (select audience from repo where id = new.repo_id)
        where repo_id = new.repo_id and user_id = new.user_id;
    end`,
    `create trigger repo_audience_given after update of audience on repo when old.audience <> new.audience begin
      update collaboration set audience = new.audience where repo_id = new.id;
    end`,
  ],
  postgres: [
    `create index repo_by_size on repo (audience, (git_size_bytes + lfs_size_bytes), id, owner_id, is_template,
      is_archived, is_mirror, is_fork, git_size_bytes, lfs_size_bytes)`,
    `create function set_audience() returns trigger language plpgsql as $$
    declare owner record;
    begin
      -- Whoever changes the owner's visibility or name meanwhile is waited for, and whoever
      -- else gives it a repository: both
      -- count it with the owner afterwards, for which two who share the row would wait for each other.
      select kind, visibility, lower_name into owner from "user" where id = new.owner_id for no key update;
      if found then
        new.audience := case when owner.kind = 'reserved' then 4 when new.is_private then 3
          when owner.visibility = 'public' then 0 when owner.visibility = 'limited' then 1 else 2 end;
        new.owner_lower_name := owner.lower_name;
      end if;
      return new;
    end $$`,
    `create function move_topics() returns trigger language plpgsql as $$
    begin
      update topic set num_seen_0 = num_seen_0 + (case when new.audience <= 0 then 1 else 0 end) - (case
        when old.audience <= 0 then 1 else 0 end), num_seen_1 = num_seen_1 + (case when new.audience <= 1 then 1
        else 0 end) - (case when old.audience <= 1 then 1 else 0 end), num_seen_2 = num_seen_2 + (case
        when new.audience <= 2 then 1 else 0 end) - (case when old.audience <= 2 then 1
        else 0 end), num_seen_3 = num_seen_3 + (case when new.audience <= 3 then 1 else 0 end) - (case
        when old.audience <= 3 then 1 else 0 end) where id in (select topic_id from repo_topic
        where repo_id = new.id);
      return null;
    end $$`,
    `create function drop_topics() returns trigger language plpgsql as $$
    begin
      delete from repo_topic where repo_id = old.id;
      return old;
    end $$`,
    `create function copy_audience() returns trigger language plpgsql as $$
    begin
      select audience into new.audience from repo where id = new.repo_id for no key update;
      return new;
    end $$`,
    `create function pass_on_audience_given() returns trigger language plpgsql as $$
    begin
      update collaboration set audience = new.audience where repo_id = new.id;
      return null;
    end $$`,
    `create trigger repo_audience before insert or update of owner_id, is_private on repo for each row
      execute function set_audience()`,
    `create trigger topic_count_audience after update of audience, owner_id, is_private on repo for each row
      when (old.audience <> new.audience) execute function move_topics()`,
    `create trigger topic_count_repo before delete on repo for each row execute function drop_topics()`,
    `create trigger collaboration_audience before insert or update of repo_id on collaboration
      for each row execute function copy_audience()`,
    `create trigger repo_audience_given after update of audience, owner_id, is_private on repo for each row
      when (old.audience <> new.audience) execute function pass_on_audience_given()`,
  ],
}
