import { maySeeAccount } from '../access/rights.ts'
import { viewerAs } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { NotFound } from '../lib/errors.ts'
import { orgMembership } from './membership.service.ts'
import type { OrgCtx } from './org.requirements.ts'

/** The members of `OrganizationPermissions`. */
export interface OrgPermissions {
  readonly is_owner: boolean
  readonly is_admin: boolean
  readonly can_write: boolean
  readonly can_read: boolean
  readonly can_create_repository: boolean
}

/**
 * Returns a person's permissions in an organization, from the person's teams only. Throws `NotFound` when the person may
 * not see the organization (recorded).
 */
export async function orgPermissionsOf(ctx: OrgCtx, user: UserRow): Promise<OrgPermissions> {
  const { org } = ctx
  const membership = await orgMembership(ctx.db, org.id, user.id)
  if (!maySeeAccount(viewerAs(user), org, membership.isMember)) {
    throw new NotFound('the organization does not exist', 'org_not_found')
  }
  return {
    is_owner: membership.rank >= 4,
    is_admin: membership.rank >= 3,
    can_write: membership.rank >= 2,
    can_read: membership.rank >= 1,
    can_create_repository: membership.mayCreateRepos,
  }
}
