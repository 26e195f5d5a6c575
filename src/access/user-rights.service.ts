import { listTeamGrantsOf, listUnits, teamGrantsOf } from './access.store.ts'
import { computeRights, mode, type Rights } from './rights.ts'
import { viewerAs } from '../auth/viewer.ts'
import type { Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { RepoRow } from '../db/tables/repositories.ts'
import type { TeamId, UserId } from '../lib/ids.ts'
import { listCollaborationsOf, listMembersAmong, listTeamIdsOf } from './user-rights.store.ts'

/** Returns the rights of several people in one repository, in a fixed number of queries. */
export async function rightsOfUsers(
  db: Db,
  owner: UserRow,
  repo: RepoRow,
  users: readonly UserRow[],
): Promise<ReadonlyMap<UserId, Rights>> {
  if (users.length === 0) return new Map()
  const ids = users.map((user) => user.id)
  const isOrg = owner.kind === 'organization'
  const [units, collaborations, members, grants] = await Promise.all([
    listUnits(db, [repo.id]),
    listCollaborationsOf(db, repo.id, ids),
    isOrg ? listMembersAmong(db, owner.id, ids) : [],
    isOrg ? listTeamGrantsOf(db, repo.id, ids) : [],
  ])
  const collaborationOf = new Map(collaborations.map((row) => [row.user_id, row.access_mode]))
  const isMember = new Set(members.map((row) => row.user_id))
  const grantsOf = Map.groupBy(grants, (row) => row.user_id)
  return new Map(
    users.map((user) => [
      user.id,
      computeRights({
        viewer: viewerAs(user),
        owner,
        repo,
        units,
        isMember: isMember.has(user.id),
        collaboration: collaborationOf.get(user.id) ?? mode.none,
        teams: teamGrantsOf(grantsOf.get(user.id) ?? []),
      }),
    ]),
  )
}

/** Returns an account's teams in the owning organization; none if a person owns the repository. */
export async function teamIdsOf(db: Db, owner: UserRow, userId: UserId | undefined): Promise<ReadonlySet<TeamId>> {
  if (userId === undefined || owner.kind !== 'organization') return new Set()
  return new Set((await listTeamIdsOf(db, userId, owner.id)).map((row) => row.team_id))
}
