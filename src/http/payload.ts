import { hash } from 'node:crypto'
import { ComposedItem, ComposedList } from '../lib/composed-list.ts'
import { isEncodedOnce } from '../lib/encode-once.ts'
import { EncodedBody } from '../lib/encoded-body.ts'
import { listJson, listMeter } from '../lib/list-json.ts'

/** An encoded body. */
export interface Payload {
  /** Short content stays text: Node sends it in one write with the headers. */
  readonly content: string | Buffer
  readonly sizeBytes: number
  /** Entity tag with its quotes; it depends on the body only. */
  readonly etag: string
}

const etagOf = (content: string | Buffer): string => `"${hash('sha1', content, 'base64url')}"`

/** Payloads of cached bodies; the cache accounts for their bytes. */
const kept = new WeakMap<object, Payload>()

/** Longer texts are sent as buffers. In characters. */
const maxTextLength = 8192

/**
 * Encodes the body of a reply.
 * @param isRead whether a list has a limit. The answer to a change has none, because the change is made.
 * @throws WorkTooCostly
 */
export function payloadOf(body: unknown, isRead: boolean): Payload {
  if (body instanceof EncodedBody) return body
  if (!isEncodedOnce(body)) return encode(body, isRead)
  const known = kept.get(body)
  if (known) return known
  const payload = encode(body, isRead)
  kept.set(body, payload)
  return payload
}

function encode(body: unknown, isRead: boolean): Payload {
  if (body instanceof ComposedItem) return payloadOfItem(body)
  if (body instanceof ComposedList && body.items.length > 0) return payloadOfList(body, isRead)
  return new EncodedBody(body, isRead ? listJson : undefined)
}

/** Returns the JSON and a line feed. */
function payloadOfItem({ own, shared }: ComposedItem<object>): Payload {
  const sizeBytes = own.sizeBytes + shared.sizeBytes + '{,}\n'.length
  const text = `{${own.text},${shared.text}}\n`
  const etag = etagOf(`${own.digest}${shared.digest}`)
  return { content: text.length <= maxTextLength ? text : Buffer.from(text), sizeBytes, etag }
}

/** Returns the JSON and a line feed by joining encoded parts. */
function payloadOfList({ items }: ComposedList<object>, isRead: boolean): Payload {
  const weigh = isRead ? listMeter(items.length) : undefined
  let sizeBytes = '[]\n'.length - ','.length
  let digests = ''
  for (const { own, shared } of items) {
    const itemBytes = own.sizeBytes + shared.sizeBytes + '{,},'.length
    weigh?.(itemBytes)
    sizeBytes += itemBytes
    digests += own.digest + shared.digest
  }
  const content = Buffer.allocUnsafe(sizeBytes)
  let length = 0
  for (const { own, shared } of items) {
    content[length] = length === 0 ? bracketOpen : comma
    content[length + 1] = braceOpen
    length += 2
    length += content.write(own.text, length)
    content[length++] = comma
    length += content.write(shared.text, length)
    content[length++] = braceClose
  }
  content.write(']\n', length)
  return { content, sizeBytes, etag: etagOf(digests) }
}

const comma = 0x2c
const bracketOpen = 0x5b
const braceOpen = 0x7b
const braceClose = 0x7d
