import type { OwnedByAccount, OwnedByRepo } from '../access/owned.ts'
import { scopeOfAccount, scopeOfRepo } from './queue-scope.ts'
import { endQueueVersion } from './runners/runner.store.ts'

/** The number of the queue of an account, which nobody asks for again. */
export const queueOfAccount: OwnedByAccount = {
  of: 'account',
  leave: (tx, account) => endQueueVersion(tx, scopeOfAccount(account.id)),
}

/** The same of a repository. */
export const queueOfRepo: OwnedByRepo = {
  of: 'repository',
  leave: (tx, repo) => endQueueVersion(tx, scopeOfRepo(repo.id)),
}
