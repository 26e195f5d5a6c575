import { isOrgMember } from '../access/access.store.ts'
import type { Ctx, SignedInCtx } from '../access/context.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { AccessMode, TeamRow, UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { isEmpty, oldValues } from '../events/old-values.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { TeamId, UserId } from '../lib/ids.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { findUserById } from '../users/user.store.ts'
import { deleteTeamlessMembers, insertMember, lockTeam } from './org.store.ts'
import { editedTeamAccess, newTeamAccess, type WantedAccess } from './team.rules.ts'
import {
  countTeamMembers,
  countTeams,
  deleteTeam,
  deleteTeamMember,
  findTeamForUpdate,
  insertAllTeamRepos,
  insertTeam,
  insertTeamMember,
  isTeamMember,
  listTeamMemberIds,
  listTeamMembers,
  listTeams,
  listTeamUnits,
  replaceTeamUnits,
  updateTeam,
  type NewTeamRow,
  type TeamFilter,
} from './team.store.ts'

export interface NewTeam extends WantedAccess {
  readonly name: string
  readonly description?: string | undefined
  readonly includesAllRepositories?: boolean | undefined
  readonly canCreateOrgRepo?: boolean | undefined
}

const nameTaken = (name: string) => new Invalid(`there is already a team named ${name}`, 'team_name_taken')

/** Returns the ids in each event about a team. */
export const factsOfTeam = (team: TeamRow, doerId: UserId) => ({ teamId: team.id, orgId: team.org_id, doerId })

/** Returns a team with its units and locks it until the transaction ends. */
async function holdTeam(
  tx: Tx,
  { id }: TeamRow,
): Promise<{ readonly team: TeamRow; readonly units: Record<string, AccessMode> }> {
  const team = await findTeamForUpdate(tx, id)
  if (!team) throw new NotFound('the team does not exist', 'team_not_found')
  return { team, units: await unitsOf(tx, id) }
}

const unitsOf = async (tx: Tx, id: TeamId): Promise<Record<string, AccessMode>> =>
  Object.fromEntries((await listTeamUnits(tx, [id])).map((row) => [row.unit, row.access_mode]))

