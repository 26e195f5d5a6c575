import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { tellOfComment } from './outgoing-ticket.service.ts'

/** Tells people of other servers of comments on issues that they take part in. */
export const tellComments = subscriber({
  name: 'tellComments',
  on: 'issue.commented',
  lane: ({ data }) => `told comments ${data.issueId}`,
  afterCommit: (services: Services, event) => tellOfComment(services, event),
})
