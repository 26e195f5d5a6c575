import { subscriber } from '../../events/subscriber.ts'
import { deleteUnseenIssueWatches } from './subscription.store.ts'

/** Who can no longer read an issue no longer asks to hear of it (contract, notifications). */
export const dropUnseenSubscriptions = subscriber({
  name: 'dropUnseenSubscriptions',
  on: 'access.reduced',
  inTransaction: (tx, event) => deleteUnseenIssueWatches(tx, event.data.ownerId, event.data.userId),
})
