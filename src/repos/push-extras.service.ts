import type { SignedInRepoCtx } from '../access/context.ts'
import type { PushExtras } from '../access/contributions/push-extras.ts'
import { editRepo } from './repo-edit.service.ts'

/** Settings that a push asks for are changed like by any edit of the repository. */
export const repoPushExtras = (ctx: SignedInRepoCtx): PushExtras => ({
  changeSettings: async (options) => void (await editRepo(ctx, { ...options, units: { pulls: {} } })),
})
