import type { SignedInRepoCtx } from '../access/context.ts'
import type { PushExtras } from '../access/contributions/push-extras.ts'
import { editRepo } from './repo-edit.service.ts'

/** Applies the settings of push options like an edit of the repository. */
export const repoPushExtras = (ctx: SignedInRepoCtx): PushExtras => ({
  changeSettings: async (options) => void (await editRepo(ctx, { ...options, units: { pulls: {} } })),
})
