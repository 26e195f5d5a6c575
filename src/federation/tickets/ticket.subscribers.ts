import type { Services } from '../../access/context.ts'
import { subscriber } from '../../events/subscriber.ts'
import { sendComment } from './outgoing-ticket.service.ts'

/** Sends comments to the remote participants of their issue. */
export const sendComments = subscriber({
  name: 'tellComments',
  on: 'issue.commented',
  lane: ({ data }) => `told comments ${data.issueId}`,
  afterCommit: (services: Services, event) => sendComment(services, event),
})
