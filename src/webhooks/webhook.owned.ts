import type { OwnedByRepo } from '../access/owned.ts'
import { rememberRepository } from './gone-repositories.ts'
import { recorderContexts } from './recorder.ts'

/** The webhooks of what goes go with it; those of the owner hear of it, and of how it was. */
export const rememberedRepositories: OwnedByRepo = {
  of: 'repository',
  async leave(tx, repo) {
    const ctx = recorderContexts.of(tx)
    if (ctx) await rememberRepository(ctx, tx, repo)
  },
}
