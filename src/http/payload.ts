import { hash } from 'node:crypto'
import { ComposedItem, ComposedList } from '../lib/composed-list.ts'
import { isEncodedOnce } from '../lib/encode-once.ts'
import { EncodedBody } from '../lib/encoded-body.ts'

/** A body as it is sent. */
export interface Payload {
  /** A short one stays text: it is sent with the headers as one piece, which costs half of what two pieces do. */
  readonly content: string | Buffer
  readonly sizeBytes: number
  /** Entity tag with its quotes: the same for the same body of an operation. */
  readonly etag: string
}

const etagOf = (content: string | Buffer): string => `"${hash('sha1', content, 'base64url')}"`

/** Of bodies that are kept: as long as they are, by whoever keeps them, who counts these bytes as well. */
const kept = new WeakMap<object, Payload>()

/** Texts up to this length stay texts. */
const maxTextLength = 8192

/** Encodes the body of a reply. */
export function payloadOf(body: unknown): Payload {
  if (body instanceof EncodedBody) return body
  if (!isEncodedOnce(body)) return encode(body)
  const known = kept.get(body)
  if (known) return known
  const payload = encode(body)
  kept.set(body, payload)
  return payload
}

function encode(body: unknown): Payload {
  if (body instanceof ComposedItem) return payloadOfItem(body)
  if (body instanceof ComposedList && body.items.length > 0) return payloadOfList(body)
  return new EncodedBody(body)
}

/** What `JSON.stringify` makes of it, and a line feed. */
function payloadOfItem({ own, shared }: ComposedItem<object>): Payload {
  const sizeBytes = own.sizeBytes + shared.sizeBytes + '{,}\n'.length
  const text = `{${own.text},${shared.text}}\n`
  const etag = etagOf(`${own.digest}${shared.digest}`)
  return { content: text.length <= maxTextLength ? text : Buffer.from(text), sizeBytes, etag }
}

/** What `JSON.stringify` makes of it, and a line feed: the parts are copied to where they stand. */
function payloadOfList({ items }: ComposedList<object>): Payload {
  let sizeBytes = '[]\n'.length - ','.length
  let digests = ''
  for (const { own, shared } of items) {
    sizeBytes += own.sizeBytes + shared.sizeBytes + '{,},'.length
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
