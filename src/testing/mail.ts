import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { startForge, type Forge, type ForgeOptions } from './forge.ts'

/** A received mail. */
export interface CaughtMail {
  readonly to: string[]
  readonly source: string
}

/** Returns the text part of a mail. */
export const textOf = ({ source }: CaughtMail): string =>
  source
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Returns path and query of the link in a mail that begins with `path`. */
export function linkOf(forge: Forge, mail: CaughtMail | undefined, path: string): string {
  const text = mail ? textOf(mail) : ''
  const start = text.indexOf(`${forge.url}${path}?code=`)
  if (start < 0) throw new Error(`the mail has no link to ${path}: ${text}`)
  return (/^\S+/.exec(text.slice(start + forge.url.length)) as RegExpExecArray)[0]
}

/**
 * Runs a mail server and a forge that uses it.
 * @param refuse status to refuse the recipient with, or 0
 */
export async function withMail(
  refuse: (to: string) => number,
  use: (forge: Forge, caught: CaughtMail[]) => Promise<void>,
  options: ForgeOptions = {},
): Promise<void> {
  const caught: CaughtMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, session, done) {
      const source = await text(stream)
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const status = refuse(to[0] ?? '')
      if (status !== 0) return done(Object.assign(new Error('no'), { responseCode: status }))
      caught.push({ to, source })
      return done()
    },
  })
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  try {
    await using forge = await startForge({
      ...options,
      settings: {
        DEFAULT: { APP_NAME: 'Our <Forge>' },
        ...options.settings,
        mailer: {
          ENABLED: true,
          PROTOCOL: 'smtp',
          SMTP_ADDR: '127.0.0.1',
          SMTP_PORT: (listener.address() as AddressInfo).port,
          FROM: 'forge@example.com',
        },
      },
    })
    await use(forge, caught)
  } finally {
    await new Promise<void>((resolve) => {
      server.close(resolve)
    })
  }
}

/** Returns headers and parts of a mail, decoded. */
export const decodedMail = (mail: CaughtMail | undefined): string =>
  Buffer.from(
    (mail?.source ?? '')
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8')
