import type { AccessMode } from '../db/tables/accounts.ts'
import { repoUnits, type RepoUnit } from '../db/tables/repositories.ts'
import { wordTable } from '../lib/word-table.ts'

/** Access of a team in a request. */
export interface WantedAccess {
  readonly permission?: string | undefined
  readonly units?: readonly string[] | undefined
  readonly unitsMap?: Readonly<Record<string, string>> | undefined
}

/** A team's access as it is stored. */
export interface TeamAccess {
  readonly mode: AccessMode
  readonly units: ReadonlyMap<RepoUnit, AccessMode>
}

const modes = wordTable<AccessMode>({ read: 1, write: 2, admin: 3, owner: 4 })
const external: ReadonlySet<RepoUnit> = new Set(['ext_issues', 'ext_wiki'])

/** Returns the access mode of a word. An unknown word means no access (observed). */
const modeOf = (word: string): AccessMode => modes[word] ?? 0

function unitOf(key: string): RepoUnit | undefined {
  const name = key.startsWith('repo.') ? key.slice('repo.'.length) : ''
  return repoUnits.find((unit) => unit === name)
}

const everyUnit = (mode: AccessMode): TeamAccess => ({ mode, units: new Map(repoUnits.map((unit) => [unit, mode])) })

function fromMap(map: Readonly<Record<string, string>>): TeamAccess {
  const units = new Map<RepoUnit, AccessMode>()
  for (const [key, word] of Object.entries(map)) {
    const unit = unitOf(key)
    if (unit) units.set(unit, modeOf(word))
  }
  const counted = [...units].filter(([unit, mode]) => mode > 0 && !external.has(unit)).map(([, mode]) => mode)
  return { mode: counted.length === 0 ? 0 : (Math.min(...counted) as AccessMode), units }
}

const fromList = (keys: readonly string[], mode: AccessMode): ReadonlyMap<RepoUnit, AccessMode> =>
  new Map(keys.flatMap((key) => unitOf(key) ?? []).map((unit) => [unit, mode]))

const hasMap = ({ unitsMap }: WantedAccess): boolean => unitsMap !== undefined && Object.keys(unitsMap).length > 0

/** Returns the requested permission. `owner` cannot be granted and means no access. */
function namedMode({ permission }: WantedAccess): AccessMode | undefined {
  if (permission === undefined || permission === '') return undefined
  const mode = modeOf(permission)
  return mode === 4 ? 0 : mode
}

/**
 * Returns the access of a new team (contract, teams: creation and editing). The first that applies:
 * - permission admin: each unit at admin
 * - a map of units: its modes; the lowest is the permission
 * - a list of units: each at the permission
 * - undefined: the request names no units
 */
export function newTeamAccess(access: WantedAccess): TeamAccess | undefined {
  const mode = namedMode(access) ?? 0
  if (mode === 3) return everyUnit(3)
  if (hasMap(access)) return fromMap(access.unitsMap ?? {})
  if (access.units === undefined || access.units.length === 0) return undefined
  return { mode, units: fromList(access.units, mode) }
}

/**
 * Returns the access of an edited team. Named units apply with or without a permission. A map without a permission
 * keeps the permission (observed). A team with admin has each unit. When an edit takes admin away and names no units,
 * each unit gets the new permission, so that no admin access remains.
 * @returns `units` undefined: unchanged
 */
export function editedTeamAccess(
  present: AccessMode,
  access: WantedAccess,
): { readonly mode: AccessMode; readonly units: ReadonlyMap<RepoUnit, AccessMode> | undefined } {
  const given = namedMode(access)
  const mapped = hasMap(access) ? fromMap(access.unitsMap ?? {}) : undefined
  const mode = given === undefined || given === 3 || !mapped ? (given ?? present) : mapped.mode
  if (mode >= 3) return { mode, units: everyUnit(3).units }
  if (mapped) return { mode, units: mapped.units }
  if (access.units !== undefined && access.units.length > 0) return { mode, units: fromList(access.units, mode) }
  return { mode, units: present >= 3 ? everyUnit(mode).units : undefined }
}
