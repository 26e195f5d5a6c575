import type { Generated, GeneratedAlways, Insertable, Selectable, Updateable } from 'kysely'
import type {
  ExternalAccountId,
  GpgKeyId,
  KeyId,
  LinkId,
  PasskeyId,
  RepoId,
  SessionId,
  SourceId,
  TeamId,
  TokenId,
  UserId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

export type Visibility = 'public' | 'limited' | 'private'

/** Access to a thing, by rank: 0 none, 1 read, 2 write, 3 admin, 4 owner. */
export type AccessMode = 0 | 1 | 2 | 3 | 4

/** Accounts: people and organizations, whose names share one space. */
export interface UserTable {
  id: Generated<UserId>
  /**
   * `system`: what acts by itself, as jobs of workflows do. It signs in nowhere and is in no list of people. `reserved`:
   * nobody's, no name finds it, and who lists accounts passes over it; see `imports/hidden-account.service.ts`.
   */
  kind: 'individual' | 'organization' | 'system' | 'reserved'
  name: string
  lower_name: string
  full_name: string
  /** The primary address as written; addresses with their states are in `email`. Empty for organizations without one. */
  email: string
  keep_email_private: boolean
  email_notifications: 'enabled' | 'onmention' | 'andyourown' | 'disabled'
  /** Encoded hash; null when nobody can sign in with a password. */
  password_hash: string | null
  must_change_password: boolean
  is_admin: boolean
  is_active: boolean
  is_restricted: boolean
  prohibit_login: boolean
  allow_git_hook: boolean
  allow_import_local: boolean
  allow_create_organization: boolean
  /** Most repositories the account may own; -1: as the instance says. */
  max_repo_creation: number
  visibility: Visibility
  description: string
  location: string
  website: string
  pronouns: string
  language: string
  theme: string
  diff_view_style: string
  hide_activity: boolean
  /** Guests are not told the pronouns. */
  hide_pronouns: Generated<boolean>
  enable_repo_unit_hints: boolean
  /** Blob key of the picture; empty: drawn from the name. */
  avatar_key: string
  /** Where its password is asked for, or where it came from; 0 is here. */
  login_source_id: Generated<number>
  login_name: string
  /** Organizations: whether administrators of a repository may give teams access to it. */
  repo_admin_change_team_access: boolean
  num_followers: Generated<number>
  num_following: Generated<number>
  num_stars: Generated<number>
  num_repos: Generated<number>
  created_unix: Unix
  updated_unix: Unix
  last_login_unix: Generated<Unix>
}

export interface EmailTable {
  id: Generated<number>
  user_id: UserId
  email: string
  lower_email: string
  is_activated: boolean
  is_primary: boolean
}

/** Former names of accounts, which redirect until somebody takes the name. */
export interface UserRedirectTable {
  lower_name: string
  user_id: UserId
  created_unix: Unix
}

export interface AccessTokenTable {
  id: Generated<TokenId>
  user_id: UserId
  name: string
  /** Keyed hash of the token, which itself is shown once and kept nowhere. */
  token_hash: string
  token_last_eight: string
  /** Normal form, joined by commas. */
  scopes: string
  created_unix: Unix
  last_used_unix: Generated<Unix>
}

/** A browser that is signed in, or that may be again because it stays signed in. */
export interface SessionTable {
  id: Generated<SessionId>
  /** Hash of the cookie's value. */
  secret_hash: string
  user_id: UserId
  created_unix: Unix
  /** When the person signed in, however often the session was taken up again since; 0 where nobody knows. */
  authenticated_unix: Unix
  /** Until when the cookie counts: a while after it was last used. */
  expires_unix: Unix
  /** Where the browser was when it signed in or was taken up again, and what it called itself. */
  address: string
  client: string
  /** To a minute. */
  used_unix: Unix
  /** Hash of what the browser stays signed in by, when it does; used once, then it has another one. */
  remember_hash: string | null
  /** Of the one before. */
  former_hash: string | null
  renewed_unix: Unix
  /** 0 for a browser that does not stay signed in. */
  remember_until_unix: Unix
}

/** Keys of people's devices that sign in to this site. */
export interface PasskeyTable {
  id: Generated<PasskeyId>
  user_id: UserId
  /** As the browser names it. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  /** How often it signed, as the device counts; 0 for those that do not. */
  counter: number
  /** How browsers reach it, joined by commas. */
  transports: string
  name: string
  created_unix: Unix
  /** 0: never. */
  used_unix: Unix
}

/** Challenges for passkeys that were answered, which none is twice. */
export interface PasskeyChallengeTable {
  hash: string
  expires_unix: Unix
}

/** The second factor of an account: codes that a program on the person's device makes, passkeys, or both. */
export interface TwoFactorTable {
  id: Generated<number>
  user_id: UserId
  /** The key of the codes, sealed for the purpose `two-factor`; empty where there are passkeys alone. */
  sealed: string
  /** Of the code for when the device is lost; empty once it was used. */
  scratch_hash: string
  /** The time step of the code that last signed in on the pages; that code and those before it do not do so again. */
  last_step: number
  /** Wrong codes since `failed_unix`. */
  failures: number
  failed_unix: Unix
  created_unix: Unix
}

/**
 * A mail that somebody asked for by an address, with a link that does one thing once. Rows are made for addresses that
 * nobody has as well, so that neither the answer nor its time tells who is here. What the link holds is signed, not kept.
 */
export interface MailedLinkTable {
  id: Generated<LinkId>
  /** What it does: makes an account, confirms an address of one, or lets its owner choose another password. */
  kind: 'sign-up' | 'address' | 'reset'
  email: string
  lower_email: string
  /** Whose address is to be confirmed; null for the other kinds. */
  user_id: UserId | null
  /** What a sign-up asked for; empty for the other kinds. */
  name: string
  password_hash: string
  /** Of the browser that asked. */
  language: string
  created_unix: Unix
  expires_unix: Unix
  used_unix: Unix | null
}

/** Another place where people sign in: a provider of OpenID Connect, or a directory (LDAP). */
export interface SignInSourceTable {
  id: Generated<SourceId>
  kind: 'openid' | 'ldap'
  name: string
  is_active: boolean
  /** JSON by kind, without the secret. */
  settings: string
  /** The client's secret or the password of the directory's reader, sealed for the purpose `sign-in-source`; empty without one. */
  sealed: string
  created_unix: Unix
  updated_unix: Unix
}

/** Who somebody is at a provider; an account may be linked to several. */
export interface ExternalAccountTable {
  id: Generated<ExternalAccountId>
  source_id: SourceId
  /** What the provider never gives to anybody else (`sub`). */
  external_id: string
  user_id: UserId
  /** What they are called there, for themselves to know it again. */
  name: string
  created_unix: Unix
  used_unix: Unix
}

/** SSH keys: of accounts, and those that `deploy_key` gives access to repositories. A key is either, never both. */
export interface PublicKeyTable {
  id: Generated<KeyId>
  /** Null for deploy keys. */
  owner_id: UserId | null
  title: string
  fingerprint: string
  content: string
  is_read_only: boolean
  created_unix: Unix
  last_used_unix: Generated<Unix>
}

/** OpenPGP keys of accounts, and their subkeys. */
export interface GpgKeyTable {
  id: Generated<GpgKeyId>
  owner_id: UserId
  /** The key that a subkey belongs to; null for a key by itself. */
  primary_id: GpgKeyId | null
  /** Sixteen hexadecimal digits in upper case. */
  key_id: string
  /** Hexadecimal. */
  fingerprint: string
  /** Base64 of its public-key packet. */
  public_packet: string
  /** The whole key as text; empty for subkeys. */
  armored: string
  /** JSON: its addresses that were the account's when it was added. */
  emails: string
  can_sign: boolean
  can_encrypt_comms: boolean
  can_encrypt_storage: boolean
  can_certify: boolean
  /** The account showed that it has the private key. */
  is_verified: boolean
  created_unix: Unix
  /** 0: never. */
  expires_unix: Unix
}

export interface FollowTable {
  follower_id: UserId
  /** Who is followed. */
  user_id: UserId
  created_unix: Unix
}

/** Who does not want to hear from whom; the blocker may be an organization, the blocked is a person. */
export interface UserBlockTable {
  blocker_id: UserId
  blocked_id: UserId
  created_unix: Unix
}

export interface OrgUserTable {
  org_id: UserId
  user_id: UserId
  is_public: boolean
}

export interface TeamTable {
  id: Generated<TeamId>
  org_id: UserId
  name: string
  lower_name: string
  description: string
  /** Highest access of the team; 4 only for the team of owners. */
  access_mode: AccessMode
  includes_all_repositories: boolean
  can_create_org_repo: boolean
  created_unix: Unix
  /** What it gives in each unit: an octal digit, the first of `repoUnits` the last one. The database keeps it. */
  unit_modes: GeneratedAlways<number>
}

export interface TeamUnitTable {
  team_id: TeamId
  org_id: UserId
  unit: string
  access_mode: AccessMode
}

export interface TeamUserTable {
  team_id: TeamId
  org_id: UserId
  user_id: UserId
  /** What the team gives, as its row says. The database keeps these three. */
  includes_all_repositories: GeneratedAlways<boolean>
  access_mode: GeneratedAlways<AccessMode>
  unit_modes: GeneratedAlways<number>
}

export interface TeamRepoTable {
  team_id: TeamId
  org_id: UserId
  repo_id: RepoId
}

export interface AccountTables {
  user: UserTable
  follow: FollowTable
  user_block: UserBlockTable
  email: EmailTable
  user_redirect: UserRedirectTable
  access_token: AccessTokenTable
  session: SessionTable
  two_factor: TwoFactorTable
  passkey: PasskeyTable
  sign_in_source: SignInSourceTable
  external_account: ExternalAccountTable
  passkey_challenge: PasskeyChallengeTable
  mailed_link: MailedLinkTable
  public_key: PublicKeyTable
  gpg_key: GpgKeyTable
  org_user: OrgUserTable
  team: TeamTable
  team_unit: TeamUnitTable
  team_user: TeamUserTable
  team_repo: TeamRepoTable
}

export type UserRow = Selectable<UserTable>
export type NewUserRow = Insertable<UserTable>
export type UserChange = Updateable<UserTable>
export type EmailRow = Selectable<EmailTable>
export type AccessTokenRow = Selectable<AccessTokenTable>
export type PublicKeyRow = Selectable<PublicKeyTable>
export type TeamRow = Selectable<TeamTable>
export type TeamUnitRow = Selectable<TeamUnitTable>

export type GpgKeyRow = Selectable<GpgKeyTable>
export type NewGpgKeyRow = Insertable<GpgKeyTable>
export type SignInSourceRow = Selectable<SignInSourceTable>
export type NewSignInSourceRow = Insertable<SignInSourceTable>
export type SignInSourceChange = Updateable<SignInSourceTable>
export type ExternalAccountRow = Selectable<ExternalAccountTable>
export type PasskeyRow = Selectable<PasskeyTable>
export type NewPasskeyRow = Insertable<PasskeyTable>
export type SessionRow = Selectable<SessionTable>
export type NewSessionRow = Insertable<SessionTable>
export type MailedLinkRow = Selectable<MailedLinkTable>
export type NewMailedLinkRow = Insertable<MailedLinkTable>
export type TwoFactorRow = Selectable<TwoFactorTable>
export type NewTwoFactorRow = Insertable<TwoFactorTable>
