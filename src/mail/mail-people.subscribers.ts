import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { mayHaveRecipients, notifiedEvents } from '../notifications/audience.service.ts'
import { mailNewAccount, mailOf, mailRelease } from './mail-people.service.ts'

/** Mails events to the people they concern (`[service].ENABLE_NOTIFY_MAIL`). */
export const mailPeople = subscriber({
  name: 'mailPeople',
  on: notifiedEvents,
  isNeeded: mayHaveRecipients,
  afterCommit: (services: Services, event, run) => mailOf(services, event, run),
})

/** Mails releases to the watchers of a repository (`[service].ENABLE_NOTIFY_MAIL`). */
export const mailWatchers = subscriber({
  name: 'mailWatchers',
  on: 'release.published',
  afterCommit: (services: Services, event, run) => mailRelease(services, event, run),
})

/** Mails new accounts to the administrators (`[admin].SEND_NOTIFICATION_EMAIL_ON_NEW_USER`). */
export const mailAdmins = subscriber({
  name: 'mailAdmins',
  on: 'user.created',
  afterCommit: (services: Services, event, run) => mailNewAccount(services, event, run),
})
