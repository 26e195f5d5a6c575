import type { Insertable, Selectable, Updateable } from 'kysely'
import type { GpgKeyId, KeyId, SavedReplyId, TeamId, TokenId, UserId } from '../../lib/ids.ts'
import {
  bigint,
  byTrigger,
  flag,
  given,
  id,
  integer,
  nullable,
  primaryKey,
  ref,
  table,
  text,
  unique,
  unix,
  type TablesOf,
} from '../table.ts'

export type Visibility = 'public' | 'limited' | 'private'

/** Access level: 0 none, 1 read, 2 write, 3 admin, 4 owner. */
export type AccessMode = 0 | 1 | 2 | 3 | 4

export const accountTables = {
  /** Accounts: people and organizations. Both share one namespace. */
  user: table(
    {
      id: id<UserId>(),
      /**
       * `system`: acts for the server, for example in workflow jobs; it cannot sign in and is not listed. `reserved`:
       * belongs to nobody; lookups by name and account lists skip it (`imports/hidden-account.service.ts`).
       */
      kind: text<'individual' | 'organization' | 'system' | 'reserved'>(),
      name: text(),
      lower_name: unique(text()),
      full_name: given(text('')),
      /**
       * The primary address as entered; `email` holds all addresses with their states. Empty for an organization without an
       * address.
       */
      email: given(text('')),
      keep_email_private: given(flag(false)),
      email_notifications: given(text<'enabled' | 'onmention' | 'andyourown' | 'disabled'>('enabled')),
      /** Encoded hash; null when the account cannot sign in with a password. */
      password_hash: nullable(text()),
      must_change_password: given(flag(false)),
      is_admin: given(flag(false)),
      is_active: given(flag(true)),
      is_restricted: given(flag(false)),
      prohibit_login: given(flag(false)),
      allow_git_hook: given(flag(false)),
      allow_import_local: given(flag(false)),
      allow_create_organization: given(flag(true)),
      /** The maximum number of repositories that the account may own; -1: the instance default. */
      max_repo_creation: given(integer(-1)),
      visibility: given(text<Visibility>('public')),
      description: given(text('')),
      location: given(text('')),
      website: given(text('')),
      pronouns: given(text('')),
      language: given(text('')),
      theme: given(text('')),
      diff_view_style: given(text('')),
      hide_activity: given(flag(false)),
      /** Hidden from anonymous visitors. */
      hide_pronouns: flag(false),
      enable_repo_unit_hints: given(flag(true)),
      /** Blob key of the avatar; empty: generated from the name. */
      avatar_key: given(text('')),
      /** The sign-in source of the account; 0: the local database. */
      login_source_id: bigint(0),
      login_name: given(text('')),
      /** Organizations: whether repository administrators may give teams access to the repository. */
      repo_admin_change_team_access: given(flag(false)),
      num_followers: integer(0),
      num_following: integer(0),
      num_stars: integer(0),
      num_repos: integer(0),
      created_unix: unix(),
      updated_unix: unix(),
      last_login_unix: unix(0),
    },
    {
      indexes: {
        user_login_source: '(login_source_id, login_name) where login_source_id > 0',
        user_hidden: "(id, hide_activity, visibility) where hide_activity or visibility <> 'public'",
        user_by_created_unix: '(kind, created_unix, id, login_source_id)',
        user_by_updated_unix: '(kind, updated_unix, id, login_source_id)',
        user_by_last_login_unix: '(kind, last_login_unix, id, login_source_id)',
        user_by_lower_name: '(kind, lower_name, id, login_source_id, visibility)',
        user_login_name: "(login_name) where login_name <> ''",
      },
    },
  ),

  email: table(
    {
      id: id<number>(),
      user_id: ref<UserId>('user', 'cascade'),
      email: text(),
      lower_email: unique(text()),
      is_activated: given(flag(false)),
      is_primary: given(flag(false)),
    },
    { indexes: { email_user: '(user_id)' } },
  ),

  /** Former account names. Each redirects until another account takes the name. */
  user_redirect: table(
    {
      lower_name: primaryKey(text()),
      user_id: ref<UserId>('user', 'cascade'),
      created_unix: unix(),
    },
    { indexes: { user_redirect_user: '(user_id)' } },
  ),

  access_token: table(
    {
      id: id<TokenId>(),
      user_id: ref<UserId>('user', 'cascade'),
      name: text(),
      /** Keyed hash. The server shows the token once and does not store it. */
      token_hash: unique(text()),
      token_last_eight: text(),
      /** Normalized; comma-separated. */
      scopes: text(),
      created_unix: unix(),
      last_used_unix: unix(0),
    },
    { unique: [['user_id', 'name']] },
  ),

  /** SSH keys. A key belongs to an account or is a deploy key (`deploy_key`), never both. */
  public_key: table(
    {
      id: id<KeyId>(),
      /** Null for deploy keys. */
      owner_id: nullable(ref<UserId>('user', 'cascade')),
      title: text(),
      fingerprint: unique(text()),
      content: text(),
      is_read_only: given(flag(false)),
      created_unix: unix(),
      last_used_unix: unix(0),
    },
    { indexes: { public_key_owner: '(owner_id)' } },
  ),

  follow: table(
    {
      follower_id: ref<UserId>('user', 'cascade'),
      /** The followed account. */
      user_id: ref<UserId>('user', 'cascade'),
      created_unix: unix(),
    },
    {
      primaryKey: ['follower_id', 'user_id'],
      indexes: {
        follow_followers: '(user_id, created_unix, follower_id)',
        follow_following: '(follower_id, created_unix, user_id)',
      },
    },
  ),

  /** Blocks between accounts. The blocker is a person or an organization; the blocked account is a person. */
  user_block: table(
    {
      blocker_id: ref<UserId>('user', 'cascade'),
      blocked_id: ref<UserId>('user', 'cascade'),
      created_unix: unix(),
    },
    { primaryKey: ['blocker_id', 'blocked_id'], indexes: { user_block_blocked: '(blocked_id)' } },
  ),

  org_user: table(
    {
      org_id: ref<UserId>('user', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      is_public: given(flag(false)),
    },
    {
      primaryKey: ['org_id', 'user_id'],
      indexes: { org_user_user: '(user_id)', org_user_public: '(org_id, is_public, user_id)' },
    },
  ),

  team: table(
    {
      id: id<TeamId>(),
      org_id: ref<UserId>('user', 'cascade'),
      name: text(),
      lower_name: text(),
      description: given(text('')),
      /** The highest access of the team; 4 only for the owners team. */
      access_mode: integer<AccessMode>(),
      includes_all_repositories: given(flag(false)),
      can_create_org_repo: given(flag(false)),
      created_unix: unix(),
      /** The access per unit, one octal digit each; the last digit is the first of `repoUnits`. A trigger sets it. */
      unit_modes: byTrigger(bigint(0)),
    },
    { unique: [['org_id', 'lower_name']] },
  ),

  team_unit: table(
    {
      team_id: ref<TeamId>('team', 'cascade'),
      org_id: ref<UserId>('user', 'cascade'),
      unit: text(),
      access_mode: integer<AccessMode>(),
    },
    {
      primaryKey: ['team_id', 'unit'],
      indexes: { team_unit_mode: '(team_id, unit, access_mode)', team_unit_org: '(org_id)' },
    },
  ),

  team_user: table(
    {
      team_id: ref<TeamId>('team', 'cascade'),
      org_id: ref<UserId>('user', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      /** Copies of the team's columns; triggers set all three. */
      includes_all_repositories: byTrigger(flag(false)),
      access_mode: byTrigger(integer<AccessMode>(0)),
      unit_modes: byTrigger(bigint(0)),
    },
    {
      primaryKey: ['team_id', 'user_id'],
      indexes: {
        team_user_org: '(org_id)',
        team_user_user: '(user_id, org_id, team_id, includes_all_repositories, access_mode, unit_modes)',
      },
    },
  ),

  /** OpenPGP keys of accounts, and their subkeys. */
  gpg_key: table(
    {
      id: id<GpgKeyId>(),
      owner_id: ref<UserId>('user', 'cascade'),
      /** The primary key of a subkey; null for a primary key. */
      primary_id: nullable(ref<GpgKeyId>('gpg_key', 'cascade')),
      /** Sixteen hexadecimal digits, upper case. */
      key_id: text(),
      /** Hexadecimal. */
      fingerprint: unique(text()),
      /** The public-key packet in base64. */
      public_packet: text(),
      /** The armored key; empty for subkeys. */
      armored: text(),
      /** JSON: the key's addresses that belonged to the account when the key was added. */
      emails: text(),
      can_sign: flag(),
      can_encrypt_comms: flag(),
      can_encrypt_storage: flag(),
      can_certify: flag(),
      /** Whether the account proved that it holds the private key. */
      is_verified: flag(),
      created_unix: unix(),
      /** 0: never. */
      expires_unix: unix(),
    },
    {
      indexes: {
        gpg_key_owner: '(owner_id, id)',
        gpg_key_key_id: '(key_id)',
        gpg_key_primary: '(primary_id) where primary_id is not null',
      },
    },
  ),

  /** Texts that a person puts into comments again and again. */
  saved_reply: table(
    {
      id: id<SavedReplyId>(),
      user_id: ref<UserId>('user', 'cascade'),
      title: text(),
      content: text(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { indexes: { saved_reply_user: '(user_id, title, id)' } },
  ),
}

export type AccountTables = TablesOf<typeof accountTables>
export type UserTable = AccountTables['user']
export type UserBlockTable = AccountTables['user_block']
export type UserRow = Selectable<UserTable>
export type NewUserRow = Insertable<UserTable>
export type UserChange = Updateable<UserTable>
export type EmailRow = Selectable<AccountTables['email']>
export type AccessTokenRow = Selectable<AccountTables['access_token']>
export type PublicKeyRow = Selectable<AccountTables['public_key']>
export type TeamRow = Selectable<AccountTables['team']>
export type TeamUnitRow = Selectable<AccountTables['team_unit']>
export type GpgKeyRow = Selectable<AccountTables['gpg_key']>
export type NewGpgKeyRow = Insertable<AccountTables['gpg_key']>
export type SavedReplyRow = Selectable<AccountTables['saved_reply']>
