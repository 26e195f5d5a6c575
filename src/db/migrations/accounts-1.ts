import type { Migration } from './migration.ts'

export const accounts1: Migration = {
  name: 'accounts-1',
  formerly: '0001-accounts',
  statements: [
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
    `create index email_user on email (user_id)`,
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
      expires_unix bigint not null
    )`,
    `create index session_expires on session (expires_unix)`,
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
    `create index public_key_owner on public_key (owner_id)`,
    `create table follow (
      follower_id bigint not null references "user"(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null,
      primary key (follower_id, user_id)
    )`,
    `create index follow_user on follow (user_id)`,
    `create table user_block (
      blocker_id bigint not null references "user"(id) on delete cascade,
      blocked_id bigint not null references "user"(id) on delete cascade,
      created_unix bigint not null,
      primary key (blocker_id, blocked_id)
    )`,
    `create index user_block_blocked on user_block (blocked_id)`,
    `create table org_user (
      org_id bigint not null references "user"(id) on delete cascade,
      user_id bigint not null references "user"(id) on delete cascade,
      is_public boolean not null default false,
      primary key (org_id, user_id)
    )`,
    `create index org_user_user on org_user (user_id)`,
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
      primary key (team_id, user_id)
    )`,
    `create index team_user_user on team_user (user_id, org_id)`,
  ],
}
