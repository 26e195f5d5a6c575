import type { Ctx } from '../access/context.ts'
import type { AccessMode, TeamRow, UserRow } from '../db/tables/accounts.ts'
import { pluck } from '../lib/pluck.ts'
import { loadUsers } from '../users/user.store.ts'
import { presentOrg } from './org.present.ts'
import { listTeamUnits } from './team.store.ts'
import type { Team } from './team.schemas.ts'

const modeNames = ['none', 'read', 'write', 'admin', 'owner'] as const

/** Returns the contract's word for an access mode. */
export const modeName = (mode: AccessMode): (typeof modeNames)[number] => modeNames[mode]

/**
 * Presents teams with their units, which one query loads.
 * @param orgOf returns the organization to include; most replies include none (contract, teams: record)
 */
export async function presentTeams(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  teams: readonly TeamRow[],
  orgOf: (team: TeamRow) => UserRow | undefined = () => undefined,
): Promise<Team[]> {
  if (teams.length === 0) return []
  const units = Map.groupBy(await listTeamUnits(ctx.db, pluck(teams, 'id')), (row) => row.team_id)
  return teams.map((team) => {
    const org = orgOf(team)
    const own = units.get(team.id) ?? []
    return {
      id: team.id,
      name: team.name,
      description: team.description,
      organization: org ? presentOrg(ctx, org) : null,
      includes_all_repositories: team.includes_all_repositories,
      permission: modeName(team.access_mode),
      units: own.map((row) => `repo.${row.unit}`),
      units_map: Object.fromEntries(own.map((row) => [`repo.${row.unit}`, modeName(row.access_mode)])),
      can_create_org_repo: team.can_create_org_repo,
    }
  })
}

/** Presents a team, with `org` if given. */
export async function presentTeam(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  team: TeamRow,
  org?: UserRow,
): Promise<Team> {
  const [presented] = await presentTeams(ctx, [team], () => org)
  return presented as Team
}

/** Presents teams of several organizations, each with its organization. */
export async function presentOwnTeams(
  ctx: Pick<Ctx, 'config' | 'viewer' | 'db'>,
  teams: readonly TeamRow[],
): Promise<Team[]> {
  const orgs = await loadUsers(ctx.db, pluck(teams, 'org_id'))
  return presentTeams(ctx, teams, (team) => orgs.get(team.org_id))
}
