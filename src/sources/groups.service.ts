import { serverWork } from '../access/server-work.ts'
import type { Services } from '../access/context.ts'
import { viewerAs } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { Refusal } from '../lib/errors.ts'
import { addTeamMember, removeTeamMember } from '../orgs/team.service.ts'
import { mappedTeams } from './groups.rules.ts'
import { listNamedTeams } from './groups.store.ts'
import type { GroupSettings } from './source.rules.ts'

/**
 * Adds a person to the teams of their groups, and removes them from other mapped teams when the source says so. Unknown
 * teams are ignored; the last owner of an organization stays.
 */
export async function followGroups(
  services: Services,
  user: UserRow,
  settings: GroupSettings,
  groups: readonly string[],
  keyOf?: (group: string) => string,
): Promise<void> {
  const mapped = mappedTeams(settings.team_map, groups, keyOf)
  if (mapped.length === 0) return
  const found = await listNamedTeams(
    services.db,
    user.id,
    [...new Set(mapped.map(({ org }) => org))],
    [...new Set(mapped.map(({ team }) => team))],
  )
  const ctx = { ...serverWork(services), viewer: viewerAs(user) }
  for (const { org, member, ...team } of found) {
    const wanted = mapped.find((each) => each.org === org && each.team === team.lower_name)
    try {
      if (wanted?.isWanted && member === null) await addTeamMember(ctx, team, user)
      else if (wanted && !wanted.isWanted && settings.team_map_removes && member !== null) {
        await removeTeamMember(ctx, team, user)
      }
    } catch (error) {
      // A failure for one team must not prevent the sign-in.
      if (!(error instanceof Refusal)) throw error
      services.log('warn', 'a group could not be applied to its team', {
        name: user.name,
        org,
        team: team.name,
        reason: error.message,
      })
    }
  }
}
