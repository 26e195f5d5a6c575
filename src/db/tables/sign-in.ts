import type { Insertable, Selectable, Updateable } from 'kysely'
import type { ExternalAccountId, LinkId, PasskeyId, SessionId, SourceId, UserId } from '../../lib/ids.ts'
import { bigint, flag, given, id, nullable, ref, table, text, unique, unix, type TablesOf } from '../table.ts'

export const signInTables = {
  /** A browser session, active or renewable by a remember-me cookie. */
  session: table(
    {
      id: id<SessionId>(),
      /** Hash of the session cookie's value. */
      secret_hash: unique(text()),
      user_id: ref<UserId>('user', 'cascade'),
      created_unix: unix(),
      /** When the session expires; each use extends it. */
      expires_unix: unix(),
      /** Client address and user agent of the last sign-in or renewal. */
      address: given(text('')),
      client: given(text('')),
      /** Rounded to a minute. */
      used_unix: given(unix(0)),
      /** Hash of the remember-me token; null without one. Each use replaces the token. */
      remember_hash: nullable(text()),
      /** Hash of the previous remember-me token. */
      former_hash: nullable(text()),
      renewed_unix: given(unix(0)),
      /** 0 without a remember-me token. */
      remember_until_unix: given(unix(0)),
      /** When the person last entered credentials; renewals do not change it. 0 when unknown. */
      authenticated_unix: given(unix(0)),
    },
    {
      indexes: {
        session_expires: '(expires_unix)',
        session_remember: 'unique (remember_hash)',
        session_former: '(former_hash)',
        session_of_user: '(user_id, id)',
      },
    },
  ),

  /** The second factor of an account: TOTP codes, passkeys, or both. */
  two_factor: table({
    id: id<number>(),
    user_id: unique(ref<UserId>('user', 'cascade')),
    /** The TOTP secret, sealed for the purpose `two-factor`; empty for an account that has only passkeys. */
    sealed: text(),
    /** Hash of the recovery code; empty after its use. */
    scratch_hash: text(),
    /** The TOTP time step of the last accepted code. Pages reject codes of this step and earlier steps. */
    last_step: bigint(),
    /** Failed codes since `failed_unix`. */
    failures: bigint(),
    failed_unix: unix(),
    created_unix: unix(),
  }),

  /**
   * A mailed link that works once. A request for an address without an account also inserts a row, so neither the answer
   * nor its duration reveals whether the account exists. The row does not store the link; its contents are signed.
   */
  mailed_link: table(
    {
      id: id<LinkId>(),
      /** `sign-up` creates an account, `address` confirms an address, `reset` lets the owner set a new password. */
      kind: text<'sign-up' | 'address' | 'reset'>(),
      email: text(),
      lower_email: text(),
      /** The account whose address is confirmed; null for the other kinds. */
      user_id: nullable(ref<UserId>('user', 'cascade')),
      /** The sign-up form's values; empty for the other kinds. */
      name: text(),
      password_hash: text(),
      /** The language of the requesting browser. */
      language: text(),
      created_unix: unix(),
      expires_unix: unix(),
      used_unix: nullable(unix()),
    },
    {
      indexes: {
        mailed_link_email: '(lower_email, created_unix)',
        mailed_link_created: '(created_unix)',
        mailed_link_user: '(user_id)',
      },
    },
  ),

  /** Passkeys (WebAuthn credentials). */
  passkey: table(
    {
      id: id<PasskeyId>(),
      user_id: ref<UserId>('user', 'cascade'),
      /** The credential id that the browser sends. */
      credential_id: unique(text()),
      /** COSE key in base64url. */
      public_key: text(),
      /** The signature counter of the authenticator; 0 when it does not count. */
      counter: bigint(),
      /** WebAuthn transports, comma-separated. */
      transports: text(),
      name: text(),
      created_unix: unix(),
      /** 0: never. */
      used_unix: unix(),
    },
    { indexes: { passkey_user: '(user_id, id)' } },
  ),

  /** Passkey challenges that were already answered. A challenge is valid once. */
  passkey_challenge: table(
    {
      hash: text(),
      expires_unix: unix(),
    },
    { primaryKey: ['hash'], indexes: { passkey_challenge_expires: '(expires_unix)' } },
  ),

  /** An external sign-in source: an OpenID Connect provider or an LDAP directory. */
  sign_in_source: table({
    id: id<SourceId>(),
    kind: text<'openid' | 'ldap'>(),
    name: unique(text()),
    is_active: flag(),
    /** JSON, specific to the kind; without the secret. */
    settings: text(),
    /** The client secret or the bind password, sealed for the purpose `sign-in-source`; empty without one. */
    sealed: text(),
    created_unix: unix(),
    updated_unix: unix(),
  }),

  /** The identity of an account at a provider. An account can have several identities. */
  external_account: table(
    {
      id: id<ExternalAccountId>(),
      source_id: ref<SourceId>('sign_in_source', 'cascade'),
      /** The identifier that the provider never reassigns (`sub`). */
      external_id: text(),
      user_id: ref<UserId>('user', 'cascade'),
      /** The name at the provider, shown to the account's owner. */
      name: text(),
      created_unix: unix(),
      used_unix: unix(),
    },
    { unique: [['source_id', 'external_id']], indexes: { external_account_user: '(user_id, id)' } },
  ),

  /** A form of a page that was sent with a key, so that sending it again does nothing twice (docs/decisions/0172-a-form-is-sent-once.md). */
  sent_form: table(
    {
      user_id: ref<UserId>('user', 'cascade'),
      /** A random text of the browser. */
      key: text(),
      /** Hash of the sent values. */
      digest: text(),
      /** Where it led, as a path below the site root; '' until it has ended. */
      location: text(),
      /** What the next page said once. */
      notice: text(),
      created_unix: unix(),
    },
    { primaryKey: ['user_id', 'key'], indexes: { sent_form_time: '(created_unix)' } },
  ),

  /** Refused attempts to guess a secret, by which the processes of a database share their limits. */
  refused_attempt: table(
    {
      id: id<number>(),
      kind: text<'password' | 'device code'>(),
      /** A random name of the process that refused it. */
      process: text(),
      /** Keyed hashes of the account, the address and the like, separated by spaces. */
      subjects: text(),
      at_ms: bigint(),
    },
    { indexes: { refused_attempt_kind: '(kind, at_ms)', refused_attempt_time: '(at_ms)' } },
  ),
}

export type SignInTables = TablesOf<typeof signInTables>
export type SignInSourceRow = Selectable<SignInTables['sign_in_source']>
export type NewSignInSourceRow = Insertable<SignInTables['sign_in_source']>
export type SignInSourceChange = Updateable<SignInTables['sign_in_source']>
export type ExternalAccountRow = Selectable<SignInTables['external_account']>
export type RefusedAttemptRow = Selectable<SignInTables['refused_attempt']>
export type NewRefusedAttemptRow = Insertable<SignInTables['refused_attempt']>
export type PasskeyRow = Selectable<SignInTables['passkey']>
export type NewPasskeyRow = Insertable<SignInTables['passkey']>
export type SentFormRow = Selectable<SignInTables['sent_form']>
export type SessionRow = Selectable<SignInTables['session']>
export type NewSessionRow = Insertable<SignInTables['session']>
export type MailedLinkRow = Selectable<SignInTables['mailed_link']>
export type NewMailedLinkRow = Insertable<SignInTables['mailed_link']>
export type TwoFactorRow = Selectable<SignInTables['two_factor']>
export type NewTwoFactorRow = Insertable<SignInTables['two_factor']>
