import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow, RepoUnitRow } from '../db/tables/repositories.ts'
import type { Db } from '../db/database.ts'
import type { RepoId } from '../lib/ids.ts'
import type { Viewer } from '../auth/viewer.ts'
import { findGrants, listGiven, listUnits, listUnitsOf, teamGrantsByRepo } from './access.store.ts'
import { computeRights, mode, type Rights } from './rights.ts'

export interface RepoAccess {
  readonly units: readonly RepoUnitRow[]
  readonly rights: Rights
}

/** Whether the rights depend on what was given to the viewer, and not just on the repository and who the viewer is. */
const dependsOnGrants = (viewer: Viewer | undefined): viewer is Viewer =>
  viewer !== undefined && !viewer.isAdmin && !viewer.limit.repo

/**
 * The viewer's rights in one repository.
 * @param known its units, when they were just read
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

/** What rights in repositories are computed of, beside the repositories and their owners. */
type Given = Awaited<ReturnType<typeof listGiven>>

/** Units of repositories, and what was given to the viewer there. One question, which needs no row of the owners. */
export async function findGiven(db: Db, viewer: Viewer | undefined, repos: readonly RepoRow[]): Promise<Given> {
  const ids = repos.map(({ id }) => id)
  if (dependsOnGrants(viewer)) {
    const ownerIds = [...new Set(repos.map(({ owner_id }) => owner_id))]
    return listGiven(db, ids, ownerIds, viewer.id)
  }
  return { units: await listUnits(db, ids), collaborations: [], memberships: [], teams: [] }
}

/** The viewer's rights in many repositories, with one question. */
export async function accessToAll(
  db: Db,
  viewer: Viewer | undefined,
  repos: readonly { readonly repo: RepoRow; readonly owner: UserRow }[],
): Promise<ReadonlyMap<RepoId, RepoAccess>> {
  if (repos.length === 0) return new Map()
  const given = await findGiven(
    db,
    viewer,
    repos.map(({ repo }) => repo),
  )
  return accessByGiven(viewer, repos, given)
}

/** The same of what was asked for already. */
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
