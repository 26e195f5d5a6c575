import type { AccessMode, AccessTokenRow, UserRow } from '../db/tables/accounts.ts'
import type { KeyId, OAuthTokenId, RepoId, RunId, SessionId, UserId } from '../lib/ids.ts'
import type { TokenScopes } from './token-scopes.ts'

/** How a request is authenticated. */
export type Credential =
  | { readonly kind: 'password' }
  /** `sessionId` is undefined for an account that does not make the request itself. */
  | { readonly kind: 'session'; readonly sessionId?: SessionId }
  /** A trusted reverse proxy named the account. */
  | { readonly kind: 'proxy' }
  /** `basic`: sent as name or password, which counts as basic authentication when managing tokens. */
  | {
      readonly kind: 'token'
      readonly tokenId: AccessTokenRow['id'] | OAuthTokenId
      /** Issued to an OAuth2 application, which cannot manage tokens. */
      readonly isOAuth: boolean
      readonly scopes: TokenScopes
      readonly basic: boolean
    }
  /** A workflow job, limited to its repository, and to reading for pull requests from forks (contract A5). */
  | { readonly kind: 'job'; readonly repoId: RepoId; readonly runId: RunId; readonly readOnly: boolean }
  /** An SSH key of an account. */
  | { readonly kind: 'ssh'; readonly keyId: KeyId }
  /** An SSH certificate of a trusted authority. */
  | { readonly kind: 'certificate'; readonly authority: string; readonly serial: string }
  /** A deploy key, limited to its repository; it acts in the name of the owner. */
  | { readonly kind: 'deploy'; readonly keyId: KeyId; readonly repoId: RepoId; readonly readOnly: boolean }

/** Returns the name of a credential for the audit log. */
export function credentialName(credential: Credential): string {
  switch (credential.kind) {
    case 'token':
      return `${credential.isOAuth ? 'application token' : 'token'} ${credential.tokenId}`
    case 'job':
      return `job of repository ${credential.repoId}`
    case 'ssh':
      return `ssh key ${credential.keyId}`
    case 'certificate':
      return `ssh certificate ${credential.serial} of ${credential.authority}`
    case 'deploy':
      return `deploy key ${credential.keyId}`
    case 'proxy':
      return 'reverse proxy'
    case 'password':
    case 'session':
      return credential.kind
  }
}

/** Upper limit of a credential's rights. It is part of the computed rights, so features need not check it. */
export interface CredentialLimit {
  /** Excludes private repositories and non-public organizations and accounts. */
  readonly publicOnly: boolean
  /** Limits the credential to this repository; the access comes from the credential, not from the account. */
  readonly repo: { readonly id: RepoId; readonly mode: AccessMode } | undefined
}

const noLimit: CredentialLimit = { publicOnly: false, repo: undefined }

/** Returns the limit of a credential. Each new kind of credential states its limit here. */
function limitOf(credential: Credential): CredentialLimit {
  switch (credential.kind) {
    case 'token':
      return credential.scopes.publicOnly ? { publicOnly: true, repo: undefined } : noLimit
    case 'job':
    case 'deploy':
      return { publicOnly: false, repo: { id: credential.repoId, mode: credential.readOnly ? 1 : 2 } }
    case 'password':
    case 'session':
    case 'proxy':
    case 'ssh':
    case 'certificate':
      return noLimit
  }
}

/** The caller of a request. Under sudo it is the named account with the caller's credential. */
export interface Viewer {
  readonly id: UserId
  readonly user: UserRow
  readonly isAdmin: boolean
  readonly isRestricted: boolean
  readonly credential: Credential
  readonly limit: CredentialLimit
}

export const viewerOf = (user: UserRow, credential: Credential): Viewer => ({
  id: user.id,
  user,
  isAdmin: user.is_admin,
  isRestricted: user.is_restricted,
  credential,
  limit: limitOf(credential),
})

/** Returns a viewer with all rights of the account, to judge people who do not make a request. */
export const viewerAs = (user: UserRow): Viewer => viewerOf(user, { kind: 'session' })