/** Creates a team. Throws `Invalid` without any unit and for a used name. */
export async function createTeam(ctx: SignedInCtx, org: UserRow, input: NewTeam): Promise<TeamRow> {
  const access = newTeamAccess(input)
  if (!access || access.units.size === 0) throw new Invalid('a team needs at least one unit', 'team_units_missing')
  try {
    return await transaction(ctx.db, async (tx) => {
      const team = await insertTeam(tx, {
        org_id: org.id,
        name: input.name,
        lower_name: input.name.toLowerCase(),
        description: input.description ?? '',
        access_mode: access.mode,
        includes_all_repositories: input.includesAllRepositories ?? false,
        can_create_org_repo: input.canCreateOrgRepo ?? false,
        created_unix: nowUnix(ctx.clock),
      })
      await replaceTeamUnits(tx, team, access.units)
      await publish(tx, 'team.created', factsOfTeam(team, ctx.viewer.id))
      return team
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(input.name)
    throw error
  }
}

/**
 * Changes a team. For the owners' team only name and description change. `includesAllRepositories` has an effect only
 * together with a permission (contract, teams: creation and editing).
 * @throws Invalid for a used name, and for a team without a unit
 */
export async function editTeam(ctx: SignedInCtx, team: TeamRow, input: Partial<NewTeam>): Promise<TeamRow> {
  const isOwners = team.access_mode === 4
  const access = isOwners ? undefined : editedTeamAccess(team.access_mode, input)
  if (access?.units?.size === 0) throw new Invalid('a team needs at least one unit', 'team_units_missing')
  const includesAll =
    isOwners || !input.permission
      ? team.includes_all_repositories
      : (input.includesAllRepositories ?? team.includes_all_repositories)
  const change: Partial<NewTeamRow> = {
    ...(input.name ? { name: input.name, lower_name: input.name.toLowerCase() } : {}),
    description: input.description ?? team.description,
    includes_all_repositories: includesAll,
    ...(access ? { access_mode: access.mode } : {}),
    can_create_org_repo: isOwners || (input.canCreateOrgRepo ?? team.can_create_org_repo),
  }
  try {
    return await transaction(ctx.db, async (tx) => {
      const before = await holdTeam(tx, team)
      const updated = await updateTeam(tx, team.id, change)
      if (access?.units) await replaceTeamUnits(tx, team, access.units)
      if (team.includes_all_repositories && !includesAll) await insertAllTeamRepos(tx, team)
      const old = {
        ...oldValues(before.team, updated, {
          oldName: 'name',
          oldDescription: 'description',
          oldMode: 'access_mode',
          oldIncludesAllRepositories: 'includes_all_repositories',
          oldCanCreateOrgRepo: 'can_create_org_repo',
        }),
        ...oldValues({ units: before.units }, { units: await unitsOf(tx, team.id) }, { oldUnits: 'units' }),
      }
      if (!isEmpty(old)) await publish(tx, 'team.edited', { ...factsOfTeam(team, ctx.viewer.id), ...old })
      if (access) await reduceAccess(tx, team.org_id, await listTeamMemberIds(tx, team.id))
      return updated
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(input.name ?? '')
    throw error
  }
}

async function reduceAccess(tx: Tx, ownerId: UserId, userIds: readonly UserId[]): Promise<void> {
  for (const userId of userIds) await publish(tx, 'access.reduced', { userId, ownerId })
}

/** Deletes a team. Members without another team leave the organization. Throws `Invalid` for the owners' team. */
export async function removeTeam(ctx: SignedInCtx, team: TeamRow): Promise<void> {
  if (team.access_mode === 4) throw new Invalid('the team of owners cannot be deleted', 'owners_team')
  await transaction(ctx.db, async (tx) => {
    const { team: last, units } = await holdTeam(tx, team)
    const userIds = await listTeamMemberIds(tx, team.id)
    await deleteTeam(tx, team.id)
    await deleteTeamlessMembers(tx, team.org_id, userIds)
    await publish(tx, 'team.deleted', {
      ...factsOfTeam(last, ctx.viewer.id),
      name: last.name,
      description: last.description,
      mode: last.access_mode,
      includesAllRepositories: last.includes_all_repositories,
      canCreateOrgRepo: last.can_create_org_repo,
      units,
    })
    await reduceAccess(tx, team.org_id, userIds)
  })
}

/** Adds a person to a team and its organization. Throws `Invalid` for an organization. */
export async function addTeamMember(ctx: SignedInCtx, team: TeamRow, user: UserRow): Promise<void> {
  if (user.kind !== 'individual') throw new Invalid('an organization cannot be a member of a team', 'not_a_person')
  await transaction(ctx.db, (tx) => joinTeam(ctx, tx, team, user))
}

/** Adds a person to a team and its organization; returns false for somebody who is on the team. */
export async function joinTeam(ctx: SignedInCtx, tx: Tx, team: TeamRow, user: UserRow): Promise<boolean> {
  const { service } = ctx.config
  if (await isTeamMember(tx, team.id, user.id)) return false
  await insertTeamMember(tx, team, user.id)
  await insertMember(tx, team.org_id, user.id, service.defaultOrgMemberVisible)
  await publish(tx, 'team.memberAdded', {
    teamId: team.id,
    orgId: team.org_id,
    userId: user.id,
    watches: service.autoWatchNewRepos,
    doerId: ctx.viewer.id,
  })
  return true
}

/**
 * Removes a person from a team, and from the organization when it was the only team. Throws `Invalid` for the last
 * owner.
 */
export async function removeTeamMember(ctx: SignedInCtx, team: TeamRow, user: UserRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    if (team.access_mode === 4) {
      await lockTeam(tx, team.id)
      if ((await isTeamMember(tx, team.id, user.id)) && (await countTeamMembers(tx, team.id)) === 1) {
        throw new Invalid('the last owner of an organization cannot be removed', 'last_owner')
      }
    }
    if (!(await deleteTeamMember(tx, team.id, user.id))) return
    await deleteTeamlessMembers(tx, team.org_id, [user.id])
    await publish(tx, 'team.memberRemoved', { ...factsOfTeam(team, ctx.viewer.id), userId: user.id })
    await publish(tx, 'access.reduced', { userId: user.id, ownerId: team.org_id })
  })
}

/** Returns whether the viewer may know that the team exists: members of its organization and administrators (contract A6). */
export async function mayKnowTeam({ db, viewer }: Ctx, team: TeamRow): Promise<boolean> {
  if (!viewer || !(viewer.isAdmin || (await isOrgMember(db, team.org_id, viewer.id)))) return false
  return !viewer.limit.publicOnly || (await findUserById(db, team.org_id))?.visibility === 'public'
}

/** The error for an unknown name and for an account that is not on the team. */
export const notOnTeam = () => new NotFound('the user is not on the team', 'not_on_team')

/** Throws `NotFound` unless the person is on the team. */
export async function checkTeamMember(ctx: Ctx, team: TeamRow, user: UserRow): Promise<void> {
  if (!(await isTeamMember(ctx.db, team.id, user.id))) throw notOnTeam()
}

interface TeamPage {
  readonly teams: TeamRow[]
  readonly total: number
}

async function teamPage(ctx: Ctx, limits: Omit<TeamFilter, 'shownTo'>, page: Page): Promise<TeamPage> {
  const filter = { ...limits, shownTo: ctx.viewer }
  const [teams, total] = await rowsAndTotal(page, listTeams(ctx.db, filter, page), countTeams(ctx.db, filter))
  return { teams, total }
}

export const pageOfTeams = (ctx: Ctx, org: UserRow, page: Page): Promise<TeamPage> =>
  teamPage(ctx, { orgId: org.id }, page)

/** Returns a page of the viewer's teams in all organizations. */
export const pageOfOwnTeams = (ctx: SignedInCtx, page: Page): Promise<TeamPage> =>
  teamPage(ctx, { memberId: ctx.viewer.id }, page)

/** Returns a page of the viewer's teams in an organization that contain a text. Instance administrators search all teams. */
export const searchTeams = (
  ctx: SignedInCtx,
  org: UserRow,
  query: { readonly text: string; readonly alsoDescription: boolean },
  page: Page,
): Promise<TeamPage> =>
  teamPage(ctx, { orgId: org.id, memberId: ctx.viewer.isAdmin ? undefined : ctx.viewer.id, ...query }, page)

export async function pageOfTeamMembers(
  ctx: Ctx,
  team: TeamRow,
  page: Page,
): Promise<{ readonly members: UserRow[]; readonly total: number }> {
  const [members, total] = await rowsAndTotal(
    page,
    listTeamMembers(ctx.db, team.id, page),
    countTeamMembers(ctx.db, team.id),
  )
  return { members, total }
}
