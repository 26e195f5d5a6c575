import { findAccountByName } from '../access/access.store.ts'
import type { SignedInCtx } from '../access/context.ts'
import { maySeeAccount } from '../access/rights.ts'
import { viewerAs } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { NotFound } from '../lib/errors.ts'
import { refuseUnseenOrg } from './org.service.ts'
import { orgMembership } from './membership.service.ts'

/** The words of `OrganizationPermissions`. */
export interface OrgPermissions {
  readonly is_owner: boolean
  readonly is_admin: boolean
  readonly can_write: boolean
  readonly can_read: boolean
  readonly can_create_repository: boolean
}

/**
 * What a person may do in an organization, by their teams alone. `NotFound` when that person, or whoever asks, can not
 * see the organization (contract: the first is observed, the second keeps private ones private).
 */
export async function orgPermissionsOf(ctx: SignedInCtx, user: UserRow, orgName: string): Promise<OrgPermissions> {
  const org = await findAccountByName(ctx.db, orgName.toLowerCase())
  if (org?.kind !== 'organization') throw new NotFound('the organization does not exist', 'org_not_found')
  const membership = await orgMembership(ctx.db, org.id, user.id)
  if (!maySeeAccount(viewerAs(user), org, membership.isMember)) {
    throw new NotFound('the organization does not exist', 'org_not_found')
  }
  await refuseUnseenOrg(ctx, org)
  return {
    is_owner: membership.rank >= 4,
    is_admin: membership.rank >= 3,
    can_write: membership.rank >= 2,
    can_read: membership.rank >= 1,
    can_create_repository: membership.mayCreateRepos,
  }
}
