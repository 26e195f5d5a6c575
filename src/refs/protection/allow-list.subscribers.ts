import { subscriber } from '../../events/subscriber.ts'
import { takeTeamOffLists } from './allow-list.store.ts'

/** A team that is gone is allowed nothing. */
export const forgetAllowedTeam = subscriber({
  name: 'forgetAllowedTeam',
  on: 'team.deleted',
  inTransaction: (tx, { data }) => takeTeamOffLists(tx, data.teamId),
})
