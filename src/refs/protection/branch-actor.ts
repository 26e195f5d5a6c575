import type { RepoCtx } from '../../access/context.ts'
import type { BranchActor } from './branch-protection.rules.ts'
import { teamIdsOf } from '../../access/user-rights.service.ts'

/** The caller as rules see it. */
export async function branchActor(
  ctx: RepoCtx,
  options: { readonly isDeployKey?: boolean } = {},
): Promise<BranchActor> {
  const isDeployKey = options.isDeployKey ?? false
  const id = isDeployKey ? undefined : ctx.viewer?.id
  return { id, rights: ctx.rights, teamIds: await teamIdsOf(ctx.db, ctx.owner, id), isDeployKey }
}
