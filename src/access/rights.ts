import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnit, RepoUnitRow } from '../db/tables/repositories.ts'
import type { Viewer } from '../auth/viewer.ts'

export const mode = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const satisfies Record<string, AccessMode>

/** What somebody may do in a repository. Computed once per request. */
export interface Rights {
  /** Rank on the whole repository. */
  readonly rank: AccessMode
  /** True when the account owns it: the owner, owners of its organization, members of its admin teams, administrators (RO). */
  readonly isOwner: boolean
  /** Rank admin or above (RA). */
  readonly isAdmin: boolean
  /** AR: something of the repository may be seen. */
  readonly any: boolean
  /** True when there are no rights because of the credential alone: with a wider one, the same account would have some. */
  readonly isWithheld: boolean
  /** Whether the unit is switched on. */
  has(unit: RepoUnit): boolean
  /** Access to a unit that is switched on; none for others. */
  modeOf(unit: RepoUnit): AccessMode
  /** RR: reading the unit, or RA. */
  canRead(unit: RepoUnit): boolean
  /** RW: writing the unit, or RA. */
  canWrite(unit: RepoUnit): boolean
}

/** What a team that holds the repository gives. */
export interface TeamGrant {
  readonly accessMode: AccessMode
  readonly units: ReadonlyMap<string, AccessMode>
}

/** Everything the rights of a viewer in a repository depend on. */
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

/** Whether an account is shown to somebody, by its visibility alone: the rule of `maySeeAccount` without the credential. */
export function isAccountShown(viewer: Viewer | undefined, account: UserRow, isMember: boolean): boolean {
  if (!viewer) return account.visibility === 'public'
  if (viewer.isAdmin || viewer.id === account.id || isMember) return true
  return account.visibility !== 'private' && !viewer.isRestricted
}

/**
 * Whether an account may be seen: public ones by everybody but restricted accounts that are no members, limited ones by
 * the signed-in (same exception), private ones by their members; oneself and administrators see all (contract R4). Who
 * asks with a credential for public things sees themselves and public accounts. In SQL: `accountsShownTo`.
 */
export function maySeeAccount(viewer: Viewer | undefined, account: UserRow, isMember: boolean): boolean {
  if (viewer?.limit.publicOnly && account.visibility !== 'public' && account.id !== viewer.id) return false
  return isAccountShown(viewer, account, isMember)
}

/**
 * The rights of a viewer in a repository: the rule of decision 0010 for one repository whose facts are known. The same
 * rule in SQL is in `conditions/`. A test compares both.
 */
export function computeRights(input: RightsInput): Rights {
  const { viewer, owner, repo, units } = input
  // What is being imported belongs to an account of nobody, and is shown to nobody.
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

/** What the account has, whatever the credential. */
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

/** No unit left means no access at all (contract, permissions); owners and administrators are above that. */
const onUnits = (rank: AccessMode, modes: ReadonlyMap<RepoUnit, AccessMode>): Rights =>
  rightsOf([...modes.values()].some((each) => each > mode.none) ? rank : mode.none, modes)

const highest = (modes: readonly AccessMode[]): AccessMode =>
  modes.reduce((most, each) => (each > most ? each : most), mode.none)
