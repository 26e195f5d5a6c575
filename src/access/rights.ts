import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnit, RepoUnitRow } from '../db/tables/repositories.ts'
import type { Viewer } from '../auth/viewer.ts'

export const mode = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const satisfies Record<string, AccessMode>

/** The rights of a viewer in a repository. Computed once per request. */
export interface Rights {
  /** Rank on the whole repository. */
  readonly rank: AccessMode
  /** RO: the owner, owners and admin teams of its organization, and administrators. */
  readonly isOwner: boolean
  /** Rank admin or above (RA). */
  readonly isAdmin: boolean
  /** AR: the repository is visible. */
  readonly any: boolean
  /** Whether only the credential's limit hides the repository. */
  readonly isWithheld: boolean
  /** Whether the unit is switched on. */
  has(unit: RepoUnit): boolean
  /** Access to a unit; none if it is off. */
  modeOf(unit: RepoUnit): AccessMode
  /** RR: reading the unit, or RA. */
  canRead(unit: RepoUnit): boolean
  /** RW: writing the unit, or RA. */
  canWrite(unit: RepoUnit): boolean
}

/** The grant of a team that holds the repository. */
export interface TeamGrant {
  readonly accessMode: AccessMode
  readonly units: ReadonlyMap<string, AccessMode>
}

/** The facts that a viewer's rights depend on. */
export interface RightsInput {
  readonly viewer: Viewer | undefined
  readonly owner: UserRow
  readonly repo: RepoRow
  readonly units: readonly RepoUnitRow[]
  /** Whether the viewer belongs to the owning organization. */
  readonly isMember: boolean
  /** The viewer's collaboration; 0 for none. */
  readonly collaboration: AccessMode
  /** Teams of the viewer that hold the repository. */
  readonly teams: readonly TeamGrant[]
}

function rightsOf(rank: AccessMode, units: ReadonlyMap<RepoUnit, AccessMode>, isWithheld = false): Rights {
  const isAdmin = rank >= mode.admin
  const modeOf = (unit: RepoUnit): AccessMode => units.get(unit) ?? mode.none
  return {
    rank,
    isOwner: rank >= mode.owner,
    isAdmin,
    any: rank > mode.none || [...units.values()].some((each) => each > mode.none),
    isWithheld,
    has: (unit) => units.has(unit),
    modeOf,
    canRead: (unit) => isAdmin || modeOf(unit) >= mode.read,
    canWrite: (unit) => isAdmin || modeOf(unit) >= mode.write,
  }
}

const noRights = (units: readonly RepoUnitRow[], isWithheld: boolean): Rights =>
  rightsOf(mode.none, new Map(units.map(({ unit }) => [unit, mode.none])), isWithheld)

/** Everything, as for administrators and owners. */
export const fullRights = (units: readonly RepoUnitRow[]): Rights =>
  rightsOf(mode.owner, new Map(units.map(({ unit }) => [unit, mode.owner])))

/** Returns whether an account is visible: the rule of `maySeeAccount` without the credential. */
export function isAccountShown(viewer: Viewer | undefined, account: UserRow, isMember: boolean): boolean {
  if (!viewer) return account.visibility === 'public'
  if (viewer.isAdmin || viewer.id === account.id || isMember) return true
  return account.visibility !== 'private' && !viewer.isRestricted
}

/**
 * Returns whether a viewer may see an account: everybody sees public accounts, signed-in viewers limited ones,
 * members private ones (contract R4). Restricted viewers see only accounts they are members of. Administrators and
 * the account itself see all. A public-only credential sees public accounts and its own. In SQL: `accountsShownTo`.
 */
export function maySeeAccount(viewer: Viewer | undefined, account: UserRow, isMember: boolean): boolean {
  if (viewer?.limit.publicOnly && account.visibility !== 'public' && account.id !== viewer.id) return false
  return isAccountShown(viewer, account, isMember)
}

/**
 * Returns the rights of a viewer in a repository: the rule of docs/decisions/0009-one-access-rule.md for loaded facts.
 * The same rule in SQL is in `conditions/`. A test compares both.
 */
export function computeRights(input: RightsInput): Rights {
  const { viewer, owner, repo, units } = input
  // A repository that is being imported belongs to a reserved account. Nobody sees it.
  if (owner.kind === 'reserved') return noRights(units, false)
  const limit = viewer?.limit
  if (limit?.repo) {
    const given = limit.repo.id === repo.id ? limit.repo.mode : mode.none
    return onUnits(given, new Map(units.map(({ unit }) => [unit, given])))
  }
  const rights = rightsOfAccount(input)
  const isPublic = !repo.is_private && owner.visibility === 'public'
  return limit?.publicOnly && !isPublic ? noRights(units, rights.any) : rights
}

/** The rights of the account without the credential's limit. */
function rightsOfAccount({ viewer, owner, repo, units, isMember, collaboration, teams }: RightsInput): Rights {
  const highestTeam = highest(teams.map((team) => team.accessMode))
  if (viewer && (viewer.isAdmin || viewer.id === owner.id || highestTeam >= mode.admin)) return fullRights(units)

  const mayEnter = isAccountShown(viewer, owner, isMember) || collaboration !== mode.none
  const isOpen = mayEnter && !repo.is_private && !viewer?.isRestricted
  const modes = new Map<RepoUnit, AccessMode>()
  for (const { unit, default_access } of units) {
    const open = !isOpen ? mode.none : viewer ? highest([mode.read, default_access]) : mode.read
    modes.set(unit, highest([open, collaboration, ...teams.map((team) => team.units.get(unit) ?? mode.none)]))
  }
  const rank = highest([isOpen ? mode.read : mode.none, collaboration, highestTeam])
  return onUnits(rank, modes)
}

/** Without a unit there is no access (contract, permissions), except for owners and administrators. */
const onUnits = (rank: AccessMode, modes: ReadonlyMap<RepoUnit, AccessMode>): Rights =>
  rightsOf([...modes.values()].some((each) => each > mode.none) ? rank : mode.none, modes)

const highest = (modes: readonly AccessMode[]): AccessMode =>
  modes.reduce((most, each) => (each > most ? each : most), mode.none)
