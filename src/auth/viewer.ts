import type { AccessMode, AccessTokenRow, UserRow } from '../db/tables/accounts.ts'
import type { KeyId, OAuthTokenId, RepoId, RunId, SessionId, UserId } from '../lib/ids.ts'
import type { TokenScopes } from './token-scopes.ts'

/** How somebody proved who they are. */
export type Credential =
  | { readonly kind: 'password' }
  /** `sessionId` is missing where an account is asked about that does not ask itself. */
  | { readonly kind: 'session'; readonly sessionId?: SessionId }
  /** A reverse proxy that is believed vouches for them. */
  | { readonly kind: 'proxy' }
  /** `basic`: sent as a password or name, which counts as basic authentication for managing tokens. */
  | {
      readonly kind: 'token'
      readonly tokenId: AccessTokenRow['id'] | OAuthTokenId
      /** Issued to an application, which manages no tokens. */
      readonly isOAuth: boolean
      readonly scopes: TokenScopes
      readonly basic: boolean
    }
  /** A workflow job: it acts on its own repository alone, for a pull request from a fork reading only (contract A5). */
  | { readonly kind: 'job'; readonly repoId: RepoId; readonly runId: RunId; readonly readOnly: boolean }
  /** The SSH key of an account. */
  | { readonly kind: 'ssh'; readonly keyId: KeyId }
  /** An SSH certificate of an authority that is trusted. */
  | { readonly kind: 'certificate'; readonly authority: string; readonly serial: string }
  /** An SSH key of one repository: it acts there alone, in the name of its owner. */
  | { readonly kind: 'deploy'; readonly keyId: KeyId; readonly repoId: RepoId; readonly readOnly: boolean }

/** What is said of a credential where it is written down. */
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

/** What a credential lets its bearer touch at most, whatever the account may do. Part of the rights, so that no feature asks it. */
export interface CredentialLimit {
  /** Nothing of private repositories, of organizations that are not public, and of accounts that are not public. */
  readonly publicOnly: boolean
  /** This repository and no other; the credential itself gives the access, and not the account that it acts for. */
  readonly repo: { readonly id: RepoId; readonly mode: AccessMode } | undefined
}

const noLimit: CredentialLimit = { publicOnly: false, repo: undefined }

/** What a credential is limited to: the one place that a new kind of credential says it. */
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

/** Who asks. Made once per request; under sudo it is the named account with the caller's credential. */
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

/** Somebody as they are by themselves, without what limits a credential: to ask about people who are not asking. */
export const viewerAs = (user: UserRow): Viewer => viewerOf(user, { kind: 'session' })
