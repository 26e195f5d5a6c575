import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { syncFollow } from './outgoing-follow.service.ts'

/** Sends follows of remote accounts, and their ends, to the servers of these accounts. */
export const sendFollows = subscriber({
  name: 'tellFollows',
  on: ['user.followed', 'user.unfollowed'],
  // A follow and its end are sent in order.
  lane: ({ data }) => `follows of ${data.followerId}`,
  afterCommit: (services: Services, { data }) => syncFollow(services, data.followerId, data.userId),
})
