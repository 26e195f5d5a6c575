import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { mailAcceptance, mailInvitationLink } from './invitation-mail.service.ts'

/** Mails invitations to their addresses. */
export const mailInvitations = subscriber({
  name: 'mailInvitations',
  pool: 'mail',
  on: 'invitation.created',
  // A person waits for it.
  priority: 'high',
  // About eight hours of retries, for a mail server that is down.
  attempts: 14,
  afterCommit: (services: Services, { data }) => mailInvitationLink(services, data.invitationId),
})

/** Mails the inviter who accepted. */
export const mailAcceptances = subscriber({
  name: 'mailAcceptances',
  pool: 'mail',
  on: 'invitation.accepted',
  attempts: 14,
  afterCommit: (services: Services, { data }) => mailAcceptance(services, data.invitationId),
})
