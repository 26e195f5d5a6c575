import type { Services } from '../access/context.ts'
import { findPerson, findPersonByPrimary } from '../auth/account.store.ts'
import type { MailedLinkRow } from '../db/tables/sign-in.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { LinkId } from '../lib/ids.ts'
import { nowUnix } from '../lib/time.ts'
import { isTooMuchMail, linkCode } from '../users/entry/link.service.ts'
import { findLink } from '../users/entry/link.store.ts'
import { findUserById } from '../users/user.store.ts'
import { composeMail, link as linkTo, paragraph, type MailBlock } from './compose.tsx'
import { sendOrGiveUp } from './send-or-give-up.ts'
import type { MailTexts } from './texts/mail-texts.ts'
import { textsFor } from './texts/texts.ts'

interface LinkMail {
  readonly subject: string
  readonly blocks: readonly MailBlock[]
}

/**
 * Sends the mail with a requested link. Nothing is sent to an address without an account that did not ask for one, and no
 * address gets too many mails.
 */
export async function mailRequestedLink(services: Services, id: LinkId): Promise<void> {
  const { db, clock, config, mailer } = services
  const link = await findLink(db, id)
  const isOver = !link || link.used_unix !== null || link.expires_unix <= nowUnix(clock)
  if (isOver || !mailer.isEnabled || (await isTooMuchMail(services, link))) return
  const find = link.kind === 'reset' ? findPersonByPrimary : findPerson
  const user = link.user_id === null ? await find(db, link.lower_email) : await findUserById(db, link.user_id)
  const texts = textsFor(config, link.language)
  const linkMail = linkMailOf(services, link, user, texts)
  if (!linkMail) return
  const blocks = [...linkMail.blocks, paragraph(texts.link.notYou)]
  const parts = {
    subject: linkMail.subject,
    id: `link-${link.id}-${link.created_unix}`,
    blocks,
    language: texts.language,
  }
  await sendOrGiveUp(services, { to: link.email, ...composeMail(config, parts) })
}

/** Returns the mail for a link; undefined when none is sent. */
function linkMailOf(
  services: Services,
  link: MailedLinkRow,
  user: UserRow | undefined,
  { link: texts, welcome }: MailTexts,
): LinkMail | undefined {
  const { config } = services
  const { appName } = config.instance
  const { rootUrl } = config.server
  const hello = (name: string): MailBlock => paragraph(welcome.hello(name))
  const lasts = paragraph(texts.lasts(Math.round((link.expires_unix - link.created_unix) / 60)))
  const to = (label: string, path: string, account: UserRow | undefined): MailBlock =>
    linkTo(label, `${rootUrl}${path}?code=${linkCode(services, link, account)}`)
  switch (link.kind) {
    case 'sign-up': {
      if (user) {
        const blocks = [
          hello(user.full_name || user.name),
          paragraph(texts.known(appName, user.name)),
          linkTo(welcome.signIn, `${rootUrl}user/login`),
          linkTo(texts.resetLink, `${rootUrl}user/forgot_password`),
        ]
        return { subject: texts.knownSubject(appName), blocks }
      }
      if (link.name === '') return undefined
      const confirm = to(texts.confirmLink, 'user/activate', undefined)
      const blocks = [hello(link.name), paragraph(texts.confirm(appName, link.name)), confirm, lasts]
      return { subject: texts.confirmSubject(appName), blocks }
    }
    case 'reset': {
      if (!user || user.prohibit_login) return undefined
      const reset = to(texts.resetLink, 'user/recover_account', user)
      const blocks = [hello(user.full_name || user.name), paragraph(texts.reset(appName, user.name))]
      return {
        subject: texts.resetSubject(appName),
        blocks: [...blocks, ...(user.login_source_id > 0 ? [paragraph(texts.noPassword)] : [reset, lasts])],
      }
    }
    case 'address': {
      if (!user) return undefined
      const confirm = to(texts.addressLink, 'user/activate_email', user)
      return {
        subject: texts.addressSubject(appName),
        blocks: [hello(user.full_name || user.name), paragraph(texts.address(appName, user.name)), confirm, lasts],
      }
    }
  }
}
