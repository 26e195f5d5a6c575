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

/** Everything the rights depend on. */
export interface Standing {
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

function rightsOf(rank: AccessMode, units: ReadonlyMap<RepoUnit, AccessMode>): Rights {
  const isAdmin = rank >= mode.admin
  const modeOf = (unit: RepoUnit): AccessMode => units.get(unit) ?? mode.none
  return {
    rank,
    isOwner: rank >= mode.owner,
    isAdmin,
    has: (unit) => units.has(unit),
    modeOf,
    canRead: (unit) => isAdmin || modeOf(unit) >= mode.read,
    canWrite: (unit) => isAdmin || modeOf(unit) >= mode.write,
  }
}

/** The same access to every enabled unit. */
const uniform = (rank: AccessMode, units: readonly RepoUnitRow[]): Rights =>
  rightsOf(rank, new Map(units.map((row) => [row.unit, rank])))

const noRights = (units: readonly RepoUnitRow[]): Rights => uniform(mode.none, units)

/** Everything, as for administrators and owners. */
export const fullRights = (units: readonly RepoUnitRow[]): Rights => uniform(mode.owner, units)

/**
 * Whether an account may be seen: public ones by everybody but restricted accounts that are no members, limited ones by
 * the signed-in (same exception), private ones by their members; oneself and administrators see all (contract R4).
 */
export function maySeeAccount(viewer: Viewer | undefined, account: UserRow, isMember: boolean): boolean {
  if (!viewer) return account.visibility === 'public'
  if (viewer.isAdmin || viewer.id === account.id || isMember) return true
  return account.visibility !== 'private' && !viewer.isRestricted
}

/** The rights of a viewer in a repository. Source: the tables of ranks and unit access that the recorded matrices show. */
export function computeRights(standing: Standing): Rights {
  const { viewer, owner, repo, units, isMember, collaboration, teams } = standing
  if (!viewer) {
    const open = !repo.is_private && owner.visibility === 'public'
    return open ? uniform(mode.read, units) : noRights(units)
  }
  if (viewer.credential.kind === 'job' || viewer.credential.kind === 'deploy') {
    // Jobs and deploy keys act in their own repository alone (contract A5; transport, SSH).
    if (viewer.credential.repoId !== repo.id) return noRights(units)
    return uniform(viewer.credential.readOnly ? mode.read : mode.write, units)
  }
  if (viewer.isAdmin || viewer.id === owner.id) return fullRights(units)
  const hasStanding = collaboration !== mode.none || teams.length > 0
  if (!hasStanding && !maySeeAccount(viewer, owner, isMember)) return noRights(units)

  const isOpen = !repo.is_private && !viewer.isRestricted
  const base: AccessMode = isOpen ? mode.read : mode.none
  const highestTeam = teams.reduce<AccessMode>((highest, team) => max(highest, team.accessMode), mode.none)
  if (highestTeam >= mode.admin) return fullRights(units)
  const rank = max(base, max(collaboration, highestTeam))

  const modes = new Map<RepoUnit, AccessMode>()
  for (const { unit, default_access } of units) {
    const open = isOpen ? max(mode.read, default_access) : mode.none
    const granted =
      owner.kind === 'individual'
        ? rank
        : teams.reduce<AccessMode>((highest, team) => max(highest, team.units.get(unit) ?? mode.none), collaboration)
    modes.set(unit, max(open, granted))
  }
  const reachesAny = [...modes.values()].some((each) => each > mode.none)
  return reachesAny ? rightsOf(rank, modes) : noRights(units)
}

const max = (one: AccessMode, other: AccessMode): AccessMode => (one > other ? one : other)
