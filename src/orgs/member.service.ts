import { isOrgMember } from '../access/access.store.ts'
import type { Ctx, SignedInCtx } from '../access/context.ts'
import { sightOf } from '../access/named-account.ts'
import { transaction } from '../db/database.ts'
import type { TeamRow, UserRow } from '../db/tables/accounts.ts'
import { publish } from '../events/hub.ts'
import { Forbidden, Invalid, NotFound } from '../lib/errors.ts'
import type { UserId } from '../lib/ids.ts'
import type { Page } from '../lib/paging.ts'
import type { PeoplePage } from '../users/people-count.store.ts'
import {
  countMembers,
  deleteMember,
  findMembership,
  listMembers,
  listMemberships,
  lockTeam,
  updateMembership,
  type MemberFilter,
} from './org.store.ts'
import {
  countTeamMembers,
  deleteTeamMemberships,
  findOwnersTeam,
  isTeamMember,
  listTeamsOfMembers,
} from './team.store.ts'

/**
 * Returns a page of members. Members and administrators see all of them. Other callers see the members with a public
 * membership whose accounts they may see.
 */
export async function pageOfMembers(ctx: Ctx, org: UserRow, page: Page, publicOnly: boolean): Promise<PeoplePage> {
  const { viewer, db } = ctx
  const isInsider = viewer !== undefined && (viewer.isAdmin || (await isOrgMember(db, org.id, viewer.id)))
  const filter: MemberFilter = {
    publicOnly: publicOnly || !isInsider,
    onlooker: isInsider && !viewer.limit.publicOnly ? 'seesAll' : viewer,
  }
  const total = await countMembers(db, org.id, filter)
  return { users: await listMembers(db, org.id, filter, page), ...total }
}

/** A membership as fellow members see it. */
export interface MemberRole {
  readonly isPublic: boolean
  readonly isOwner: boolean
  /** By name. */
  readonly teams: readonly TeamRow[]
}

/** Returns the roles of members of an organization. The caller must be a member or an administrator. */
export async function rolesOfMembers(
  { db }: Ctx,
  org: UserRow,
  people: readonly UserRow[],
): Promise<ReadonlyMap<UserId, MemberRole>> {
  if (people.length === 0) return new Map()
  const ids = people.map(({ id }) => id)
  const [memberships, teams] = await Promise.all([
    listMemberships(db, org.id, ids),
    listTeamsOfMembers(db, org.id, ids),
  ])
  const teamsOf = Map.groupBy(teams, (team) => team.user_id)
  return new Map(
    memberships.map(({ user_id: id, is_public: isPublic }) => {
      const own = teamsOf.get(id) ?? []
      return [id, { isPublic, isOwner: own.some((team) => team.access_mode === 4), teams: own }]
    }),
  )
}

/** The error for an account that is not a member or that the caller may not see as a member. */
export const noMember = () => new NotFound('the user is not a member of the organization', 'not_a_member')

/**
 * Checks that an account is a member.
 * @returns `elsewhere` for a caller outside the organization, who must ask for public members (contract, organizations: members)
 * @throws NotFound when it is not a member
 */
export async function checkMember(ctx: SignedInCtx, org: UserRow, user: UserRow): Promise<'member' | 'elsewhere'> {
  const { viewer, db } = ctx
  const insider = viewer.isAdmin || (await isOrgMember(db, org.id, viewer.id))
  if (!insider && user.id !== viewer.id) {
    if ((await sightOf(ctx, user)) !== 'visible') throw noMember()
    return 'elsewhere'
  }
  if (!(await isOrgMember(db, org.id, user.id))) throw noMember()
  return 'member'
}

/** Returns whether the viewer may see an account as a member. Fellow members may. */
const maySeeMember = async (ctx: Ctx, org: UserRow, user: UserRow): Promise<boolean> =>
  (await sightOf(ctx, user)) === 'visible' ||
  (ctx.viewer !== undefined && (await isOrgMember(ctx.db, org.id, ctx.viewer.id)))

/** Throws `NotFound` unless the person is a member with a public membership. */
export async function checkPublicMember(ctx: Ctx, org: UserRow, user: UserRow): Promise<void> {
  const membership = await findMembership(ctx.db, org.id, user.id)
  if (!membership?.is_public || !(await maySeeMember(ctx, org, user))) throw noMember()
}

/** Makes the viewer's own membership public or private. Throws `Forbidden` for another account. */
export async function showMembership(ctx: SignedInCtx, org: UserRow, user: UserRow, isPublic: boolean): Promise<void> {
  if (user.id !== ctx.viewer.id) {
    throw new Forbidden('only the members themselves show or hide their membership', 'not_self')
  }
  await transaction(ctx.db, (tx) => updateMembership(tx, org.id, user.id, isPublic))
}

/**
 * Removes an account from an organization and its teams. Does nothing for an account that is not a member.
 * @throws Invalid for the last owner
 */
export async function removeMember(ctx: SignedInCtx, org: UserRow, user: UserRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    const owners = await findOwnersTeam(tx, org.id)
    if (owners) {
      await lockTeam(tx, owners.id)
      if ((await isTeamMember(tx, owners.id, user.id)) && (await countTeamMembers(tx, owners.id)) === 1) {
        throw new Invalid('the last owner of an organization cannot be removed', 'last_owner')
      }
    }
    const left = await deleteTeamMemberships(tx, org.id, user.id)
    const wasMember = await deleteMember(tx, org.id, user.id)
    if (left.length === 0 && !wasMember) return
    for (const { team_id: teamId } of left) {
      await publish(tx, 'team.memberRemoved', { teamId, orgId: org.id, userId: user.id, doerId: ctx.viewer.id })
    }
    await publish(tx, 'access.reduced', { userId: user.id, ownerId: org.id })
  })
}
