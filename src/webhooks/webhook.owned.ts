import type { OwnedByAccount, OwnedByRepo } from '../access/contributions/owned.ts'
import { forgetPayloads } from './delete-unused-payloads.job.ts'
import { rememberRepository } from './gone-repositories.ts'
import { countHooks } from './hook.store.ts'
import { recorderContexts } from './recorder.ts'

/** The webhooks of what goes go with it; those of the owner hear of it, and of how it was. */
export const rememberedRepositories: OwnedByRepo = {
  of: 'repository',
  async leave(tx, repo) {
    const ctx = recorderContexts.of(tx)
    if (ctx) await rememberRepository(ctx, tx, repo)
    if ((await countHooks(tx, { repo_id: repo.id, owner_id: null })) > 0) await forgetPayloads(tx)
  },
}

/** What the webhooks of an account were told goes after them. */
export const payloadsOfAccounts: OwnedByAccount = {
  of: 'account',
  async leave(tx, account) {
    if ((await countHooks(tx, { repo_id: null, owner_id: account.id })) > 0) await forgetPayloads(tx)
  },
}
