import type { SignedInCtx } from '../access/context.ts'
import type { TeamRow, UserRow } from '../db/tables/accounts.ts'
import type { OrgMembership } from './membership.service.ts'
import { countMembersOfTeams, countReposOfTeams, listTeamsOfMember } from './team.store.ts'

/** A team of a list. */
export interface TeamOverview {
  readonly team: TeamRow
  /** The viewer is on the team. */
  readonly isOn: boolean
  /** Undefined for a team that the viewer may not open. */
  readonly counts: { readonly members: number; readonly repos: number } | undefined
}

/** Returns teams of an organization with what their list shows. Numbers appear for the viewer's teams, and for owners. */
export async function overviewOfTeams(
  { db, viewer }: SignedInCtx,
  org: UserRow,
  role: OrgMembership,
  teams: readonly TeamRow[],
): Promise<readonly TeamOverview[]> {
  const own = new Set((await listTeamsOfMember(db, org.id, viewer.id)).map(({ id }) => id))
  const open = teams.filter(({ id }) => role.isOwner || own.has(id)).map(({ id }) => id)
  const [members, repos] =
    open.length === 0 ? [[], []] : await Promise.all([countMembersOfTeams(db, open), countReposOfTeams(db, open)])
  const memberCounts = new Map(members.map(({ team_id: id, count }) => [id, count]))
  const repoCounts = new Map(repos.map(({ team_id: id, count }) => [id, count]))
  const opened = new Set(open)
  return teams.map((team) => ({
    team,
    isOn: own.has(team.id),
    counts: opened.has(team.id)
      ? {
          members: memberCounts.get(team.id) ?? 0,
          repos: team.includes_all_repositories ? org.num_repos : (repoCounts.get(team.id) ?? 0),
        }
      : undefined,
  }))
}
