import type { SignedInRepoCtx } from '../../access/context.ts'
import { presentThisRepo } from '../../repos/repo.present.ts'
import { presentUser } from '../../users/user.present.ts'

/** Presents the event payload of a dispatched workflow. */
export async function presentDispatch(
  ctx: SignedInRepoCtx,
  dispatch: { readonly ref: string; readonly inputs: Readonly<Record<string, string>>; readonly workflow: string },
): Promise<object> {
  return {
    inputs: dispatch.inputs,
    ref: dispatch.ref,
    // The view of a guest, without permissions (observed).
    repository: {
      ...(await presentThisRepo(ctx)),
      owner: presentUser({ config: ctx.config }, ctx.owner),
      permissions: { admin: false, push: false, pull: false },
    },
    sender: presentUser({ config: ctx.config }, ctx.viewer.user),
    workflow: dispatch.workflow,
  }
}
