import { subscriber } from '../../events/subscriber.ts'
import { deleteUnseenIssueWatches } from './subscription.store.ts'

/** Removes subscriptions of accounts that may not read the issue (contract, notifications). */
export const dropUnseenSubscriptions = subscriber({
  name: 'dropUnseenSubscriptions',
  on: 'access.reduced',
  inTransaction: (tx, event) => deleteUnseenIssueWatches(tx, event.data.ownerId, event.data.userId),
})
