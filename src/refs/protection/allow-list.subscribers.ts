import { subscriber } from '../../events/subscriber.ts'
import { takeTeamOffLists } from './allow-list.store.ts'

/** Removes a deleted team from allow lists. */
export const forgetAllowedTeam = subscriber({
  name: 'forgetAllowedTeam',
  on: 'team.deleted',
  inTransaction: (tx, { data }) => takeTeamOffLists(tx, data.teamId),
})
