import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../config/load-config.ts'
import type { Mail } from './mailer.ts'

/** A piece of a mail; each is written as text and as HTML from the same words. */
export type MailBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly url: string }

export const paragraph = (text: string): MailBlock => ({ kind: 'paragraph', text })
/** An address stands in the text as it is, so that it can be read and typed. */
export const link = (label: string, url: string): MailBlock => ({ kind: 'link', label, url })

const font = 'font-family: system-ui, sans-serif; font-size: 15px; line-height: 1.5; color: #1f2328'

/**
 * A mail of the instance: subject, a text part and an HTML part that say the same, and the headers of mail that no
 * person wrote (RFC 3834). Nothing is loaded from anywhere when it is read, and text in it is escaped by the renderer.
 * @param id names the mail; the same id gives the same Message-ID, so a mail that is sent twice is known to be the same
 */
export function composeMail(
  config: Pick<Config, 'instance' | 'server'>,
  mail: { readonly subject: string; readonly id: string; readonly blocks: readonly MailBlock[] },
): Pick<Mail, 'subject' | 'text' | 'html' | 'headers'> {
  const { appName } = config.instance
  const { rootUrl } = config.server
  const footer = `${appName}, ${rootUrl}`
  const text = [...mail.blocks.map(asText), `-- \n${footer}`].join('\n\n')
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{mail.subject}</title>
      </head>
      <body style={font}>
        {mail.blocks.map(asHtml)}
        <p style="color: #59636e; font-size: 13px">
          <a href={rootUrl}>{appName}</a>
        </p>
      </body>
    </html>,
  )
  return {
    subject: mail.subject,
    text: `${text}\n`,
    html: `<!DOCTYPE html>\n${html}\n`,
    headers: {
      'Message-ID': `<${mail.id}@${new URL(rootUrl).hostname}>`,
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
  }
}

const asText = (block: MailBlock): string => (block.kind === 'link' ? `${block.label}: ${block.url}` : block.text)

const asHtml = (block: MailBlock): ComponentChildren =>
  block.kind === 'link' ? (
    <p>
      {block.label}: <a href={block.url}>{block.url}</a>
    </p>
  ) : (
    <p>{block.text}</p>
  )
