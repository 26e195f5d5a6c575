import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { composeMail, link, paragraph, quote } from './compose.tsx'
import { prefixedHeaders, shownName, type EventMail } from './event-mail.service.ts'
import type { QueuedMail } from './mail-queue.store.ts'
import type { Mail } from './mailer.ts'
import { textsFor } from './texts/texts.ts'
import { replyAddresses, type ReplyAddresses } from './incoming/reply-address.ts'
import { unsubscribeUrl } from './unsubscribe.service.ts'

/** Returns the mail for one recipient, in the recipient's language. */
export function composeEventMail(
  services: Services,
  mail: EventMail,
  { row, recipient, mayReadCode }: QueuedMail,
): Mail {
  const user = recipient as UserRow
  const { config } = services
  const texts = textsFor(config, user.language)
  const unsubscribeLink = unsubscribeUrl(services, user, mail)
  const reason = mail.reason(texts, row.is_named)
  const quoted = mayReadCode ? mail.quote?.forReaders : mail.quote?.forOthers
  const replyTo = mail.issue && replyAddresses(services, user, mail.issue)
  return {
    to: user.email,
    ...(mail.doer ? { fromName: shownName(mail.doer) } : {}),
    ...(replyTo ? { replyTo: replyTo.reply } : {}),
    ...composeMail(config, {
      subject: mail.subject(texts),
      id: mail.id,
      language: texts.language,
      blocks: [
        paragraph(mail.sentence(texts)),
        ...(quoted ? [quote(quoted.text, quoted.html)] : []),
        link(texts.show, mail.url),
        ...(row.is_last ? [paragraph(texts.lastOfHour(config.ingot.maxMailsPerHour))] : []),
      ],
      footer: [...(reason === '' ? [] : [paragraph(reason)]), link(texts.unsubscribe.link, unsubscribeLink)],
      headers: {
        ...mail.headers,
        ...(replyTo ? replyHeaders(mail, replyTo) : {}),
        // One-click unsubscription in the mail program (RFC 8058).
        'List-Unsubscribe': `<${unsubscribeLink}>${replyTo ? `, <mailto:${replyTo.unsubscribe}>` : ''}`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        ...prefixedHeaders({
          ...(mail.doer ? { Sender: mail.doer.name } : {}),
          Recipient: user.name,
          'Recipient-Address': user.email,
        }),
      },
    }),
  }
}

/** Returns the headers by which a reply is recognised, even when its address was changed on the way. */
const replyHeaders = ({ headers }: EventMail, { reply, messageId }: ReplyAddresses): Record<string, string> => ({
  'List-Post': `<mailto:${reply}>`,
  References: [headers['References'] ?? '', messageId].join(' ').trim(),
})
