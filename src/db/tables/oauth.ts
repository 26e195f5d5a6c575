import type { Insertable, Selectable, Updateable } from 'kysely'
import type {
  OAuthApplicationId,
  OAuthCodeId,
  OAuthDeviceId,
  OAuthGrantId,
  OAuthTokenId,
  UserId,
} from '../../lib/ids.ts'
import { bigint, flag, id, nullable, ref, table, text, unique, unix, type TablesOf } from '../table.ts'

export const oauthTables = {
  /** An OAuth2 application. */
  oauth_application: table(
    {
      id: id<OAuthApplicationId>(),
      /** The owner; null for applications of the instance. */
      user_id: nullable(ref<UserId>('user', 'cascade')),
      name: text(),
      /** The client id, a UUID. */
      client_id: unique(text()),
      secret_hash: text(),
      /** Whether the client is confidential: a server, not a program on a person's device. */
      is_confidential: flag(),
      /** JSON: the redirect URIs. */
      redirect_uris: text(),
      created_unix: unix(),
      updated_unix: unix(),
    },
    { indexes: { oauth_application_user: '(user_id, id)' } },
  ),

  /** The scope that a person grants to an application. */
  oauth_grant: table(
    {
      id: id<OAuthGrantId>(),
      application_id: ref<OAuthApplicationId>('oauth_application', 'cascade'),
      user_id: ref<UserId>('user', 'cascade'),
      /** The requested scope, space-separated. */
      scope: text(),
      created_unix: unix(),
    },
    { unique: [['application_id', 'user_id']], indexes: { oauth_grant_user: '(user_id, id)' } },
  ),

  /** An authorization code, which the client exchanges once for tokens. */
  oauth_code: table(
    {
      id: id<OAuthCodeId>(),
      grant_id: ref<OAuthGrantId>('oauth_grant', 'cascade'),
      code_hash: unique(text()),
      redirect_uri: text(),
      /** Empty: no PKCE challenge. */
      challenge: text(),
      challenge_method: text(),
      nonce: text(),
      expires_unix: unix(),
      /** When the code was used. The row is kept until it expires: a second use indicates theft. */
      used_unix: nullable(unix()),
      /** When the person signed in; null when unknown. */
      auth_unix: nullable(unix()),
    },
    { indexes: { oauth_code_grant: '(grant_id, id)', oauth_code_expires: '(expires_unix)' } },
  ),

  oauth_token: table(
    {
      id: id<OAuthTokenId>(),
      grant_id: ref<OAuthGrantId>('oauth_grant', 'cascade'),
      family: text(),
      is_refresh: flag(),
      token_hash: unique(text()),
      nonce: text(),
      created_unix: unix(),
      expires_unix: unix(),
      /** When the refresh token was used. The row is kept: a second use indicates theft. */
      used_unix: nullable(unix()),
      /** When the person signed in; null when unknown. */
      auth_unix: nullable(unix()),
    },
    {
      indexes: {
        oauth_token_grant: '(grant_id, id)',
        oauth_token_family: '(family)',
        oauth_token_expires: '(expires_unix)',
      },
    },
  ),

  /** Keys that sign identity tokens. */
  oauth_key: table({
    id: id<number>(),
    /** Counts from 1; the key with the highest number signs. */
    number: unique(bigint()),
    kid: text(),
    algorithm: text(),
    /** JSON. */
    public_jwk: text(),
    /** The private key as JSON, sealed with the instance key for the purpose `oauth-key`. */
    sealed: text(),
    created_unix: unix(),
  }),

  /** A pending device authorization (device flow). It is deleted once the device has its tokens. */
  oauth_device: table(
    {
      id: id<OAuthDeviceId>(),
      application_id: ref<OAuthApplicationId>('oauth_application', 'cascade'),
      /** Hash of the device code. */
      device_hash: unique(text()),
      /** Hash of the user code. */
      user_code_hash: unique(text()),
      /** The requested scope. */
      scope: text(),
      /** The client address of the device. */
      address: text(),
      /** The grant; null until the person approves. */
      grant_id: nullable(ref<OAuthGrantId>('oauth_grant', 'cascade')),
      is_denied: flag(),
      /** The minimum interval between polls. */
      interval_seconds: bigint(),
      /** The last poll that respected the interval, in milliseconds. */
      polled_ms: bigint(),
      created_unix: unix(),
      expires_unix: unix(),
      /** When the person signed in; null when unknown. */
      auth_unix: nullable(unix()),
    },
    {
      indexes: {
        oauth_device_application: '(application_id)',
        oauth_device_grant: '(grant_id)',
        oauth_device_expires: '(expires_unix)',
      },
    },
  ),
}

export type OAuthTables = TablesOf<typeof oauthTables>
export type OAuthApplicationRow = Selectable<OAuthTables['oauth_application']>
export type NewOAuthApplicationRow = Insertable<OAuthTables['oauth_application']>
export type OAuthApplicationChange = Updateable<OAuthTables['oauth_application']>
export type OAuthGrantRow = Selectable<OAuthTables['oauth_grant']>
export type OAuthCodeRow = Selectable<OAuthTables['oauth_code']>
export type NewOAuthCodeRow = Insertable<OAuthTables['oauth_code']>
export type OAuthTokenRow = Selectable<OAuthTables['oauth_token']>
export type NewOAuthTokenRow = Insertable<OAuthTables['oauth_token']>
export type OAuthDeviceRow = Selectable<OAuthTables['oauth_device']>
export type NewOAuthDeviceRow = Insertable<OAuthTables['oauth_device']>
export type OAuthKeyRow = Selectable<OAuthTables['oauth_key']>
export type NewOAuthKeyRow = Insertable<OAuthTables['oauth_key']>
