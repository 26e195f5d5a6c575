import { maySeeAccount, mode } from '../access/rights.ts'
import { viewerAs, type Viewer } from '../auth/viewer.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import { allow, deny, type Verdict } from '../lib/verdict.ts'

/** What somebody is in the organization that owns packages; of people nobody is anything. */
export interface Standing {
  readonly isMember: boolean
  /** The highest access of their teams: 3 and above for administrators of the organization. */
  readonly rank: AccessMode
  /** The highest access that their teams give to packages. */
  readonly packageMode: AccessMode
  /** For the job of a workflow: whom it acts for in the registries of its repository's owner; else undefined. */
  readonly actsFor?: { readonly person: Viewer; readonly standing: Standing } | undefined
}

/** A credential of one repository has nothing of packages but what everybody has. */
const asAccount = (viewer: Viewer | undefined): Viewer | undefined => (viewer?.limit.repo ? undefined : viewer)

/**
 * Packages are read by whoever may see their owner, with whatever credential; members of an organization whatever their
 * teams say. Those of public people are read by restricted accounts too (observed).
 */
export function mayReadPackages(viewer: Viewer | undefined, owner: UserRow, standing: Standing): Verdict {
  const { isMember, actsFor } = standing
  const account = asAccount(viewer)
  if (actsFor && mayReadPackages(actsFor.person, owner, actsFor.standing).allowed) return allow
  const isOpen = owner.visibility === 'public' && owner.kind === 'individual'
  return isOpen || maySeeAccount(account && viewerAs(account.user), owner, isMember)
    ? allow
    : deny('you may not read packages of this owner')
}

/** Packages are written by their owner, teams that write the unit, and administrators of the organization or instance. */
export function mayWritePackages(viewer: Viewer, owner: UserRow, { packageMode }: Standing): Verdict {
  const account = asAccount(viewer)
  if (account && (account.isAdmin || account.id === owner.id || packageMode >= mode.write)) return allow
  return deny('you may not write packages of this owner')
}

/** In a registry a job publishes, too, what the person may that it acts for. */
export const mayPublishPackages = (viewer: Viewer, owner: UserRow, standing: Standing): Verdict =>
  standing.actsFor
    ? mayWritePackages(standing.actsFor.person, owner, standing.actsFor.standing)
    : mayWritePackages(viewer, owner, standing)

/** Packages of an organization are taken from their repositories by its administrators. */
export const mayUnlinkPackage = (viewer: Viewer, owner: UserRow, { rank }: Standing): Verdict =>
  owner.kind === 'individual' || viewer.isAdmin || rank >= mode.admin
    ? allow
    : deny('only administrators of the organization may unlink its packages')

/** Whether somebody decides for the owner of packages, as they do and administrators. */
function decidesFor(viewer: Viewer, owner: UserRow, { rank }: Standing): boolean {
  const account = asAccount(viewer)
  return account !== undefined && (account.isAdmin || account.id === owner.id || rank >= mode.admin)
}

/** What an upstream gives everybody installs, so it is named by the owner and by administrators alone. */
export const mayChangeUpstreams = (viewer: Viewer, owner: UserRow, standing: Standing): Verdict =>
  decidesFor(viewer, owner, standing)
    ? allow
    : deny('only the owner and administrators may change the upstreams of packages')

/** Rules remove what others have published, and tell what there is. */
export const mayChangeCleanupRules = (viewer: Viewer, owner: UserRow, standing: Standing): Verdict =>
  decidesFor(viewer, owner, standing)
    ? allow
    : deny('only the owner and administrators may see and change the clean-up rules of packages')
