import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../config/load-config.ts'
import type { Mail } from './mailer.ts'

/** A piece of a mail; each is written as text and as HTML from the same words. */
export type MailBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'said'; readonly text: string; readonly html: string }

export const paragraph = (text: string): MailBlock => ({ kind: 'paragraph', text })
/** An address stands in the text as it is, so that it can be read and typed. */
export const link = (label: string, url: string): MailBlock => ({ kind: 'link', label, url })
/** What somebody wrote, as it was written and as HTML that is safe to show. */
export const said = (text: string, html: string): MailBlock => ({ kind: 'said', text, html })

const font = 'font-family: system-ui, sans-serif; font-size: 15px; line-height: 1.5; color: #1f2328'
const small = 'color: #59636e; font-size: 13px'

/** What a mail is made of. */
export interface MailParts {
  readonly subject: string
  /** Names the mail, before the `@` of its Message-ID: the same id gives the same one, so a mail that is sent twice is known to be the same. */
  readonly id: string
  readonly blocks: readonly MailBlock[]
  /** Below the line, before the name of the instance. */
  readonly footer?: readonly MailBlock[]
  readonly language: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The Message-ID of a mail of the instance. */
export const messageId = (config: Pick<Config, 'server'>, id: string): string =>
  `<${id}@${new URL(config.server.rootUrl).hostname}>`

/**
 * A mail of the instance: subject, a text part and an HTML part that say the same, and the headers of mail that no
 * person wrote (RFC 3834). Nothing is loaded from anywhere when it is read, and text in it is escaped by the renderer.
 */
export function composeMail(
  config: Pick<Config, 'instance' | 'server'>,
  mail: MailParts,
): Pick<Mail, 'subject' | 'text' | 'html' | 'headers'> {
  const { appName } = config.instance
  const { rootUrl } = config.server
  const { footer = [] } = mail
  const text = [...mail.blocks.map(asText), ['-- ', ...footer.map(asText), `${appName}, ${rootUrl}`].join('\n')].join(
    '\n\n',
  )
  const html = renderToString(
    <html lang={mail.language}>
      <head>
        <meta charset="utf-8" />
        <title>{mail.subject}</title>
      </head>
      <body style={font}>
        {mail.blocks.map(asHtml)}
        <div style={small}>
          {footer.map(asHtml)}
          <p>
            <a href={rootUrl}>{appName}</a>
          </p>
        </div>
      </body>
    </html>,
  )
  return {
    subject: mail.subject,
    text: `${text}\n`,
    html: `<!DOCTYPE html>\n${html}\n`,
    headers: {
      'Message-ID': messageId(config, mail.id),
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...mail.headers,
    },
  }
}

const asText = (block: MailBlock): string => (block.kind === 'link' ? `${block.label}: ${block.url}` : block.text)

function asHtml(block: MailBlock): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p>{block.text}</p>
    case 'link':
      return (
        <p>
          {block.label}: <a href={block.url}>{block.url}</a>
        </p>
      )
    case 'said':
      return <div dangerouslySetInnerHTML={{ __html: block.html }} />
  }
}
