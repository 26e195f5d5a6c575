import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { sendStar } from './followed-repo.service.ts'

/** Sends stars to the remote repositories that a repository follows. */
export const sendStars = subscriber({
  name: 'tellStars',
  on: ['repo.starred', 'repo.unstarred'],
  // A star and its removal are sent in order.
  lane: ({ data }) => `stars of ${data.userId}`,
  afterCommit: (services: Services, event) => sendStar(services, event),
})
