import { subscriber } from '../../events/subscriber.ts'
import { scopeOfRepo } from '../queue-scope.ts'
import { endAllTokens, endTokensBelow, endTokensReadableBy } from './end-registration.service.ts'
import { deleteRegistrationToken, deleteRunnersOfRepo } from './runner.store.ts'

/** A transferred repository loses its runners and its registration token: the former owner knows both. */
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

/** A team that had administrators' access and lost it, or a person who left a team, may know registration tokens. */
export const endTokensKnownToTeam = subscriber({
  name: 'endTokensKnownToTeam',
  on: ['team.memberRemoved', 'team.edited', 'team.deleted'],
  async inTransaction(tx, { name, data }) {
    if (name === 'team.edited' && (data.oldMode ?? 0) < administers) return
    if (name === 'team.deleted' && data.mode < administers) return
    await endTokensBelow(tx, data.orgId)
  },
})

/** So may a demoted administrator, and a person who may no longer sign in. */
export const endTokensKnownToPerson = subscriber({
  name: 'endTokensKnownToPerson',
  on: 'user.edited',
  async inTransaction(tx, { data }) {
    if (data.oldIsAdmin === true) await endAllTokens(tx)
    else if (data.oldProhibitLogin === false || data.oldIsActive === true) await endTokensReadableBy(tx, data.userId)
  },
})
