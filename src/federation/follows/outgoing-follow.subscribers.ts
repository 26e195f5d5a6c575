import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { tellOfFollow } from './outgoing-follow.service.ts'

/** Tells the server of somebody who is followed from here, or no longer is. */
export const tellFollows = subscriber({
  name: 'tellFollows',
  on: ['user.followed', 'user.unfollowed'],
  // What is done twice in a row is told in its order.
  lane: ({ data }) => `follows of ${data.followerId}`,
  afterCommit: (services: Services, { data }) => tellOfFollow(services, data.followerId, data.userId),
})
