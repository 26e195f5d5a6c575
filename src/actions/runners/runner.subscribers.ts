import { subscriber } from '../../events/subscriber.ts'
import { scopeOfAccount, scopeOfRepo } from '../queue-scope.ts'
import { deleteRegistrationToken, deleteRegistrationTokensOfRepos, deleteRunnersOfRepo } from './runner.store.ts'

/**
 * Ends what a former owner could still register or run with. A transferred repository loses its runners and its
 * registration token; the runners of the new owner take its jobs. Whoever left a team may know the registration tokens of
 * the organization and of its repositories, because owners and members of admin teams can read them.
 */
export const endFormerRunners = subscriber({
  name: 'endFormerRunners',
  on: ['repo.transferred', 'team.memberRemoved'],
  async inTransaction(tx, { name, data }) {
    if (name === 'repo.transferred') {
      await deleteRegistrationToken(tx, scopeOfRepo(data.repoId))
      await deleteRunnersOfRepo(tx, data.repoId)
      return
    }
    await deleteRegistrationToken(tx, scopeOfAccount(data.orgId))
    await deleteRegistrationTokensOfRepos(tx, data.orgId)
  },
})
