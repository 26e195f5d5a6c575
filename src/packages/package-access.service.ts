import { isOrgMember } from '../access/access.store.ts'
import type { Ctx } from '../access/context.ts'
import { mode } from '../access/rights.ts'
import { viewerAs } from '../auth/viewer.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import { listTeamsWithUnit } from '../orgs/team.store.ts'
import { findPersonOfRun } from './package-access.store.ts'
import type { Standing } from './package.policy.ts'

const highest = (modes: readonly AccessMode[]): AccessMode =>
  modes.reduce<AccessMode>((most, each) => (each > most ? each : most), mode.none)

const noStanding: Standing = { isMember: false, rank: mode.none, packageMode: mode.none }

/** Returns the caller's standing with an owner of packages. */
export async function getStanding(ctx: Pick<Ctx, 'db' | 'viewer' | 'config'>, owner: UserRow): Promise<Standing> {
  const { db, viewer } = ctx
  const actsFor = await findActsFor(ctx, owner)
  if (actsFor) return { ...noStanding, actsFor }
  if (!viewer || owner.kind !== 'organization') return noStanding
  const [teams, isMember] = await Promise.all([
    listTeamsWithUnit(db, owner.id, viewer.id, 'packages'),
    isOrgMember(db, owner.id, viewer.id),
  ])
  const rank = highest(teams.map((team) => team.access_mode))
  return {
    isMember: isMember || teams.length > 0,
    rank,
    packageMode: rank >= mode.admin ? rank : highest(teams.map((team) => team.unit_mode ?? mode.none)),
  }
}

/**
 * Returns the person that a workflow job acts for in the registries of its repository's owner: the one who caused the
 * run, if
 * the settings allow it. Read-only jobs, such as those of pull requests from forks, act for no one.
 */
async function findActsFor(ctx: Pick<Ctx, 'db' | 'viewer' | 'config'>, owner: UserRow): Promise<Standing['actsFor']> {
  const { credential } = ctx.viewer ?? {}
  if (credential?.kind !== 'job' || credential.readOnly || !ctx.config.ingot.jobsPublishPackages) return undefined
  const { repoId, runId } = credential
  const user = await findPersonOfRun(ctx.db, { repoId, runId, ownerId: owner.id })
  if (!user) return undefined
  const person = viewerAs(user)
  return { person, standing: await getStanding({ ...ctx, viewer: person }, owner) }
}
