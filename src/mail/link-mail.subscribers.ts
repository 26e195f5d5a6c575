import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { mailRequestedLink } from './link-mail.service.ts'

/** Mails the links that people ask for: to confirm an account or an address, and to choose another password. */
export const mailLink = subscriber({
  name: 'mailLink',
  pool: 'mail',
  on: 'link.requested',
  // Somebody waits for it.
  priority: 'high',
  // With the usual waits: for about eight hours, which a mail server may be away. A link that is over by then is not sent.
  attempts: 14,
  afterCommit: (services: Services, { data }) => mailRequestedLink(services, data.linkId),
})
