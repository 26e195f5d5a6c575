import type { Feature } from '../access/feature.ts'
import { mailLink } from './link-mail.subscribers.ts'
import { mailAcceptances, mailInvitations } from './invitation-mail.subscribers.ts'
import { readInbox } from './incoming/read-inbox.task.ts'
import { mailAdmins, mailPeople, mailWatchers } from './mail-people.subscribers.ts'
import { keyMails, mailSecurity } from './security.subscribers.ts'
import { sendMails } from './send-mails.job.ts'
import { mailWelcome } from './welcome.subscribers.ts'

/** Outgoing mails, and comments by mail. */
export const mail: Feature = {
  subscribers: [
    mailWelcome,
    mailLink,
    mailSecurity,
    mailPeople,
    mailWatchers,
    mailAdmins,
    mailInvitations,
    mailAcceptances,
  ],
  muted: ({ mailer, service, admin, ingot }) => [
    ...(mailer.enabled ? [] : [mailWelcome, mailLink, mailInvitations, mailAcceptances]),
    ...(mailer.enabled && ingot.securityMails ? [] : [mailSecurity]),
    ...(mailer.enabled && service.enableNotifyMail ? [] : [mailPeople, mailWatchers]),
    ...(mailer.enabled && admin.sendNotificationEmailOnNewUser ? [] : [mailAdmins]),
  ],
  services: [keyMails],
  jobs: [sendMails],
  schedules: (config) => (config.emailIncoming.enabled ? [readInbox(config)] : []),
}
