import type { OwnedByAccount, OwnedByRepo } from '../access/contributions/owned.ts'
import { scopeOfAccount, scopeOfRepo } from './queue-scope.ts'
import { endTokensReadableBy } from './runners/end-registration.service.ts'
import { endQueueVersion } from './runners/runner.store.ts'

/** The number of the queue of an account, and the registration tokens that the person can read. */
export const queueOfAccount: OwnedByAccount = {
  of: 'account',
  async leave(tx, account) {
    await endQueueVersion(tx, scopeOfAccount(account.id))
    await endTokensReadableBy(tx, account.id)
  },
}

/** The same of a repository. */
export const queueOfRepo: OwnedByRepo = {
  of: 'repository',
  leave: (tx, repo) => endQueueVersion(tx, scopeOfRepo(repo.id)),
}
