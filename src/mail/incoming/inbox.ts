import type { ImapFlow } from 'imapflow'
import type { Config } from '../../config/load-config.ts'
import { lookedAtHeaders } from './mail-headers.rules.ts'

/** A mail that waits in the mailbox. */
export interface WaitingMail {
  readonly uid: number
  readonly sizeBytes: number
  readonly arrivedMs: number
}

/** The mailbox that answers come to. Its server is not trusted to be quick: every wait has an end. */
export interface Inbox extends AsyncDisposable {
  /** Mails that nobody has read, oldest first. */
  waiting(): Promise<readonly WaitingMail[]>
  /** The headers of a mail that are looked at; undefined when it is gone. */
  headersOf(mail: WaitingMail): Promise<Buffer | undefined>
  /** The whole mail; undefined when it is gone. */
  sourceOf(mail: WaitingMail): Promise<Buffer | undefined>
  /** It has become what it was sent for: it is deleted, or marked as read. */
  done(mail: WaitingMail): Promise<void>
  /** It is not for us, or refused: it stays for people to look at. */
  leave(mail: WaitingMail): Promise<void>
}

/** Most mails of one look; the next look goes on. */
const mostAtOnce = 200

/**
 * Signs in and opens the mailbox. The library is loaded with the first look.
 * @throws Error of the connection, the sign-in or the mailbox
 */
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
  // What breaks the connection rejects what waits for it; without a listener it would end the program.
  client.on('error', () => {})
  const close = (): void => client.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    await client.connect()
    await client.mailboxOpen(emailIncoming.mailbox)
  } catch (error) {
    signal.removeEventListener('abort', close)
    close()
    throw new Error(`the mailbox of incoming mail could not be opened: ${reasonOf(error)}`, { cause: error })
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
      const some = (Array.isArray(uids) ? uids : []).toSorted((one, other) => one - other).slice(0, mostAtOnce)
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
      const found = await client.fetchOne(String(uid), { headers: [...lookedAtHeaders] }, byUid)
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
      // Whether or not the server says goodbye, the connection ends.
      await client.logout().catch(() => {})
      close()
    },
  }
}
