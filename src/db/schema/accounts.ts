import type { AreaSchema } from './area.ts'
import { rowRevisions } from './row-revisions.ts'

/** Accounts, organizations, teams and credentials. */
export const accounts: AreaSchema = {
  tables: [
    `create table "user" (
      id {id},
      kind text not null,
      name text not null,
      lower_name text not null unique,
      full_name text not null default '',
      email text not null default '',
      keep_email_private boolean not null default false,
      email_notifications text not null default 'enabled',
      password_hash text,
      must_change_password boolean not null default false,
      is_admin boolean not null default false,
      is_active boolean not null default true,
      is_restricted boolean not null default false,
      prohibit_login boolean not null default false,
      allow_git_hook boolean not null default false,
      allow_import_local boolean not null default false,
      allow_create_organization boolean not null default true,
      max_repo_creation integer not null default -1,
      visibility text not null default 'public',
      description text not null default '',
      location text not null default '',
      website text not null default '',
      pronouns text not null default '',
      language text not null default '',
      theme text not null default '',
      diff_view_style text not null default '',
      hide_activity boolean not null default false,
      hide_pronouns boolean not null default false,
      enable_repo_unit_hints boolean not null default true,
      avatar_key text not null default '',
      login_source_id bigint not null default 0,
      login_name text not null default '',
      repo_admin_change_team_access boolean not null default false,
      num_followers integer not null default 0,
      num_following integer not null default 0,
      num_stars integer not null default 0,
      num_repos integer not null default 0,
      created_unix bigint not null,
      updated_unix bigint not null,
      last_login_unix bigint not null default 0
    )`,
    `create table email (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      email text not null,
      lower_email text not null unique,
      is_activated boolean not null default false,
      is_primary boolean not null default false
    )`,
    `create table user_redirect (
      lower_name text primary key,
      user_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null
    )`,
    `create table access_token (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      name text not null,
      token_hash text not null unique,
      token_last_eight text not null,
      scopes text not null,
      created_unix bigint not null,
      last_used_unix bigint not null default 0,
      unique (user_id, name)
    )`,
    `create table session (
      id {id},
      secret_hash text not null unique,
      user_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null,
      expires_unix bigint not null,
      address text not null default '',
      client text not null default '',
      used_unix bigint not null default 0,
      remember_hash text,
      former_hash text,
      renewed_unix bigint not null default 0,
      remember_until_unix bigint not null default 0,
      authenticated_unix bigint not null default 0
    )`,
    `create table public_key (
      id {id},
      owner_id bigint references "user"(id) on delete cascade,
      title text not null,
      fingerprint text not null unique,
      content text not null,
      is_read_only boolean not null default false,
      created_unix bigint not null,
      last_used_unix bigint not null default 0
    )`,
    `create table follow (
      follower_id bigint not null references "user"(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null,
      primary key (follower_id, user_id)
    )`,
    `create table user_block (
      blocker_id bigint not null references "user"(id) on delete cascade,
      blocked_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null,
      primary key (blocker_id, blocked_id)
    )`,
    `create table org_user (
      org_id bigint not null references "user"(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      is_public boolean not null default false,
      primary key (org_id, user_id)
    )`,
    `create table team (
      id {id},
      org_id bigint not null references "user"(id) on delete cascade,
      name text not null,
      lower_name text not null,
      description text not null default '',
      access_mode integer not null,
      includes_all_repositories boolean not null default false,
      can_create_org_repo boolean not null default false,
      created_unix bigint not null,
      unit_modes bigint not null default 0,
      unique (org_id, lower_name)
    )`,
    `create table team_unit (
      team_id bigint not null references team(id) on delete cascade,
      org_id bigint not null references "user"(id) on delete cascade,
      unit text not null,
      access_mode integer not null,
      primary key (team_id, unit)
    )`,
    `create table team_user (
      team_id bigint not null references team(id) on delete cascade,
      org_id bigint not null references "user"(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      includes_all_repositories boolean not null default false,
      access_mode integer not null default 0,
      unit_modes bigint not null default 0,
      primary key (team_id, user_id)
    )`,
    `create table gpg_key (
      id {id},
      owner_id bigint not null references "user"(id) on delete cascade,
      primary_id bigint references gpg_key(id) on delete cascade,
      key_id text not null,
      fingerprint text not null unique,
      public_packet text not null,
      armored text not null,
      emails text not null,
      can_sign boolean not null,
      can_encrypt_comms boolean not null,
      can_encrypt_storage boolean not null,
      can_certify boolean not null,
      is_verified boolean not null,
      created_unix bigint not null,
      expires_unix bigint not null
    )`,
    `create table two_factor (
      id {id},
      user_id bigint not null unique references "user"(id) on delete cascade,
      sealed text not null,
      scratch_hash text not null,
      last_step bigint not null,
      failures bigint not null,
      failed_unix bigint not null,
      created_unix bigint not null
    )`,
    `create table mailed_link (
      id {id},
      kind text not null,
      email text not null,
      lower_email text not null,
      user_id bigint references "user"(id) on delete cascade,
      name text not null,
      password_hash text not null,
      language text not null,
      created_unix bigint not null,
      expires_unix bigint not null,
      used_unix bigint
    )`,
    `create table passkey (
      id {id},
      user_id bigint not null references "user"(id) on delete cascade,
      credential_id text not null unique,
      public_key text not null,
      counter bigint not null,
      transports text not null,
      name text not null,
      created_unix bigint not null,
      used_unix bigint not null
    )`,
    `create table passkey_challenge (
      hash text not null primary key,
      expires_unix bigint not null
    )`,
    `create table sign_in_source (
      id {id},
      kind text not null,
      name text not null unique,
      is_active boolean not null,
      settings text not null,
      sealed text not null,
      created_unix bigint not null,
      updated_unix bigint not null
    )`,
    `create table external_account (
      id {id},
      source_id bigint not null references sign_in_source(id) on delete cascade,
      external_id text not null,
      user_id bigint not null references "user"(id) on delete cascade,
      name text not null,
      created_unix bigint not null,
      used_unix bigint not null,
      unique (source_id, external_id)
    )`,
  ],
  indexes: [
    `create index email_user on email (user_id)`,
    `create index session_expires on session (expires_unix)`,
    `create index public_key_owner on public_key (owner_id)`,
    `create index user_block_blocked on user_block (blocked_id)`,
    `create index org_user_user on org_user (user_id)`,
    `create index gpg_key_owner on gpg_key (owner_id, id)`,
    `create index gpg_key_key_id on gpg_key (key_id)`,
    `create index gpg_key_primary on gpg_key (primary_id) where primary_id is not null`,
    `create index mailed_link_email on mailed_link (lower_email, created_unix)`,
    `create index mailed_link_created on mailed_link (created_unix)`,
    `create index mailed_link_user on mailed_link (user_id)`,
    `create unique index session_remember on session (remember_hash)`,
    `create index session_former on session (former_hash)`,
    `create index session_of_user on session (user_id, id)`,
    `create index passkey_user on passkey (user_id, id)`,
    `create index passkey_challenge_expires on passkey_challenge (expires_unix)`,
    `create index external_account_user on external_account (user_id, id)`,
    `create index user_login_source on "user" (login_source_id, login_name) where login_source_id > 0`,
    `create index follow_followers on follow (user_id, created_unix, follower_id)`,
    `create index follow_following on follow (follower_id, created_unix, user_id)`,
    `create index org_user_public on org_user (org_id, is_public, user_id)`,
    `create index user_hidden on "user" (id, hide_activity, visibility) where hide_activity or visibility <> 'public'`,
    `create index team_unit_mode on team_unit (team_id, unit, access_mode)`,
    `create index user_by_created_unix on "user" (kind, created_unix, id, login_source_id)`,
    `create index user_by_updated_unix on "user" (kind, updated_unix, id, login_source_id)`,
    `create index user_by_last_login_unix on "user" (kind, last_login_unix, id, login_source_id)`,
    `create index user_redirect_user on user_redirect (user_id)`,
    `create index team_user_org on team_user (org_id)`,
    `create index team_unit_org on team_unit (org_id)`,
    `create index user_by_lower_name on "user" (kind, lower_name, id, login_source_id, visibility)`,
    `create index team_user_user on team_user (user_id, org_id, team_id, includes_all_repositories, access_mode,
      unit_modes)`,
    `create index user_login_name on "user" (login_name) where login_name <> ''`,
  ],
  sqlite: [
    ...rowRevisions('user'),
    `create trigger owner_audience_update after update of kind, visibility on "user" when old.kind <> new.kind
      or old.visibility <> new.visibility begin
      update repo set audience = case when new.kind = 'reserved' then 4 when is_private then 3
        when new.visibility = 'public' then 0 when new.visibility = 'limited' then 1 else 2 end
        where owner_id = new.id;
    end`,
    `create trigger owner_name_update after update of lower_name on "user" when old.lower_name <> new.lower_name begin
      update repo set owner_lower_name = new.lower_name where owner_id = new.id;
    end`,
    `create trigger team_unit_modes_insert after insert on team_unit begin
      update team set unit_modes = unit_modes + new.access_mode * case new.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = new.team_id;
    end`,
    `create trigger team_unit_modes_delete after delete on team_unit begin
      update team set unit_modes = unit_modes - old.access_mode * case old.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = old.team_id;
    end`,
    `create trigger team_unit_modes_update after update of team_id, unit, access_mode on team_unit begin
      update team set unit_modes = unit_modes - old.access_mode * case old.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = old.team_id;
      update team set unit_modes = unit_modes + new.access_mode * case new.unit when 'code' then 1 when 'issues'
        then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki' then 4096 when 'projects' then 32768
        when 'packages' then 262144 when 'actions' then 2097152 when 'ext_issues' then 16777216 when 'ext_wiki'
        then 134217728 else 0 end where id = new.team_id;
    end`,
    `create trigger team_user_gives_insert after insert on team_user begin
      update team_user set (includes_all_repositories, access_mode, unit_modes) = (select includes_all_repositories,
        access_mode, unit_modes from team where id = new.team_id) where team_id = new.team_id
        and user_id = new.user_id;
    end`,
    `create trigger team_user_gives_update after update of team_id on team_user begin
      update team_user set (includes_all_repositories, access_mode, unit_modes) = (select includes_all_repositories,
        access_mode, unit_modes from team where id = new.team_id) where team_id = new.team_id
        and user_id = new.user_id;
    end`,
    `create trigger team_gives after update of includes_all_repositories, access_mode, unit_modes on team
      when old.includes_all_repositories <> new.includes_all_repositories or old.access_mode <> new.access_mode
      or old.unit_modes <> new.unit_modes begin
      update team_user set includes_all_repositories = new.includes_all_repositories, access_mode = new.access_mode,
        unit_modes = new.unit_modes where team_id = new.id;
    end`,
  ],
  postgres: [
    `create function pass_on_audience() returns trigger language plpgsql as $$
    begin
      if old.kind <> new.kind or old.visibility <> new.visibility then
        update repo set audience = case when new.kind = 'reserved' then 4 when is_private then 3
          when new.visibility = 'public' then 0 when new.visibility = 'limited' then 1 else 2 end
          where owner_id = new.id;
      end if;
      return null;
    end $$`,
    `create function pass_on_name() returns trigger language plpgsql as $$
    begin
      update repo set owner_lower_name = new.lower_name where owner_id = new.id;
      return null;
    end $$`,
    `create function sum_team_units() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then
        update team set unit_modes = unit_modes - cast(coalesce((select sum(given.access_mode * case given.unit
          when 'code' then 1 when 'issues' then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki'
          then 4096 when 'projects' then 32768 when 'packages' then 262144 when 'actions' then 2097152
          when 'ext_issues' then 16777216 when 'ext_wiki' then 134217728 else 0 end) from were as given
          where given.team_id = team.id), 0) as bigint) where id in (select team_id from were);
      end if;
      if tg_op <> 'DELETE' then
        update team set unit_modes = unit_modes + cast(coalesce((select sum(given.access_mode * case given.unit
          when 'code' then 1 when 'issues' then 8 when 'pulls' then 64 when 'releases' then 512 when 'wiki'
          then 4096 when 'projects' then 32768 when 'packages' then 262144 when 'actions' then 2097152
          when 'ext_issues' then 16777216 when 'ext_wiki' then 134217728 else 0 end) from are as given
          where given.team_id = team.id), 0) as bigint) where id in (select team_id from are);
      end if;
      return null;
    end $$`,
    `create function copy_what_team_gives() returns trigger language plpgsql as $$
    begin
      select includes_all_repositories, access_mode, unit_modes into new.includes_all_repositories, new.access_mode,
        new.unit_modes from team where id = new.team_id for no key update;
      return new;
    end $$`,
    `create function pass_on_what_team_gives() returns trigger language plpgsql as $$
    begin
      update team_user set includes_all_repositories = new.includes_all_repositories, access_mode = new.access_mode,
        unit_modes = new.unit_modes where team_id = new.id;
      return null;
    end $$`,
    `create trigger user_revision after insert or update or delete on "user" for each row
      execute function count_revision()`,
    `create trigger owner_audience after update of kind, visibility on "user" for each row
      execute function pass_on_audience()`,
    `create trigger owner_name after update of lower_name on "user" for each row
      when (old.lower_name <> new.lower_name) execute function pass_on_name()`,
    `create trigger team_unit_modes_insert after insert on team_unit referencing new table as are
      for each statement execute function sum_team_units()`,
    `create trigger team_unit_modes_delete after delete on team_unit referencing old table as were
      for each statement execute function sum_team_units()`,
    `create trigger team_unit_modes_update after update on team_unit referencing old table as were new table as are
      for each statement execute function sum_team_units()`,
    `create trigger team_user_gives before insert or update of team_id on team_user for each row
      execute function copy_what_team_gives()`,
    `create trigger team_gives after update of includes_all_repositories, access_mode, unit_modes on team
      for each row when (old.includes_all_repositories <> new.includes_all_repositories
      or old.access_mode <> new.access_mode or old.unit_modes <> new.unit_modes)
      execute function pass_on_what_team_gives()`,
  ],
}
