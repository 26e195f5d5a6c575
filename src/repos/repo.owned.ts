import { stillOwns, type OwnedByAccount, type OwnedByRepo } from '../access/contributions/owned.ts'
import { deleteRepo } from './lifecycle/repo-deletion.service.ts'
import { endTransfersOf } from './lifecycle/transfer.store.ts'
import { forgetStars, listReposOwnedBy, ownsRepos } from './repo.store.ts'
import { deleteAllStars } from './social/star.store.ts'
import { forgetTopics } from './social/topic.store.ts'
import { deleteAllWatches } from './social/watch.store.ts'

export const ownedRepos: OwnedByAccount = {
  of: 'account',
  async refuse(tx, account) {
    if (await ownsRepos(tx, account.id)) throw stillOwns(account)
  },
  async purge(services, account, doerId) {
    for (const repo of await listReposOwnedBy(services.db, account.id)) {
      await deleteRepo(services, account, repo, doerId)
    }
  },
}

/** Stars, watches and pending transfers of a deleted account. */
export const accountRelations: OwnedByAccount = {
  of: 'account',
  async leave(tx, account) {
    await deleteAllStars(tx, account.id)
    await deleteAllWatches(tx, account.id)
    await endTransfersOf(tx, account.id)
  },
}

/** Stars and topics of a deleted repository, which other rows count. */
export const repoRelations: OwnedByRepo = {
  of: 'repository',
  async leave(tx, repo) {
    await forgetStars(tx, repo.id)
    await forgetTopics(tx, repo.id)
  },
}
