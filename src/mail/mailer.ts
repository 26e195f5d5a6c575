import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { SendMailOptions, Transporter } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import { Unavailable } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { createConcurrencyLimit } from '../lib/concurrency-limit.ts'

/** Settings of `[mailer]` and the limits of mail. */
export interface MailerOptions {
  readonly enabled: boolean
  /** `smtp` uses TLS when the server offers it (always on port 465); `smtp+starttls` requires it. */
  readonly protocol: 'smtp' | 'smtps' | 'smtp+starttls' | 'smtp+unix' | 'sendmail' | 'dummy'
  readonly smtpAddr: string
  /** 0: the default port of the protocol. */
  readonly smtpPort: number
  readonly from: string
  readonly envelopeFrom: string
  readonly user: string
  readonly passwd: string
  readonly subjectPrefix: string
  readonly sendAsPlainText: boolean
  /** Most mails that wait for a connection. */
  readonly sendBufferLen: number
  readonly enableHelo: boolean
  readonly heloHostname: string
  readonly forceTrustServerCert: boolean
  readonly useClientCert: boolean
  readonly clientCertFile: string
  readonly clientKeyFile: string
  readonly sendmailPath: string
  /** In milliseconds. */
  readonly sendmailTimeout: number
  readonly overrideHeaders: Readonly<Record<string, string>>
  readonly maxConnections: number
  /** Timeout of each step of SMTP. */
  readonly timeoutMs: number
}

export interface Mail {
  /** One address: each recipient gets a separate mail, so that none sees another. */
  readonly to: string
  /** Name of the sender in place of the configured one. */
  readonly fromName?: string
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Additional headers such as `List-ID`, `Message-ID`, `In-Reply-To` and `References`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The server did not accept a mail. Unless the failure is permanent, it may be retried. */
export class MailError extends Error {
  readonly isPermanent: boolean
  constructor(message: string, isPermanent: boolean, options?: ErrorOptions) {
    super(message, options)
    this.name = 'MailError'
    this.isPermanent = isPermanent
  }
}

export interface Mailer {
  /** False when `[mailer]` is off. */
  readonly isEnabled: boolean
  /** Resolves when the server has accepted the mail. Throws `MailError`, or `Unavailable` when mail is off or too many wait. */
  sendMail(mail: Mail): Promise<void>
  close(): void
}

/** Mails per connection: servers limit their number. */
const mailsPerConnection = 100

/** Creates the mailer, which connects with the first mail. Throws when a certificate cannot be read. */
export async function createMailer(options: MailerOptions, log: Log): Promise<Mailer> {
  if (!options.enabled) {
    return {
      isEnabled: false,
      sendMail: () => Promise.reject(new Unavailable('mail is not configured', 'mail_disabled')),
      close: () => {},
    }
  }
  const transport = await createTransportFor(options)
  const limit = createConcurrencyLimit({
    running: options.maxConnections,
    waiting: options.sendBufferLen,
    refusal: () => new Unavailable('too many mails are waiting for the mail server', 'mail_busy'),
  })
  return {
    isEnabled: true,
    sendMail: (mail) =>
      limit.run(async () => {
        const message = toMessage(mail, options)
        if (transport === undefined) {
          log('info', 'mail is not sent because PROTOCOL is dummy', { to: mail.to, subject: mail.subject })
          return
        }
        try {
          await withDeadline(transport.sendMail(message), options)
        } catch (error) {
          throw toMailError(error)
        }
      }),
    close: () => transport?.close(),
  }
}

async function createTransportFor(options: MailerOptions): Promise<Transporter | undefined> {
  if (options.protocol === 'dummy') return undefined
  // Loaded only where mail is sent.
  const { createTransport } = await import('nodemailer')
  if (options.protocol === 'sendmail') {
    return createTransport({ sendmail: true, path: options.sendmailPath, newline: 'unix' })
  }
  const { smtpPort } = options
  const isSecure = options.protocol === 'smtps' || (options.protocol === 'smtp' && smtpPort === 465)
  const usualPort = { smtp: 25, smtps: 465, 'smtp+starttls': 587, 'smtp+unix': 0 }[options.protocol]
  const smtp: SMTPPool.Options = {
    pool: true,
    maxConnections: options.maxConnections,
    maxMessages: mailsPerConnection,
    host: options.smtpAddr,
    port: smtpPort === 0 ? usualPort : smtpPort,
    secure: isSecure,
    requireTLS: options.protocol === 'smtp+starttls',
    ...(options.user === '' ? {} : { auth: { user: options.user, pass: options.passwd } }),
    ...(options.enableHelo && options.heloHostname !== '' ? { name: options.heloHostname } : {}),
    connectionTimeout: options.timeoutMs,
    greetingTimeout: options.timeoutMs,
    socketTimeout: options.timeoutMs,
    dnsTimeout: options.timeoutMs,
    tls: {
      rejectUnauthorized: !options.forceTrustServerCert,
      ...(options.useClientCert && {
        cert: await readFile(options.clientCertFile),
        key: await readFile(options.clientKeyFile),
      }),
    },
    // A mail consists of texts; it must not refer to files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  if (options.protocol !== 'smtp+unix') return createTransport(smtp)
  return createTransport({
    ...smtp,
    getSocket: (_, callback) => {
      const socket = connect(options.smtpAddr)
      socket.setTimeout(options.timeoutMs, () => socket.destroy(new Error('the mail server does not answer')))
      socket.once('error', (error) => callback(error, undefined))
      socket.once('connect', () => callback(null, { connection: socket }))
    },
  })
}

function toMessage(mail: Mail, options: MailerOptions): SendMailOptions {
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(mail.to)) {
    throw new MailError('the recipient is not a mail address', true)
  }
  const sender = /^(?:(.*?)\s*<)?([^<>\s]+@[^<>\s]+)>?$/.exec(options.from.trim())
  const address = sender?.[2] ?? options.from
  const name = oneLine(mail.fromName ?? (sender?.[1] ?? '').replace(/^"(.*)"$/, '$1'))
  const subject = oneLine(mail.subject)
  return {
    from: name === '' ? address : { name, address },
    to: { name: '', address: mail.to },
    envelope: { from: envelopeSender(options.envelopeFrom, address), to: mail.to },
    ...(mail.replyTo === undefined ? {} : { replyTo: mail.replyTo }),
    subject: options.subjectPrefix === '' ? subject : `${options.subjectPrefix.trimEnd()} ${subject}`,
    text: mail.text,
    ...(mail.html === undefined || options.sendAsPlainText ? {} : { html: mail.html }),
    headers: { ...mail.headers, ...options.overrideHeaders },
  }
}

/** Returns a text for a header without control characters and characters that change the text direction. */
const oneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim()

const envelopeSender = (configured: string, from: string): string => {
  if (configured === '') return from
  return configured === '<>' ? '' : configured.replace(/^.*<([^<>]+)>$/, '$1')
}

/** SMTP has a timeout at each step; the sendmail program has none. */
async function withDeadline(sending: Promise<unknown>, options: MailerOptions): Promise<void> {
  if (options.protocol !== 'sendmail') {
    await sending
    return
  }
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('sendmail took too long')), options.sendmailTimeout)
  try {
    await Promise.race([sending, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A 5xx reply is permanent (RFC 5321, 4.2.1), except for authentication. */
function toMailError(error: unknown): MailError {
  if (!Error.isError(error)) return new MailError(String(error), false)
  const status = 'responseCode' in error ? Number(error.responseCode) : 0
  const code = 'code' in error ? String(error.code) : ''
  return new MailError(error.message, status >= 500 && code !== 'EAUTH', { cause: error })
}
