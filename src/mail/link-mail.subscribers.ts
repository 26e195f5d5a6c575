import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { mailRequestedLink } from './link-mail.service.ts'

/** Mails requested links: to confirm an account or an address, and to reset a password. */
export const mailLink = subscriber({
  name: 'mailLink',
  pool: 'mail',
  on: 'link.requested',
  // A person waits for it.
  priority: 'high',
  // About eight hours of retries, for a mail server that is down. An expired link is not sent.
  attempts: 14,
  afterCommit: (services: Services, { data }) => mailRequestedLink(services, data.linkId),
})
