import { subscriber } from '../../events/subscriber.ts'
import { scopeOfRepo } from '../queue-scope.ts'
import { endAllTokens, endTokensBelow, endTokensReadableBy } from './end-registration.service.ts'
import { deleteRegistrationToken, deleteRunnersOfRepo } from './runner.store.ts'

/** Deletes the runners and the registration token of a transferred repository: the former owner knows both. */
export const endRunnersOfFormerOwner = subscriber({
  name: 'endRunnersOfFormerOwner',
  on: 'repo.transferred',
  async inTransaction(tx, { data }) {
    await deleteRegistrationToken(tx, scopeOfRepo(data.repoId))
    await deleteRunnersOfRepo(tx, data.repoId)
  },
})

/** The lowest access of a team of administrators. */
const administers = 3

/** Revokes the tokens that a team, or a person who left it, may know after it lost administrators' access. */
export const endTokensKnownToTeam = subscriber({
  name: 'endTokensKnownToTeam',
  on: ['team.memberRemoved', 'team.edited', 'team.deleted'],
  async inTransaction(tx, { name, data }) {
    if (name === 'team.edited' && (data.oldMode ?? 0) < administers) return
    if (name === 'team.deleted' && data.mode < administers) return
    await endTokensBelow(tx, data.orgId)
  },
})

/** Revokes the tokens that a demoted administrator, or a person who must not sign in any more, may know. */
export const endTokensKnownToPerson = subscriber({
  name: 'endTokensKnownToPerson',
  on: 'user.edited',
  async inTransaction(tx, { data }) {
    if (data.oldIsAdmin === true) await endAllTokens(tx)
    else if (data.oldProhibitLogin === false || data.oldIsActive === true) await endTokensReadableBy(tx, data.userId)
  },
})
