import { isOrgMember } from '../access/access.store.ts'
import type { SignedInCtx } from '../access/context.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import type { Db } from '../db/database.ts'
import type { UserId } from '../lib/ids.ts'
import { listOrgsForNewRepos, listTeamsOfMember } from './team.store.ts'

/** A person's role in an organization. */
export interface OrgMembership {
  readonly isMember: boolean
  readonly isOwner: boolean
  /** The highest permission of the teams they are on; 0 for none. */
  readonly rank: AccessMode
  /** On a team that may create repositories, or an owner. */
  readonly mayCreateRepos: boolean
}

/** Returns a person's role in an organization by its teams. Instance administration does not count. */
export async function orgMembership(db: Db, orgId: UserId, userId: UserId): Promise<OrgMembership> {
  const [teams, isMember] = await Promise.all([listTeamsOfMember(db, orgId, userId), isOrgMember(db, orgId, userId)])
  const rank = teams.reduce<AccessMode>((highest, team) => (team.access_mode > highest ? team.access_mode : highest), 0)
  return {
    isMember: isMember || teams.length > 0,
    isOwner: rank === 4,
    rank,
    mayCreateRepos: rank === 4 || teams.some((team) => team.can_create_org_repo),
  }
}

/** Most organizations that a form offers. */
const maxOffered = 200

/** Returns the accounts for which the viewer may create repositories, the own one first. */
export async function listOwnersForNewRepos(ctx: SignedInCtx): Promise<readonly UserRow[]> {
  return [ctx.viewer.user, ...(await listOrgsForNewRepos(ctx.db, ctx.viewer.id, maxOffered))]
}
