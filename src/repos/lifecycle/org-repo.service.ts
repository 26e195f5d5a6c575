import type { SignedInCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import { Forbidden } from '../../lib/errors.ts'
import { refuseUnseenOrg } from '../../orgs/org.service.ts'
import { orgMembership } from '../../orgs/membership.service.ts'
import { createRepo, type NewRepository } from './repo-creation.service.ts'

/** Throws `NotFound` or `Forbidden` unless the viewer may create repositories in the organization. */
export async function refuseNoMaker(ctx: SignedInCtx, org: UserRow): Promise<{ readonly ownsOrg: boolean }> {
  if (ctx.viewer.isAdmin) return { ownsOrg: true }
  await refuseUnseenOrg(ctx, org)
  const membership = await orgMembership(ctx.db, org.id, ctx.viewer.id)
  if (!membership.mayCreateRepos) {
    throw new Forbidden('you may not create repositories in the organization', 'org_repo_creation_not_allowed')
  }
  return { ownsOrg: membership.isOwner }
}

/**
 * Creates a repository of an organization. A creator who does not own the organization becomes administrator of the
 * repository (contract).
 */
export async function createOrgRepository(ctx: SignedInCtx, org: UserRow, input: NewRepository): Promise<RepoRow> {
  const { ownsOrg } = await refuseNoMaker(ctx, org)
  return createRepo(ctx, ctx.viewer.user, org, input, ownsOrg ? undefined : mode.admin)
}
