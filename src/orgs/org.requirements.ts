import type { Ctx, SignedInCtx } from '../access/context.ts'
import { resolveSubject } from '../access/named-account.ts'
import { checkScopes, refuseWithheld } from '../access/requirements.ts'
import type { TeamRow, UserRow } from '../db/tables/accounts.ts'
import type { Requirement, Scope } from '../http/operation.ts'
import { pathNumber, pathText } from '../http/schema.ts'
import { Forbidden, NotFound, Refusal } from '../lib/errors.ts'
import type { TeamId } from '../lib/ids.ts'
import { findUserById } from '../users/user.store.ts'
import { orgMembership, type OrgMembership } from './membership.service.ts'
import { findTeam, findTeamByName, isTeamMember } from './team.store.ts'

/** A context with the organization that the path names. */
export interface OrgCtx extends Ctx {
  readonly org: UserRow
}

/** A context with the team that the path names and its organization. */
export interface TeamCtx extends OrgCtx {
  readonly team: TeamRow
}

type SignedInOrgCtx = OrgCtx & SignedInCtx

const orgParams = { org: pathText }
const teamParams = { teamid: pathNumber }

const noOrg = () => new NotFound('the organization does not exist', 'org_not_found')

/**
 * Resolves the organization that `{org}` names. A former name redirects. An organization that the caller may not see gets
 * the answer of a missing one. This check precedes the limits of the credential, which would reveal the difference.
 */
export const inOrg: Requirement<Ctx, Pick<OrgCtx, 'org'>, typeof orgParams> = {
  codes: ['resolve:org', 'publicOnlyCheck'],
  refuses: [403, 404],
  params: orgParams,
  async check(ctx, call) {
    const parameter = { parameter: 'org', name: call.params.org, missing: noOrg, kind: 'organization' } as const
    return { org: await resolveSubject(ctx, call, parameter, 'orgs') }
  },
}

/** Returns the caller's role in the organization. */
const membershipIn = async ({ db, org, viewer }: SignedInOrgCtx): Promise<OrgMembership> =>
  orgMembership(db, org.id, viewer.id)

/** OO: requires an owner of the organization or an instance administrator. */
export const orgOwner: Requirement<SignedInOrgCtx, object> = {
  codes: ['OO'],
  refuses: [403],
  async check(ctx) {
    if (!ctx.viewer.isAdmin && !(await membershipIn(ctx)).isOwner) {
      throw new Forbidden('only an organization owner may do this', 'org_owner_only')
    }
    return {}
  },
}

/** OM: requires a member of the organization or an instance administrator. */
export const orgMember: Requirement<SignedInOrgCtx, object> = {
  codes: ['OM'],
  refuses: [403],
  async check(ctx) {
    if (!ctx.viewer.isAdmin && !(await membershipIn(ctx)).isMember) {
      throw new Forbidden('only an organization member may do this', 'org_member_only')
    }
    return {}
  },
}

const noTeam = () => new NotFound('the team does not exist', 'team_not_found')

/** Resolves the team that `{teamid}` names. An unknown one is 404, for guests too. */
export const inTeam: Requirement<Ctx, Pick<TeamCtx, 'team' | 'org'>, typeof teamParams> = {
  codes: ['resolve:team'],
  refuses: [404],
  params: teamParams,
  async check({ db }, call) {
    const team = await findTeam(db, call.params.teamid as TeamId)
    const org = team && (await findUserById(db, team.org_id))
    if (!team || !org) throw noTeam()
    return { team, org }
  },
}

const teamNameParams = { team: pathText }

/** Resolves the team of the organization that `{team}` names. Letter case does not matter. */
export const namedTeam: Requirement<OrgCtx, Pick<TeamCtx, 'team'>, typeof teamNameParams> = {
  codes: ['resolve:team'],
  refuses: [404],
  params: teamNameParams,
  async check({ db, org }, call) {
    const team = await findTeamByName(db, org.id, call.params.team.toLowerCase())
    if (!team) throw noTeam()
    return { team }
  },
}

/**
 * TM: requires a member of the team or an owner of its organization. Other members of the organization get 403, anyone
 * else 404 (contract A6).
 */
export const teamMember: Requirement<TeamCtx & SignedInCtx, object> = {
  codes: ['TM'],
  refuses: [403, 404],
  async check(ctx) {
    const { viewer, team, db } = ctx
    if (viewer.isAdmin) return {}
    const membership = await membershipIn(ctx)
    if (membership.isOwner || (await isTeamMember(db, team.id, viewer.id))) return {}
    if (membership.isMember) throw new Forbidden('only a team member may do this', 'team_member_only')
    throw noTeam()
  },
}

/** Refuses a public-only token for teams of an organization that is not public. */
export const teamPublicOnly: Requirement<TeamCtx, object> = {
  codes: ['publicOnlyCheck'],
  refuses: [403],
  check({ viewer, org }) {
    refuseWithheld(viewer, org, 'orgs')
    return {}
  },
}

/** OO for a team: anyone but an owner of its organization or an instance administrator gets 404 (contract A6). */
export const teamOrgOwner: Requirement<TeamCtx & SignedInCtx, object> = {
  codes: ['OO'],
  refuses: [404],
  async check(ctx) {
    if (!ctx.viewer.isAdmin && !(await membershipIn(ctx)).isOwner) throw noTeam()
    return {}
  },
}

/** Requires a token that grants one of the categories (contract: `/user/orgs`). */
export const anyTokenScope = (...categories: readonly Scope[]): Requirement<Ctx, object> => ({
  codes: [`scope:${categories.join('+')}`],
  refuses: [403],
  check({ viewer }, call) {
    const refusals = categories.map((category) => scopeRefusal(viewer, category, call.method))
    const [first] = refusals
    if (first && refusals.every((refusal) => refusal !== undefined)) throw first
    return {}
  },
})

function scopeRefusal(viewer: Ctx['viewer'], category: Scope, method: string): Refusal | undefined {
  try {
    checkScopes(viewer, [category], method)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
