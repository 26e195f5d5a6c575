import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { composeMail, link, paragraph, said } from './compose.tsx'
import { familyHeaders, shownName, type EventMail } from './event-mail.service.ts'
import type { QueuedMail } from './mail-queue.store.ts'
import type { Mail } from './mailer.ts'
import { textsFor } from './texts/texts.ts'
import { replyAddresses, type ReplyAddresses } from './incoming/reply-address.ts'
import { unsubscribeUrl } from './unsubscribe.service.ts'

/** The mail to one of its recipients, in their language. */
export function composeEventMail(services: Services, mail: EventMail, { row, recipient }: QueuedMail): Mail {
  const user = recipient as UserRow
  const { config } = services
  const texts = textsFor(config, user.language)
  const leave = unsubscribeUrl(services, user, mail)
  const reason = mail.reason(texts, row.is_named)
  const answers = mail.issue && replyAddresses(services, user, mail.issue)
  return {
    to: user.email,
    ...(mail.doer ? { fromName: shownName(mail.doer) } : {}),
    ...(answers ? { replyTo: answers.reply } : {}),
    ...composeMail(config, {
      subject: mail.subject(texts),
      id: mail.id,
      language: texts.language,
      blocks: [
        paragraph(mail.sentence(texts)),
        ...(mail.said ? [said(mail.said.text, mail.said.html)] : []),
        link(texts.show, mail.url),
        ...(row.is_last ? [paragraph(texts.lastOfHour(config.ingot.maxMailsPerHour))] : []),
      ],
      footer: [...(reason === '' ? [] : [paragraph(reason)]), link(texts.unsubscribe.link, leave)],
      headers: {
        ...mail.headers,
        ...(answers ? answerHeaders(mail, answers) : {}),
        // One click in the mail program does it (RFC 8058).
        'List-Unsubscribe': `<${leave}>${answers ? `, <mailto:${answers.unsubscribe}>` : ''}`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        ...familyHeaders({
          ...(mail.doer ? { Sender: mail.doer.name } : {}),
          Recipient: user.name,
          'Recipient-Address': user.email,
        }),
      },
    }),
  }
}

/** By what a mail is known that answers this one: also when its address was changed on the way. */
const answerHeaders = ({ headers }: EventMail, { reply, messageId }: ReplyAddresses): Record<string, string> => ({
  'List-Post': `<mailto:${reply}>`,
  References: [headers['References'] ?? '', messageId].join(' ').trim(),
})
