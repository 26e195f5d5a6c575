import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import type { Db } from '../db/database.ts'
import type { RepoId } from '../lib/ids.ts'
import type { Viewer } from '../auth/viewer.ts'
import { pluck } from '../lib/pluck.ts'
import { findGrants, listGiven, listUnits, listUnitsOf, teamGrantsByRepo } from './access.store.ts'
import { computeRights, mode, type Rights } from './rights.ts'

export interface RepoAccess {
  readonly units: readonly RepoUnitRow[]
  readonly rights: Rights
}

/** Returns whether the rights depend on grants to the viewer. */
const dependsOnGrants = (viewer: Viewer | undefined): viewer is Viewer =>
  viewer !== undefined && !viewer.isAdmin && !viewer.limit.repo

/**
 * Returns the viewer's rights in one repository.
 * @param known its units, if the caller has read them
 */
export async function accessTo(
  db: Db,
  viewer: Viewer | undefined,
  owner: UserRow,
  repo: RepoRow,
  known?: readonly RepoUnitRow[],
): Promise<RepoAccess> {
  const units = known ?? (await listUnitsOf(db, repo.id))
  const given =
    dependsOnGrants(viewer) && viewer.id !== owner.id
      ? await findGrants(db, owner, repo.id, viewer.id)
      : { isMember: false, collaboration: mode.none, teams: [] }
  return { units, rights: computeRights({ viewer, owner, repo, units, ...given }) }
}

/** The units and grants that rights depend on. */
type Given = Awaited<ReturnType<typeof listGiven>>

/** Reads units of repositories and the viewer's grants in one query. */
export async function findGiven(db: Db, viewer: Viewer | undefined, repos: readonly RepoRow[]): Promise<Given> {
  const ids = repos.map(({ id }) => id)
  if (dependsOnGrants(viewer)) {
    const ownerIds = [...new Set(repos.map(({ owner_id }) => owner_id))]
    return listGiven(db, ids, ownerIds, viewer.id)
  }
  return { units: await listUnits(db, ids), collaborations: [], memberships: [], teams: [] }
}

/** Returns the viewer's rights in many repositories, in one query. */
export async function accessToAll(
  db: Db,
  viewer: Viewer | undefined,
  repos: readonly { readonly repo: RepoRow; readonly owner: UserRow }[],
): Promise<ReadonlyMap<RepoId, RepoAccess>> {
  if (repos.length === 0) return new Map()
  const given = await findGiven(db, viewer, pluck(repos, 'repo'))
  return accessByGiven(viewer, repos, given)
}

/** Like `accessToAll`, from units and grants that were read. */
export function accessByGiven(
  viewer: Viewer | undefined,
  repos: readonly { readonly repo: RepoRow; readonly owner: UserRow }[],
  { units, collaborations, memberships, teams }: Given,
): ReadonlyMap<RepoId, RepoAccess> {
  const unitsOf = Map.groupBy(units, (row) => row.repo_id)
  const collaborationOf = new Map(collaborations.map((row) => [row.repo_id, row.access_mode]))
  const members = new Set(memberships.map((row) => row.org_id))
  const teamsOf = teamGrantsByRepo(teams)
  return new Map(
    repos.map(({ repo, owner }) => {
      const enabled = unitsOf.get(repo.id) ?? []
      const rights = computeRights({
        viewer,
        owner,
        repo,
        units: enabled,
        isMember: members.has(owner.id),
        collaboration: collaborationOf.get(repo.id) ?? mode.none,
        teams: teamsOf.get(repo.id) ?? [],
      })
      return [repo.id, { units: enabled, rights }]
    }),
  )
}
