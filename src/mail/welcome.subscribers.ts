import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { subscriber } from '../events/subscriber.ts'
import { findUserById } from '../users/user.store.ts'
import { composeMail, link, paragraph } from './compose.tsx'
import type { Mail } from './mailer.ts'
import { sendOrGiveUp } from './send-or-give-up.ts'
import { textsFor } from './texts/texts.ts'

/** Mails the owner of an account that an administrator created, when the administrator asks for it. */
export const mailWelcome = subscriber({
  name: 'mailWelcome',
  pool: 'mail',
  on: 'user.created',
  // About eight hours of retries, for a mail server that is down.
  attempts: 14,
  async afterCommit(services: Services, { data }) {
    if (data.welcomesByMail !== true || !services.mailer.isEnabled) return
    const user = await findUserById(services.db, data.userId)
    if (!user || user.email === '') return
    await sendOrGiveUp(services, welcomeMail(services, user))
  },
})

/** The mail does not contain the password, which the administrator knows. */
function welcomeMail({ config }: Services, user: UserRow): Mail {
  const { appName } = config.instance
  const { language, welcome } = textsFor(config, user.language)
  return {
    to: user.email,
    ...composeMail(config, {
      subject: welcome.subject(appName),
      id: `welcome-${user.id}-${user.created_unix}`,
      language,
      blocks: [
        paragraph(welcome.hello(user.full_name || user.name)),
        paragraph(welcome.made(appName, user.name)),
        link(welcome.signIn, `${config.server.rootUrl}user/login`),
        paragraph(user.must_change_password ? welcome.firstPassword : welcome.password),
      ],
    }),
  }
}
