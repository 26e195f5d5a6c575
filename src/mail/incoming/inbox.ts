import type { ImapFlow } from 'imapflow'
import type { Config } from '../../config/load-config.ts'
import { neededHeaders } from './mail-headers.rules.ts'

/** An unread mail in the mailbox. */
export interface WaitingMail {
  readonly uid: number
  readonly sizeBytes: number
  readonly arrivedMs: number
}

/** The mailbox for replies. Each request to its server has a timeout. */
export interface Inbox extends AsyncDisposable {
  /** Lists unread mails, oldest first. */
  waiting(): Promise<readonly WaitingMail[]>
  /** Fetches the headers of `neededHeaders`; undefined when the mail is gone. */
  headersOf(mail: WaitingMail): Promise<Buffer | undefined>
  /** Fetches the whole mail; undefined when it is gone. */
  sourceOf(mail: WaitingMail): Promise<Buffer | undefined>
  /** Deletes a handled mail, or marks it as read. */
  done(mail: WaitingMail): Promise<void>
  /** Marks a refused mail as read, so that people can see it. */
  leave(mail: WaitingMail): Promise<void>
}

/** Most mails of one run. */
const maxMails = 200

/** Signs in and opens the mailbox. Throws when the connection, the sign-in or the mailbox fails. */
export async function openInbox({ emailIncoming, ingot }: Config, signal: AbortSignal): Promise<Inbox> {
  const { ImapFlow: Client } = await import('imapflow')
  const { mailTimeout } = ingot
  const client = new Client({
    host: emailIncoming.host,
    port: emailIncoming.port === 0 ? (emailIncoming.useTls ? 993 : 143) : emailIncoming.port,
    secure: emailIncoming.useTls,
    auth: { user: emailIncoming.username, pass: emailIncoming.password },
    tls: { rejectUnauthorized: !emailIncoming.skipTlsVerify },
    disableAutoIdle: true,
    logger: false,
    connectionTimeout: mailTimeout,
    greetingTimeout: mailTimeout,
    socketTimeout: mailTimeout,
  })
  // A broken connection rejects its pending requests; without a listener the event would end the process.
  client.on('error', () => {})
  const close = (): void => client.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    await client.mailboxOpen(emailIncoming.mailbox)
  } catch (error) {
    signal.removeEventListener('abort', close)
    close()
    throw new Error(`cannot open the mailbox of [email.incoming]: ${reasonOf(error)}`, { cause: error })
  }
  return inboxOf(client, emailIncoming.deleteHandledMessage, close, signal)
}

/** The server's own words where it refused something. */
const reasonOf = (error: unknown): string => {
  const { responseText, message } = error as { readonly responseText?: string; readonly message: string }
  return responseText ?? message
}

const inboxOf = (client: ImapFlow, deletes: boolean, close: () => void, signal: AbortSignal): Inbox => {
  const byUid = { uid: true } as const
  return {
    async waiting() {
      const uids = await client.search({ seen: false, deleted: false }, byUid)
      const some = (Array.isArray(uids) ? uids : []).toSorted((one, other) => one - other).slice(0, maxMails)
      if (some.length === 0) return []
      const found = await client.fetchAll(some, { uid: true, size: true, internalDate: true }, byUid)
      return found
        .map(({ uid, size, internalDate }) => ({
          uid,
          sizeBytes: size ?? 0,
          arrivedMs: new Date(internalDate ?? 0).getTime(),
        }))
        .sort((one, other) => one.uid - other.uid)
    },
    async headersOf({ uid }) {
      const found = await client.fetchOne(String(uid), { headers: [...neededHeaders] }, byUid)
      return found === false ? undefined : found.headers
    },
    async sourceOf({ uid }) {
      const found = await client.fetchOne(String(uid), { source: true }, byUid)
      return found === false ? undefined : found.source
    },
    async done({ uid }) {
      if (deletes) await client.messageDelete(String(uid), byUid)
      else await client.messageFlagsAdd(String(uid), ['\\Seen'], byUid)
    },
    async leave({ uid }) {
      await client.messageFlagsAdd(String(uid), ['\\Seen'], byUid)
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', close)
      // The connection is closed even if the server does not answer.
      await client.logout().catch(() => {})
      close()
    },
  }
}
