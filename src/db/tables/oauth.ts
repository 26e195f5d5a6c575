import type { Generated, Insertable, Selectable, Updateable } from 'kysely'
import type {
  OAuthApplicationId,
  OAuthCodeId,
  OAuthDeviceId,
  OAuthGrantId,
  OAuthTokenId,
  UserId,
} from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** An OAuth2 application. */
export interface OAuthApplicationTable {
  id: Generated<OAuthApplicationId>
  /** The owner; null for applications of the instance. */
  user_id: UserId | null
  name: string
  /** The client id, a UUID. */
  client_id: string
  secret_hash: string
  /** Whether the client is confidential: a server, not a program on a person's device. */
  is_confidential: boolean
  /** JSON: the redirect URIs. */
  redirect_uris: string
  created_unix: Unix
  updated_unix: Unix
}

/** The scope that a person grants to an application. */
export interface OAuthGrantTable {
  id: Generated<OAuthGrantId>
  application_id: OAuthApplicationId
  user_id: UserId
  /** The requested scope, space-separated. */
  scope: string
  created_unix: Unix
}

/** An authorization code, which the client exchanges once for tokens. */
export interface OAuthCodeTable {
  id: Generated<OAuthCodeId>
  grant_id: OAuthGrantId
  code_hash: string
  redirect_uri: string
  /** Empty: no PKCE challenge. */
  challenge: string
  challenge_method: string
  nonce: string
  /** When the person signed in; null when unknown. */
  auth_unix: Unix | null
  expires_unix: Unix
  /** When the code was used. The row is kept until it expires: a second use indicates theft. */
  used_unix: Unix | null
}

export interface OAuthTokenTable {
  id: Generated<OAuthTokenId>
  grant_id: OAuthGrantId
  family: string
  is_refresh: boolean
  token_hash: string
  nonce: string
  /** When the person signed in; null when unknown. */
  auth_unix: Unix | null
  created_unix: Unix
  expires_unix: Unix
  /** When the refresh token was used. The row is kept: a second use indicates theft. */
  used_unix: Unix | null
}

/** A pending device authorization (device flow). It is deleted once the device has its tokens. */
export interface OAuthDeviceTable {
  id: Generated<OAuthDeviceId>
  application_id: OAuthApplicationId
  /** Hash of the device code. */
  device_hash: string
  /** Hash of the user code. */
  user_code_hash: string
  /** The requested scope. */
  scope: string
  /** The client address of the device. */
  address: string
  /** The grant; null until the person approves. */
  grant_id: OAuthGrantId | null
  is_denied: boolean
  /** When the person signed in; null when unknown. */
  auth_unix: Unix | null
  /** The minimum interval between polls. */
  interval_seconds: number
  /** The last poll that respected the interval, in milliseconds. */
  polled_ms: number
  created_unix: Unix
  expires_unix: Unix
}

/** Keys that sign identity tokens. */
export interface OAuthKeyTable {
  id: Generated<number>
  /** Counts from 1; the key with the highest number signs. */
  number: number
  kid: string
  algorithm: string
  /** JSON. */
  public_jwk: string
  /** The private key as JSON, sealed with the instance key for the purpose `oauth-key`. */
  sealed: string
  created_unix: Unix
}

export interface OAuthTables {
  oauth_application: OAuthApplicationTable
  oauth_grant: OAuthGrantTable
  oauth_code: OAuthCodeTable
  oauth_token: OAuthTokenTable
  oauth_device: OAuthDeviceTable
  oauth_key: OAuthKeyTable
}

export type OAuthApplicationRow = Selectable<OAuthApplicationTable>
export type NewOAuthApplicationRow = Insertable<OAuthApplicationTable>
export type OAuthApplicationChange = Updateable<OAuthApplicationTable>
export type OAuthGrantRow = Selectable<OAuthGrantTable>
export type OAuthCodeRow = Selectable<OAuthCodeTable>
export type NewOAuthCodeRow = Insertable<OAuthCodeTable>
export type OAuthTokenRow = Selectable<OAuthTokenTable>
export type NewOAuthTokenRow = Insertable<OAuthTokenTable>
export type OAuthDeviceRow = Selectable<OAuthDeviceTable>
export type NewOAuthDeviceRow = Insertable<OAuthDeviceTable>
export type OAuthKeyRow = Selectable<OAuthKeyTable>
export type NewOAuthKeyRow = Insertable<OAuthKeyTable>
