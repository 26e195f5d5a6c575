import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../config/load-config.ts'
import type { Mail } from './mailer.ts'

/** A block of a mail, which appears in the text part and in the HTML part. */
export type MailBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }
  | { readonly kind: 'quote'; readonly text: string; readonly html: string }

export const paragraph = (text: string): MailBlock => ({ kind: 'paragraph', text })
/** The address is visible, so that it can be read and typed. */
export const link = (label: string, url: string): MailBlock => ({ kind: 'link', label, url })
/** A text of a user, as Markdown and as sanitised HTML. */
export const quote = (text: string, html: string): MailBlock => ({ kind: 'quote', text, html })

const font = 'font-family: system-ui, sans-serif; font-size: 15px; line-height: 1.5; color: #1f2328'
const small = 'color: #59636e; font-size: 13px'

/** The content of a mail. */
export interface MailParts {
  readonly subject: string
  /** The part before the `@` of the Message-ID; a mail that is sent twice has the same one. */
  readonly id: string
  readonly blocks: readonly MailBlock[]
  /** Blocks below the signature line, before the name of the instance. */
  readonly footer?: readonly MailBlock[]
  readonly language: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the Message-ID for an id. */
export const messageId = (config: Pick<Config, 'server'>, id: string): string =>
  `<${id}@${new URL(config.server.rootUrl).hostname}>`

/**
 * Returns a mail with equal text and HTML parts and the headers of automatic mail (RFC 3834). The HTML loads nothing from
 * elsewhere, and the renderer escapes texts.
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
    case 'quote':
      return <div dangerouslySetInnerHTML={{ __html: block.html }} />
  }
}
