import type { Services } from '../access/context.ts'
import { subscriber } from '../events/subscriber.ts'
import { isHeard, toldEvents } from '../notifications/audience.service.ts'
import { mailNewAccount, mailOf, mailRelease } from './mail-people.service.ts'

/** Mails what happens to those who want it (`[service].ENABLE_NOTIFY_MAIL`). */
export const mailPeople = subscriber({
  name: 'mailPeople',
  on: toldEvents,
  isNeeded: isHeard,
  afterCommit: (services: Services, event, run) => mailOf(services, event, run),
})

/** Mails the watchers of a repository that something was published (`[service].ENABLE_NOTIFY_MAIL`). */
export const mailWatchers = subscriber({
  name: 'mailWatchers',
  on: 'release.published',
  afterCommit: (services: Services, event, run) => mailRelease(services, event, run),
})

/** Mails the administrators that there is a new account (`[admin].SEND_NOTIFICATION_EMAIL_ON_NEW_USER`). */
export const mailAdmins = subscriber({
  name: 'mailAdmins',
  on: 'user.created',
  afterCommit: (services: Services, event, run) => mailNewAccount(services, event, run),
})
