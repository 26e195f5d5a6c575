/** The headers that are read before a mail is fetched. */
export const neededHeaders = [
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'in-reply-to',
  'references',
  'message-id',
  'from',
  'return-path',
  'content-type',
  'auto-submitted',
  'precedence',
  'x-autoreply',
  'x-autorespond',
  'list-id',
] as const
type HeaderName = (typeof neededHeaders)[number]

/** Headers by their lower-case names; repeated headers are joined by line breaks. */
export type MailHeaders = ReadonlyMap<string, string>

/** Longest headers that are read, in bytes. */
const maxLength = 262_144

/** Parses headers and joins folded lines. */
export function readHeaders(bytes: Buffer): MailHeaders {
  const headers = new Map<string, string>()
  const text = bytes
    .subarray(0, maxLength)
    .toString('latin1')
    .replaceAll(/\r?\n[ \t]+/g, ' ')
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return headers
}

const valueOf = (headers: MailHeaders, name: HeaderName): string => headers.get(name) ?? ''

/** Returns the recipients and the references of a mail. */
export const recipientsOf = (headers: MailHeaders): { readonly addresses: string; readonly references: string } => ({
  addresses: (['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to'] as const)
    .map((name) => valueOf(headers, name))
    .join('\n'),
  references: `${valueOf(headers, 'in-reply-to')}\n${valueOf(headers, 'references')}`,
})

/**
 * Returns whether a program sent the mail: out-of-office replies, delivery reports, mailing lists, and our own mails (RFC 3834).
 * Handling them could cause a mail loop.
 */
export function isAutomatic(headers: MailHeaders): boolean {
  const submitted = valueOf(headers, 'auto-submitted').toLowerCase()
  return (
    (submitted !== '' && !/^no(?:$|[\s;])/.test(submitted)) ||
    /^(?:bulk|junk|list|auto_reply)/i.test(valueOf(headers, 'precedence')) ||
    headers.has('x-autoreply') ||
    headers.has('x-autorespond') ||
    headers.has('list-id') ||
    /^<\s*>/.test(valueOf(headers, 'return-path')) ||
    /^multipart\/report/i.test(valueOf(headers, 'content-type')) ||
    /(?:^|<)(?:mailer-daemon|postmaster)@/i.test(valueOf(headers, 'from'))
  )
}
