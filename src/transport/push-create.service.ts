import { findAccountByName } from '../access/access.store.ts'
import type { Ctx, SignedInCtx } from '../access/context.ts'
import { refusePrivate } from '../access/credential-limits.ts'
import { refuseOverQuota } from '../access/quota/quota.service.ts'
import { checkScopes } from '../access/requirements.ts'
import { createOrgRepository } from '../repos/lifecycle/org-repo.service.ts'
import { createRepo } from '../repos/lifecycle/repo-creation.service.ts'
import { Conflict } from '../lib/errors.ts'
import type { GitAddress } from './git-address.ts'

/**
 * Creates a missing repository on a push, when the settings allow it (`[repository].ENABLE_PUSH_CREATE_USER`,
 * `ENABLE_PUSH_CREATE_ORG`): for the caller, or for an organization in which the caller may create repositories.
 * Returns false when it is not allowed; throws what creation by the API throws.
 */
export async function createByPush(ctx: Ctx, { owner: ownerName, name, unit }: GitAddress): Promise<boolean> {
  const { repository } = ctx.config
  const { viewer } = ctx
  if (!viewer || unit !== 'code') return false
  if (viewer.credential.kind === 'deploy' || viewer.credential.kind === 'job') return false
  if (!repository.enablePushCreateUser && !repository.enablePushCreateOrg) return false
  const owner = await findAccountByName(ctx.db, ownerName.toLowerCase())
  const isOrg = owner?.kind === 'organization'
  if (!owner || !(isOrg ? repository.enablePushCreateOrg : repository.enablePushCreateUser)) return false
  if (!isOrg && owner.id !== viewer.id) return false
  checkScopes(viewer, ['repository'], 'POST')
  refusePrivate(viewer, repository.defaultPushCreatePrivate)
  const input = { name, isPrivate: repository.defaultPushCreatePrivate }
  const signedIn: SignedInCtx = { ...ctx, viewer }
  await refuseOverQuota(ctx, owner, 'size:repos:all')
  try {
    if (isOrg) await createOrgRepository(signedIn, owner, input)
    else await createRepo(ctx, viewer.user, owner, input)
  } catch (error) {
    // Another request created the repository.
    if (!(error instanceof Conflict)) throw error
  }
  return true
}
