import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IssueId, UserId } from '../../lib/ids.ts'
import { replyTokenLength as tokenLength } from '../../lib/reply-address.ts'

/** The purpose of a reply address: to comment on an issue, or to unsubscribe from it. */
export interface MailPurpose {
  readonly kind: 'reply' | 'unsubscribe'
  readonly userId: UserId
  readonly issueId: IssueId
}

const kinds = ['reply', 'unsubscribe'] as const

/** Kind, day, account and issue, then the MAC; together they fill `replyTokenLength` characters of five bits. */
const bodyBytes = 1 + 2 + 6 + 6
const macBytes = 12

const dayMs = 86_400_000

/** Validity of an address in days: people answer old mails. */
const lifetimeDays = 366

const macOf = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, macBytes)

/** Returns a token of fixed length in letters and digits, which survives mail servers that change the letter case. */
export function makeToken(key: Buffer, { kind, userId, issueId }: MailPurpose, nowMs: number): string {
  const body = Buffer.alloc(bodyBytes)
  body.writeUInt8(kinds.indexOf(kind), 0)
  body.writeUInt16BE(Math.floor(nowMs / dayMs), 1)
  body.writeUIntBE(userId, 3, 6)
  body.writeUIntBE(issueId, 9, 6)
  const all = Buffer.concat([body, macOf(key, body)])
  return BigInt(`0x${all.toString('hex')}`)
    .toString(32)
    .padStart(tokenLength, '0')
}

/** Reads a token; undefined when it is forged, damaged or expired. */
export function readToken(key: Buffer, token: string, nowMs: number): MailPurpose | undefined {
  const text = token.toLowerCase()
  if (!tokenForm.test(text)) return undefined
  let value = 0n
  for (const digit of text) value = value * 32n + BigInt(Number.parseInt(digit, 32))
  const hex = value.toString(16).padStart((bodyBytes + macBytes) * 2, '0')
  const all = Buffer.from(hex, 'hex')
  if (all.length !== bodyBytes + macBytes) return undefined
  const body = all.subarray(0, bodyBytes)
  if (!timingSafeEqual(all.subarray(bodyBytes), macOf(key, body))) return undefined
  const kind = kinds[body.readUInt8(0)]
  if (kind === undefined || body.readUInt16BE(1) + lifetimeDays < Math.floor(nowMs / dayMs)) return undefined
  return { kind, userId: body.readUIntBE(3, 6) as UserId, issueId: body.readUIntBE(9, 6) as IssueId }
}

const tokenForm = new RegExp(`^[0-9a-v]{${tokenLength}}$`)

/** Prefix of the token in message ids, which identify a reply whose address was changed. */
const idPrefix = 'reply-'

/** Returns the message id that carries a token; replies repeat it in `References`. */
export const tokenMessageId = (token: string, host: string): string => `<${idPrefix}${token}@${host}>`

/**
 * Returns the possible tokens in the headers of a mail, those of addresses first, at most `maxTokens`.
 * @param address the setting `REPLY_TO_ADDRESS` with `%{token}`
 */
export function tokensIn(
  { addresses, references }: { readonly addresses: string; readonly references: string },
  address: string,
): string[] {
  const [before = '', after = ''] = address.toLowerCase().split('%{token}')
  const found = [
    ...between(addresses.toLowerCase(), before, after),
    ...between(references.toLowerCase(), `<${idPrefix}`, '@'),
  ]
  return [...new Set(found)].slice(0, maxTokens)
}

const maxTokens = 10

function* between(text: string, before: string, after: string): Generator<string> {
  for (let at = text.indexOf(before); at >= 0; at = text.indexOf(before, at + 1)) {
    const start = at + before.length
    if (text.startsWith(after, start + tokenLength)) yield text.slice(start, start + tokenLength)
  }
}
