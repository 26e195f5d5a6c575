import type { AccessTokenRow, UserRow } from '../db/tables/accounts.ts'
import type { KeyId, RepoId, UserId } from '../lib/ids.ts'
import type { TokenScopes } from './token-scopes.ts'

/** How somebody proved who they are. */
export type Credential =
  | { readonly kind: 'password' }
  | { readonly kind: 'session' }
  /** `basic`: sent as a password or name, which counts as basic authentication for managing tokens. */
  | {
      readonly kind: 'token'
      readonly tokenId: AccessTokenRow['id']
      readonly scopes: TokenScopes
      readonly basic: boolean
    }
  /** A workflow job: it acts on its own repository alone, for a pull request from a fork reading only (contract A5). */
  | { readonly kind: 'job'; readonly repoId: RepoId; readonly readOnly: boolean }
  /** The SSH key of an account. */
  | { readonly kind: 'ssh'; readonly keyId: KeyId }
  /** An SSH key of one repository: it acts there alone, in the name of its owner. */
  | { readonly kind: 'deploy'; readonly keyId: KeyId; readonly repoId: RepoId; readonly readOnly: boolean }

/** Who asks. Made once per request; under sudo it is the named account with the caller's credential. */
export interface Viewer {
  readonly id: UserId
  readonly user: UserRow
  readonly isAdmin: boolean
  readonly isRestricted: boolean
  readonly credential: Credential
}

export const viewerOf = (user: UserRow, credential: Credential): Viewer => ({
  id: user.id,
  user,
  isAdmin: user.is_admin,
  isRestricted: user.is_restricted,
  credential,
})

/** True when the caller's token sees public things only. */
export const isPublicOnly = (viewer: Viewer | undefined): boolean =>
  viewer?.credential.kind === 'token' && viewer.credential.scopes.publicOnly
