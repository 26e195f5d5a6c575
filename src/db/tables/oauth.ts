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

/** A program that people sign in to with their account here. */
export interface OAuthApplicationTable {
  id: Generated<OAuthApplicationId>
  /** Whose it is; null for those of the instance. */
  user_id: UserId | null
  name: string
  /** What it calls itself: a UUID. */
  client_id: string
  secret_hash: string
  /** It can keep a secret: a server, not a program on a person's device. */
  is_confidential: boolean
  /** JSON: the addresses that people may be sent back to. */
  redirect_uris: string
  created_unix: Unix
  updated_unix: Unix
}

/** What a person lets an application do. */
export interface OAuthGrantTable {
  id: Generated<OAuthGrantId>
  application_id: OAuthApplicationId
  user_id: UserId
  /** As it was asked for, words with blanks between. */
  scope: string
  created_unix: Unix
}

/** What an application gets by way of the browser and buys tokens with, once. */
export interface OAuthCodeTable {
  id: Generated<OAuthCodeId>
  grant_id: OAuthGrantId
  code_hash: string
  redirect_uri: string
  /** Empty: none. */
  challenge: string
  challenge_method: string
  nonce: string
  /** When the person signed in; null where nobody knows. */
  auth_unix: Unix | null
  expires_unix: Unix
  /** Kept after use until it expires: a second use tells of a theft. */
  used_unix: Unix | null
}

export interface OAuthTokenTable {
  id: Generated<OAuthTokenId>
  grant_id: OAuthGrantId
  family: string
  is_refresh: boolean
  token_hash: string
  nonce: string
  /** When the person signed in; null where nobody knows. */
  auth_unix: Unix | null
  created_unix: Unix
  expires_unix: Unix
  /** When a refresh token was used; it is kept, since a second use tells of a theft. */
  used_unix: Unix | null
}

/** A device that waits for a person, who lets it in from a browser elsewhere. It is gone once it has its tokens. */
export interface OAuthDeviceTable {
  id: Generated<OAuthDeviceId>
  application_id: OAuthApplicationId
  /** Of what the device asks with. */
  device_hash: string
  /** Of what the person types. */
  user_code_hash: string
  /** As it was asked for. */
  scope: string
  /** Where the device asked from. */
  address: string
  /** What the person let it do; null while nobody did. */
  grant_id: OAuthGrantId | null
  is_denied: boolean
  /** When the person signed in; null where nobody knows. */
  auth_unix: Unix | null
  /** How long the device has to wait between two questions. */
  interval_seconds: number
  /** When it asked last in time, in milliseconds. */
  polled_ms: number
  created_unix: Unix
  expires_unix: Unix
}

/** Keys that sign identity tokens. */
export interface OAuthKeyTable {
  id: Generated<number>
  /** Counts from 1; the highest signs. */
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
