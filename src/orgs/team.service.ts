import type { Ctx, Services, SignedInCtx } from '../access/context.ts'
import { isUniqueViolation, transaction, type Tx } from '../db/database.ts'
import type { TeamRow, UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { deleteTeamlessMembers, insertMember, lockTeam } from './org.store.ts'
import { editedTeamAccess, newTeamAccess, type AskedAccess } from './team.rules.ts'
import {
  countTeamMembers,
  countTeams,
  deleteTeam,
  deleteTeamMember,
  insertAllTeamRepos,
  insertTeam,
  insertTeamMember,
  isTeamMember,
  listTeamMemberIds,
  listTeamMembers,
  listTeams,
  replaceTeamUnits,
  updateTeam,
  type NewTeamRow,
  type TeamFilter,
} from './team.store.ts'

export interface NewTeam extends AskedAccess {
  readonly name: string
  readonly description?: string | undefined
  readonly includesAllRepositories?: boolean | undefined
  readonly canCreateOrgRepo?: boolean | undefined
}

const nameTaken = (name: string) => new Invalid(`there is already a team named ${name}`, 'team_name_taken')

/** Makes a team; one without any unit is `Invalid`, and so is a used name. */
export async function createTeam(services: Services, org: UserRow, input: NewTeam): Promise<TeamRow> {
  const access = newTeamAccess(input)
  if (!access || access.units.size === 0) throw new Invalid('a team needs at least one unit', 'team_units_missing')
  try {
    return await transaction(services.db, async (tx) => {
      const team = await insertTeam(tx, {
        org_id: org.id,
        name: input.name,
        lower_name: input.name.toLowerCase(),
        description: input.description ?? '',
        access_mode: access.mode,
        includes_all_repositories: input.includesAllRepositories ?? false,
        can_create_org_repo: input.canCreateOrgRepo ?? false,
        created_unix: nowUnix(services.clock),
      })
      await replaceTeamUnits(tx, team, access.units)
      return team
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw nameTaken(input.name)
    throw error
  }
}

/**
 * Changes a team. Of the owners only name and description change; all repositories are looked at only beside a
 * permission (contract, teams: creation and editing). A used name is `Invalid`.
 */
export async function editTeam(services: Services, team: TeamRow, input: Partial<NewTeam>): Promise<TeamRow> {
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
    return await transaction(services.db, async (tx) => {
      const updated = await updateTeam(tx, team.id, change)
      if (access?.units) await replaceTeamUnits(tx, team, access.units)
      if (team.includes_all_repositories && !includesAll) await insertAllTeamRepos(tx, team)
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

/** Deletes a team; those who are on no other one leave the organization. The owners' is `Invalid`. */
export async function removeTeam(services: Services, team: TeamRow): Promise<void> {
  if (team.access_mode === 4) throw new Invalid('the team of owners can not be deleted', 'owners_team')
  await transaction(services.db, async (tx) => {
    const userIds = await listTeamMemberIds(tx, team.id)
    await deleteTeam(tx, team.id)
    await deleteTeamlessMembers(tx, team.org_id, userIds)
    await reduceAccess(tx, team.org_id, userIds)
  })
}

/** Puts a person on a team and into its organization; an organization is `Invalid`. */
export async function addTeamMember(services: Services, team: TeamRow, user: UserRow): Promise<void> {
  if (user.kind !== 'individual') throw new Invalid('an organization can not be a member of a team', 'not_a_person')
  const { service } = services.config
  await transaction(services.db, async (tx) => {
    if (await isTeamMember(tx, team.id, user.id)) return
    await insertTeamMember(tx, team, user.id)
    await insertMember(tx, team.org_id, user.id, service.defaultOrgMemberVisible)
    await publish(tx, 'team.memberAdded', {
      teamId: team.id,
      orgId: team.org_id,
      userId: user.id,
      watches: service.autoWatchNewRepos,
    })
  })
}

/** Takes somebody off a team; who is on no other one leaves the organization. The last owner is `Invalid`. */
export async function removeTeamMember(services: Services, team: TeamRow, user: UserRow): Promise<void> {
  await transaction(services.db, async (tx) => {
    if (team.access_mode === 4) {
      await lockTeam(tx, team.id)
      if ((await isTeamMember(tx, team.id, user.id)) && (await countTeamMembers(tx, team.id)) === 1) {
        throw new Invalid('the last owner of an organization can not be removed', 'last_owner')
      }
    }
    if (!(await deleteTeamMember(tx, team.id, user.id))) return
    await deleteTeamlessMembers(tx, team.org_id, [user.id])
    await publish(tx, 'access.reduced', { userId: user.id, ownerId: team.org_id })
  })
}

/** Throws `NotFound` unless the person is on the team. */
export async function checkTeamMember(ctx: Ctx, team: TeamRow, user: UserRow): Promise<void> {
  if (!(await isTeamMember(ctx.db, team.id, user.id))) throw new NotFound('the user is not on the team', 'not_on_team')
}

interface TeamPage {
  readonly teams: TeamRow[]
  readonly total: number
}

async function teamPage(ctx: Ctx, limits: Omit<TeamFilter, 'shownTo'>, page: Page): Promise<TeamPage> {
  const filter = { ...limits, shownTo: ctx.viewer }
  const [teams, total] = await Promise.all([listTeams(ctx.db, filter, page), countTeams(ctx.db, filter)])
  return { teams, total }
}

export const pageOfTeams = (ctx: Ctx, org: UserRow, page: Page): Promise<TeamPage> =>
  teamPage(ctx, { orgId: org.id }, page)

/** Teams of a person in all organizations. */
export const pageOfOwnTeams = (ctx: SignedInCtx, page: Page): Promise<TeamPage> =>
  teamPage(ctx, { memberId: ctx.viewer.id }, page)

/** Teams of an organization that the viewer is on (administrators of the instance: all) with a text in them. */
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
  const [members, total] = await Promise.all([
    listTeamMembers(ctx.db, team.id, page),
    countTeamMembers(ctx.db, team.id),
  ])
  return { members, total }
}
