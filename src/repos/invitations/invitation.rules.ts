import type { InvitationRow } from '../../db/tables/invitations.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { TeamRow, UserRow } from '../../db/tables/accounts.ts'
import type { RepoId, TeamId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** How long an invitation can be accepted. */
export const validSeconds = 7 * 86_400

/** How long an ended or expired invitation is listed and its link answered with 410. */
export const keptSeconds = 30 * 86_400

/** Largest number of invitations to one repository, or to the teams of one organization, that can be accepted. */
export const maxPending = 100

/** Ended invitations that a list shows. */
export const maxShownEnded = 20

/** What an invitation gives. */
export type InvitationTarget =
  | { readonly kind: 'team'; readonly team: TeamRow; readonly org: UserRow }
  | { readonly kind: 'repository'; readonly repo: RepoRow; readonly owner: UserRow }

/** A repository, a team, or an organization with its teams, as the place of invitations. */
export type InvitationHolder = { readonly repoId: RepoId } | { readonly teamId: TeamId } | { readonly orgId: UserId }

/** Returns the account whose blocks count: the organization of the team or the owner of the repository. */
export const ownerOfTarget = (target: InvitationTarget): UserRow => (target.kind === 'team' ? target.org : target.owner)

/** Returns whether an invitation can be accepted, as far as its row says. */
export const isPending = (
  { ended_unix: endedUnix, expires_unix: expiresUnix }: Pick<InvitationRow, 'ended_unix' | 'expires_unix'>,
  now: Unix,
): boolean => endedUnix === null && expiresUnix > now

/** Returns whether a form names a person by a mail address. Names of accounts have no `@`, except as the first character. */
export const isMailAddress = (text: string): boolean => text.trim().lastIndexOf('@') > 0

/** An invitation that can be accepted, with what it gives and who invites. */
export interface OpenInvitation {
  readonly invitation: InvitationRow
  readonly target: InvitationTarget
  readonly inviter: UserRow
}

/** An invitation in the list of those who may invite. */
export interface ListedInvitation {
  readonly invitation: InvitationRow
  readonly inviter: UserRow | undefined
  /** Undefined for a repository. */
  readonly team: TeamRow | undefined
  /** The account that accepted; undefined while nobody did, and for a deleted account. */
  readonly acceptedBy: UserRow | undefined
}

export interface ListedInvitations {
  readonly pending: readonly ListedInvitation[]
  /** Accepted and declined ones, newest first. */
  readonly answered: readonly ListedInvitation[]
}
