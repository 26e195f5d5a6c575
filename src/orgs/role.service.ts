import type { SignedInCtx } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { orgMembership, type OrgMembership } from './membership.service.ts'

/** Returns the viewer's role in an organization. Administrators of the instance count as members and owners. */
export async function orgRoleOf({ db, viewer }: SignedInCtx, org: UserRow): Promise<OrgMembership> {
  const membership = await orgMembership(db, org.id, viewer.id)
  return viewer.isAdmin ? { ...membership, isMember: true, isOwner: true } : membership
}
