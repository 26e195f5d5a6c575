import { isOrgMember } from '../access/access.store.ts'
import type { Ctx } from '../access/context.ts'
import { mode } from '../access/rights.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import { listPackageTeams } from './package-access.store.ts'
import type { Standing } from './package.policy.ts'

const highest = (modes: readonly AccessMode[]): AccessMode =>
  modes.reduce<AccessMode>((most, each) => (each > most ? each : most), mode.none)

const noStanding: Standing = { isMember: false, rank: mode.none, packageMode: mode.none }

/** What the caller is in the organization that owns packages. */
export async function standingWith({ db, viewer }: Pick<Ctx, 'db' | 'viewer'>, owner: UserRow): Promise<Standing> {
  if (!viewer || owner.kind !== 'organization') return noStanding
  const [teams, isMember] = await Promise.all([
    listPackageTeams(db, owner.id, viewer.id),
    isOrgMember(db, owner.id, viewer.id),
  ])
  const rank = highest(teams.map((team) => team.access_mode))
  return {
    isMember: isMember || teams.length > 0,
    rank,
    packageMode: rank >= mode.admin ? rank : highest(teams.map((team) => team.unit_mode ?? mode.none)),
  }
}
