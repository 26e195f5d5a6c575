import type { OwnedByAccount, OwnedByRepo } from '../access/contributions/owned.ts'
import { scopeOfAccount, scopeOfRepo } from './queue-scope.ts'
import { endTokensReadableBy } from './runners/end-registration.service.ts'
import { deleteQueueVersion } from './runners/runner.store.ts'

/** A deleted account loses its queue, and the registration tokens that the person could read end. */
export const queueOfAccount: OwnedByAccount = {
  of: 'account',
  async leave(tx, account) {
    await deleteQueueVersion(tx, scopeOfAccount(account.id))
    await endTokensReadableBy(tx, account.id)
  },
}

/** A deleted repository loses its queue. */
export const queueOfRepo: OwnedByRepo = {
  of: 'repository',
  leave: (tx, repo) => deleteQueueVersion(tx, scopeOfRepo(repo.id)),
}
