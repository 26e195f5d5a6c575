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

/** Access level: 0 none, 1 read, 2 write, 3 admin, 4 owner. */
export type AccessMode = 0 | 1 | 2 | 3 | 4

/** Accounts: people and organizations. Both share one namespace. */
export interface UserTable {
  id: Generated<UserId>
  /**
   * `system`: acts for the server, for example in workflow jobs; it cannot sign in and is not listed. `reserved`:
   * belongs to nobody; lookups by name and account lists skip it (`imports/hidden-account.service.ts`).
   */
  kind: 'individual' | 'organization' | 'system' | 'reserved'
  name: string
  lower_name: string
  full_name: string
  /**
   * The primary address as entered; `email` holds all addresses with their states. Empty for an organization without an
   * address.
   */
  email: string
  keep_email_private: boolean
  email_notifications: 'enabled' | 'onmention' | 'andyourown' | 'disabled'
  /** Encoded hash; null when the account cannot sign in with a password. */
  password_hash: string | null
  must_change_password: boolean
  is_admin: boolean
  is_active: boolean
  is_restricted: boolean
  prohibit_login: boolean
  allow_git_hook: boolean
  allow_import_local: boolean
  allow_create_organization: boolean
  /** The maximum number of repositories that the account may own; -1: the instance default. */
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
  /** Hidden from anonymous visitors. */
  hide_pronouns: Generated<boolean>
  enable_repo_unit_hints: boolean
  /** Blob key of the avatar; empty: generated from the name. */
  avatar_key: string
  /** The sign-in source of the account; 0: the local database. */
  login_source_id: Generated<number>
  login_name: string
  /** Organizations: whether repository administrators may give teams access to the repository. */
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

/** Former account names. Each redirects until another account takes the name. */
export interface UserRedirectTable {
  lower_name: string
  user_id: UserId
  created_unix: Unix
}

export interface AccessTokenTable {
  id: Generated<TokenId>
  user_id: UserId
  name: string
  /** Keyed hash. The server shows the token once and does not store it. */
  token_hash: string
  token_last_eight: string
  /** Normalized; comma-separated. */
  scopes: string
  created_unix: Unix
  last_used_unix: Generated<Unix>
}

/** A browser session, active or renewable by a remember-me cookie. */
export interface SessionTable {
  id: Generated<SessionId>
  /** Hash of the session cookie's value. */
  secret_hash: string
  user_id: UserId
  created_unix: Unix
  /** When the person last entered credentials; renewals do not change it. 0 when unknown. */
  authenticated_unix: Unix
  /** When the session expires; each use extends it. */
  expires_unix: Unix
  /** Client address and user agent of the last sign-in or renewal. */
  address: string
  client: string
  /** Rounded to a minute. */
  used_unix: Unix
  /** Hash of the remember-me token; null without one. Each use replaces the token. */
  remember_hash: string | null
  /** Hash of the previous remember-me token. */
  former_hash: string | null
  renewed_unix: Unix
  /** 0 without a remember-me token. */
  remember_until_unix: Unix
}

/** Passkeys (WebAuthn credentials). */
export interface PasskeyTable {
  id: Generated<PasskeyId>
  user_id: UserId
  /** The credential id that the browser sends. */
  credential_id: string
  /** COSE key in base64url. */
  public_key: string
  /** The signature counter of the authenticator; 0 when it does not count. */
  counter: number
  /** WebAuthn transports, comma-separated. */
  transports: string
  name: string
  created_unix: Unix
  /** 0: never. */
  used_unix: Unix
}

/** Passkey challenges that were already answered. A challenge is valid once. */
export interface PasskeyChallengeTable {
  hash: string
  expires_unix: Unix
}

/** The second factor of an account: TOTP codes, passkeys, or both. */
export interface TwoFactorTable {
  id: Generated<number>
  user_id: UserId
  /** The TOTP secret, sealed for the purpose `two-factor`; empty for an account that has only passkeys. */
  sealed: string
  /** Hash of the recovery code; empty after its use. */
  scratch_hash: string
  /** The TOTP time step of the last accepted code. Pages reject codes of this step and earlier steps. */
  last_step: number
  /** Failed codes since `failed_unix`. */
  failures: number
  failed_unix: Unix
  created_unix: Unix
}

/**
 * A mailed link that works once. A request for an address without an account also inserts a row, so neither the answer
 * nor its duration reveals whether the account exists. The row does not store the link; its contents are signed.
 */
export interface MailedLinkTable {
  id: Generated<LinkId>
  /** `sign-up` creates an account, `address` confirms an address, `reset` lets the owner set a new password. */
  kind: 'sign-up' | 'address' | 'reset'
  email: string
  lower_email: string
  /** The account whose address is confirmed; null for the other kinds. */
  user_id: UserId | null
  /** The sign-up form's values; empty for the other kinds. */
  name: string
  password_hash: string
  /** The language of the requesting browser. */
  language: string
  created_unix: Unix
  expires_unix: Unix
  used_unix: Unix | null
}

/** An external sign-in source: an OpenID Connect provider or an LDAP directory. */
export interface SignInSourceTable {
  id: Generated<SourceId>
  kind: 'openid' | 'ldap'
  name: string
  is_active: boolean
  /** JSON, specific to the kind; without the secret. */
  settings: string
  /** The client secret or the bind password, sealed for the purpose `sign-in-source`; empty without one. */
  sealed: string
  created_unix: Unix
  updated_unix: Unix
}

/** The identity of an account at a provider. An account can have several identities. */
export interface ExternalAccountTable {
  id: Generated<ExternalAccountId>
  source_id: SourceId
  /** The identifier that the provider never reassigns (`sub`). */
  external_id: string
  user_id: UserId
  /** The name at the provider, shown to the account's owner. */
  name: string
  created_unix: Unix
  used_unix: Unix
}

/** SSH keys. A key belongs to an account or is a deploy key (`deploy_key`), never both. */
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
  /** The primary key of a subkey; null for a primary key. */
  primary_id: GpgKeyId | null
  /** Sixteen hexadecimal digits, upper case. */
  key_id: string
  /** Hexadecimal. */
  fingerprint: string
  /** The public-key packet in base64. */
  public_packet: string
  /** The armored key; empty for subkeys. */
  armored: string
  /** JSON: the key's addresses that belonged to the account when the key was added. */
  emails: string
  can_sign: boolean
  can_encrypt_comms: boolean
  can_encrypt_storage: boolean
  can_certify: boolean
  /** Whether the account proved that it holds the private key. */
  is_verified: boolean
  created_unix: Unix
  /** 0: never. */
  expires_unix: Unix
}

export interface FollowTable {
  follower_id: UserId
  /** The followed account. */
  user_id: UserId
  created_unix: Unix
}

/** Blocks between accounts. The blocker is a person or an organization; the blocked account is a person. */
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
  /** The highest access of the team; 4 only for the owners team. */
  access_mode: AccessMode
  includes_all_repositories: boolean
  can_create_org_repo: boolean
  created_unix: Unix
  /** The access per unit, one octal digit each; the last digit is the first of `repoUnits`. A trigger sets it. */
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
  /** Copies of the team's columns; triggers set all three. */
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
