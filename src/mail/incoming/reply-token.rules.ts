import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IssueId, UserId } from '../../lib/ids.ts'
import { replyTokenLength as tokenLength } from '../../lib/reply-address.ts'

/** What a mail to an address of ours is for: a comment on an issue, or the end of mails about it. */
export interface MailPurpose {
  readonly kind: 'reply' | 'unsubscribe'
  readonly userId: UserId
  readonly issueId: IssueId
}

const kinds = ['reply', 'unsubscribe'] as const

/** Kind, day, account and issue, and what proves that we wrote them: as much as `replyTokenLength` characters of five bits hold. */
const bodyBytes = 1 + 2 + 6 + 6
const macBytes = 12

const dayMs = 86_400_000

/** How long an address is good for, in days: people answer old mails. */
const lifetimeDays = 366

const macOf = (key: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', key).update(body).digest().subarray(0, macBytes)

/**
 * A part of an address, in letters and digits whose case does not count: mail servers may change it. It has as many
 * characters for everybody.
 */
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

/** What a token is for; undefined when it is forged, damaged or too old. */
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

/** Before the token in the ids of messages, by which an answer is known whose address was changed. */
const idPrefix = 'reply-'

/** The id of a message that never was, which answers name among those that they refer to. */
export const tokenMessageId = (token: string, host: string): string => `<${idPrefix}${token}@${host}>`

/**
 * Everything in headers of a mail that has the form of a token: addresses first, then ids of messages. Not more of them
 * than anybody needs to look at.
 * @param address as `REPLY_TO_ADDRESS` has it, with `%{token}`
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
