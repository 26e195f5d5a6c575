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
import { textsFor, type MailTexts } from './texts/texts.ts'

/** Changes that people make by hand. A mail about one of them is always sent. */
const neverTooMany: ReadonlySet<string> = new Set(['password', 'codes', 'passkey', 'secondFactorRemoved'])

/** Most mails within an hour about everything else that one account created: programs may create a lot. */
const maxKeyMails = 20

/** Counts these mails for each account. */
export const keyMails = ownService('the mails about tokens and keys', {
  open: ({ clock }) => new HourlyLimit(clock, { perAddress: maxKeyMails, inAll: Number.POSITIVE_INFINITY }),
})

/**
 * Tells people that what opens their account was changed (`[ingot].SECURITY_MAILS`), whoever did it. They have no say in
 * that: who took the account over would say no first. Of another primary address the former one is told.
 */
export const mailSecurity = subscriber({
  name: 'mailSecurity',
  pool: 'mail',
  on: ['credential.changed', 'user.edited'],
  priority: 'high',
  // With the usual waits: for about eight hours, which a mail server may be away.
  attempts: 14,
  async afterCommit(services: Services, event, run) {
    const user = await findUserById(services.db, event.data.userId)
    if (!user || user.kind !== 'individual') return
    const { language, security, welcome } = textsFor(services.config, user.language)
    const told = whatIsTold(services, user, event, security)
    if (!told) return
    const { appName } = services.config.instance
    const blocks = [
      paragraph(welcome.hello(user.full_name || user.name)),
      paragraph(told.text),
      paragraph(security.notYou),
      link(security.settings, `${services.config.server.rootUrl}user/settings/security`),
    ]
    const parts = { subject: security.subject(appName), id: `security-${run.eventId ?? 0}`, blocks, language }
    await sendOrGiveUp(services, { to: told.to, ...composeMail(services.config, parts) })
  },
})

function whatIsTold(
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
  if (!neverTooMany.has(data.what) && isEnough(services, user)) return undefined
  return { to: user.email, text: texts[data.what](user.name, appName, data.name) }
}

function isEnough(services: Services, user: UserRow): boolean {
  try {
    keyMails.of(services).take(String(user.id))
    return false
  } catch (error) {
    if (error instanceof TooManyRequests) return true
    throw error
  }
}
