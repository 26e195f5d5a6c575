import { maySeeAccount, mode } from '../access/rights.ts'
import { viewerAs, type Viewer } from '../auth/viewer.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** The caller's membership and team access in the organization that owns packages; empty for an individual owner. */
export interface Standing {
  readonly isMember: boolean
  /** The highest access of the caller's teams; 3 and above administrate the organization. */
  readonly rank: AccessMode
  /** The highest access to packages that the caller's teams have. */
  readonly packageMode: AccessMode
  /** The person that a workflow job acts for in the registries of its repository's owner. */
  readonly actsFor?: { readonly person: Viewer; readonly standing: Standing } | undefined
}

/** A credential that is limited to one repository has the rights of a guest on packages. */
const asAccount = (viewer: Viewer | undefined): Viewer | undefined => (viewer?.limit.repo ? undefined : viewer)

/**
 * Anyone who may see the owner reads packages; members of an organization do so whatever their teams' units are.
 * Restricted
 * accounts also read packages of public individuals (observed).
 */
export function mayReadPackages(viewer: Viewer | undefined, owner: UserRow, standing: Standing): Verdict {
  const { isMember, actsFor } = standing
  const account = asAccount(viewer)
  if (actsFor && mayReadPackages(actsFor.person, owner, actsFor.standing).allowed) return allow
  const isOpen = owner.visibility === 'public' && owner.kind === 'individual'
  return isOpen || maySeeAccount(account && viewerAs(account.user), owner, isMember)
    ? allow
    : deny('packages_not_readable', 'you may not read packages of this owner')
}

/** Writers are the owner, teams with write access to packages, and administrators of the organization or site. */
export function mayWritePackages(viewer: Viewer, owner: UserRow, { packageMode }: Standing): Verdict {
  const account = asAccount(viewer)
  if (account && (account.isAdmin || account.id === owner.id || packageMode >= mode.write)) return allow
  return deny('packages_not_writable', 'you may not write packages of this owner')
}

/** A workflow job may publish what the person it acts for may publish. */
export const mayPublishPackages = (viewer: Viewer, owner: UserRow, standing: Standing): Verdict =>
  standing.actsFor
    ? mayWritePackages(standing.actsFor.person, owner, standing.actsFor.standing)
    : mayWritePackages(viewer, owner, standing)

/** Only administrators of an organization unlink its packages from repositories. */
export const mayUnlinkPackage = (viewer: Viewer, owner: UserRow, { rank }: Standing): Verdict =>
  owner.kind === 'individual' || viewer.isAdmin || rank >= mode.admin
    ? allow
    : deny('package_unlink_forbidden', 'only administrators of the organization may unlink its packages')

/** Returns whether the viewer is the owner or an administrator of the owner or site. */
function decidesFor(viewer: Viewer, owner: UserRow, { rank }: Standing): boolean {
  const account = asAccount(viewer)
  return account !== undefined && (account.isAdmin || account.id === owner.id || rank >= mode.admin)
}

/** Every user of the registry installs what an upstream serves, so only the owner and administrators choose it. */
export const mayChangeUpstreams = (viewer: Viewer, owner: UserRow, standing: Standing): Verdict =>
  decidesFor(viewer, owner, standing)
    ? allow
    : deny('upstreams_forbidden', 'only the owner and administrators may change the upstreams of packages')

/** A rule deletes packages of other publishers, and its preview lists them. */
export const mayChangeCleanupRules = (viewer: Viewer, owner: UserRow, standing: Standing): Verdict =>
  decidesFor(viewer, owner, standing)
    ? allow
    : deny(
        'cleanup_rules_forbidden',
        'only the owner and administrators may see and change the clean-up rules of packages',
      )
