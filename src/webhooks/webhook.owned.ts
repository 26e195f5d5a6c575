import type { OwnedByAccount, OwnedByRepo } from '../access/contributions/owned.ts'
import { deletePayloadsLater } from './deliveries/delete-unused-payloads.job.ts'
import { rememberDeletedRepository } from './deliveries/deleted-repositories.ts'
import { countHooks } from './hook.store.ts'
import { recorderContexts } from './deliveries/recorder.ts'

/** Deleting a repository deletes its webhooks; webhooks of the owner get the repository as it was. */
export const hooksOfRepositories: OwnedByRepo = {
  of: 'repository',
  async leave(tx, repo) {
    const ctx = recorderContexts.of(tx)
    if (ctx) await rememberDeletedRepository(ctx, tx, repo)
    if ((await countHooks(tx, { repo_id: repo.id, owner_id: null })) > 0) await deletePayloadsLater(tx)
  },
}

/** Deleting an account deletes its webhooks and, soon after, their payloads. */
export const hooksOfAccounts: OwnedByAccount = {
  of: 'account',
  async leave(tx, account) {
    if ((await countHooks(tx, { repo_id: null, owner_id: account.id })) > 0) await deletePayloadsLater(tx)
  },
}
