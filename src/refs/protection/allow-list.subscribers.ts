import { subscriber } from '../../events/subscriber.ts'
import { takeOffLists } from './allow-list.store.ts'

/** Removes a deleted team from allow lists. */
export const forgetAllowedTeam = subscriber({
  name: 'forgetAllowedTeam',
  on: 'team.deleted',
  inTransaction: (tx, { data }) => takeOffLists(tx, 'team', data.teamId),
})
