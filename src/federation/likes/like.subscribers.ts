import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { tellOfStar } from './followed-repo.service.ts'

/** Sends stars to the repositories elsewhere that a repository follows. */
export const tellStars = subscriber({
  name: 'tellStars',
  on: ['repo.starred', 'repo.unstarred'],
  // What one person does and takes back is told in its order.
  lane: ({ data }) => `stars of ${data.userId}`,
  afterCommit: (services: Services, event) => tellOfStar(services, event),
})
