import { ownService } from '../access/own-service.ts'
import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { Event } from '../events/catalogue.ts'
import { subscriber } from '../events/subscriber.ts'
import { TooManyRequests } from '../lib/errors.ts'
import { HourlyLimit } from '../users/entry/hourly-limit.ts'
import { findUserById } from '../users/user.store.ts'
import { composeMail, link, paragraph } from './compose.tsx'
import { sendOrGiveUp } from './send-or-give-up.ts'
import type { MailTexts } from './texts/mail-texts.ts'
import { textsFor } from './texts/texts.ts'

/** Changes that people make by hand; their mails have no limit. */
const unlimitedChanges: ReadonlySet<string> = new Set(['password', 'codes', 'passkey', 'secondFactorRemoved'])

/** Most mails to one account within an hour about other changes, which programs may make in numbers. */
const maxKeyMails = 20

/** Counts these mails per account. */
export const keyMails = ownService('the mails about tokens and keys', {
  open: ({ clock }) => new HourlyLimit(clock, { perAddress: maxKeyMails, inAll: Number.POSITIVE_INFINITY }),
})

/**
 * Mails changes of credentials to the owner of the account (`[ingot].SECURITY_MAILS`). The owner cannot switch it off, because
 * an intruder would. A changed primary address is mailed to the old one.
 */
export const mailSecurity = subscriber({
  name: 'mailSecurity',
  pool: 'mail',
  on: ['credential.changed', 'user.edited'],
  priority: 'high',
  // About eight hours of retries, for a mail server that is down.
  attempts: 14,
  async afterCommit(services: Services, event, run) {
    const user = await findUserById(services.db, event.data.userId)
    if (!user || user.kind !== 'individual') return
    const { language, security, welcome } = textsFor(services.config, user.language)
    const notice = noticeOf(services, user, event, security)
    if (!notice) return
    const { appName } = services.config.instance
    const blocks = [
      paragraph(welcome.hello(user.full_name || user.name)),
      paragraph(notice.text),
      paragraph(security.notYou),
      link(security.settings, `${services.config.server.rootUrl}user/settings/security`),
    ]
    const parts = { subject: security.subject(appName), id: `security-${run.eventId ?? 0}`, blocks, language }
    await sendOrGiveUp(services, { to: notice.to, ...composeMail(services.config, parts) })
  },
})

function noticeOf(
  services: Services,
  user: UserRow,
  { name, data }: Event<'credential.changed'> | Event<'user.edited'>,
  texts: MailTexts['security'],
): { readonly to: string; readonly text: string } | undefined {
  const { appName } = services.config.instance
  if (name === 'user.edited') {
    const { oldEmail } = data
    if (oldEmail === undefined || oldEmail === '') return undefined
    return { to: oldEmail, text: texts.address(user.name, appName, user.email) }
  }
  if (user.email === '') return undefined
  if (!unlimitedChanges.has(data.what) && isLimitReached(services, user)) return undefined
  return { to: user.email, text: texts[data.what](user.name, appName, data.name) }
}

function isLimitReached(services: Services, user: UserRow): boolean {
  try {
    keyMails.of(services).take(String(user.id))
    return false
  } catch (error) {
    if (error instanceof TooManyRequests) return true
    throw error
  }
}
