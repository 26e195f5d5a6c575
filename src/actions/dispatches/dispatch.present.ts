import type { SignedInRepoCtx } from '../../access/context.ts'
import { presentThisRepo } from '../../repos/repo.present.ts'
import { presentUser } from '../../users/user.present.ts'

/** What jobs of a dispatched workflow are told of it. */
export async function presentDispatch(
  ctx: SignedInRepoCtx,
  told: { readonly ref: string; readonly inputs: Readonly<Record<string, string>>; readonly workflow: string },
): Promise<object> {
  return {
    inputs: told.inputs,
    ref: told.ref,
    // As guests see it, and nobody's permissions (observed).
    repository: {
      ...(await presentThisRepo(ctx)),
      owner: presentUser({ config: ctx.config }, ctx.owner),
      permissions: { admin: false, push: false, pull: false },
    },
    sender: presentUser({ config: ctx.config }, ctx.viewer.user),
    workflow: told.workflow,
  }
}
