import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ComposedList } from '../lib/composed-list.ts'
import { isEncodedOnce } from '../lib/encode-once.ts'

/** A body as it is sent. */
export interface Payload {
  /** A short one stays text: it is sent with the headers as one piece, which costs half of what two pieces do. */
  readonly content: string | Buffer
  readonly sizeBytes: number
  /** Entity tag with its quotes: the same for the same body of an operation. */
  readonly etag: string
}

const etagOf = (content: string | Buffer): string => `"${hash('sha1', content, 'base64url')}"`

/** Most bytes of payloads that are kept. */
const maxKeptBytes = 16 * 1024 * 1024

const kept = new LRUCache<object, Payload>({ maxSize: maxKeptBytes, sizeCalculation: ({ sizeBytes }) => sizeBytes })

/** Texts up to this length stay texts. */
const maxTextLength = 8192

/** Encodes the body of a reply. */
export function payloadOf(body: unknown): Payload {
  if (body instanceof ComposedList && body.items.length > 0) return payloadOfList(body)
  if (!isEncodedOnce(body)) return payloadOfValue(body)
  const known = kept.get(body)
  if (known) return known
  const payload = payloadOfValue(body)
  kept.set(body, payload)
  return payload
}

function payloadOfValue(body: unknown): Payload {
  const text = `${JSON.stringify(body)}\n`
  const etag = etagOf(text)
  if (text.length <= maxTextLength) return { content: text, sizeBytes: Buffer.byteLength(text), etag }
  const content = Buffer.from(text)
  return { content, sizeBytes: content.length, etag }
}

interface Fragment {
  readonly place: number
  /** Members without the braces, with a comma before and the closing brace behind. */
  readonly bytes: Buffer
}

/** What several items share is encoded once, and its bytes are copied to where they stand. */
function payloadOfList({ items }: ComposedList<object>): Payload {
  const fragments = new Map<object, Fragment>()
  // What the bytes are made of, each part once: it tells as much as they do, and is a third as long.
  const parts: (string | number)[] = []
  let sizeBytes = 2
  const found = items.map(({ own, shared }) => {
    let fragment = fragments.get(shared)
    if (!fragment) {
      const text = JSON.stringify(shared)
      fragment = { place: fragments.size, bytes: Buffer.from(`,${text.slice(1)}`) }
      fragments.set(shared, fragment)
      parts.push(text)
    }
    const text = JSON.stringify(own)
    parts.push(text, fragment.place)
    // Comma or bracket before it; the closing brace gives way to what is shared.
    sizeBytes += Buffer.byteLength(text) + fragment.bytes.length
    return { text, fragment }
  })
  const content = Buffer.allocUnsafe(sizeBytes)
  let length = 0
  for (const { text, fragment } of found) {
    content[length++] = length === 1 ? bracketOpen : comma
    // The closing brace of its own part is overwritten by what is shared.
    length += content.write(text, length) - 1
    length += fragment.bytes.copy(content, length)
  }
  content.write(']\n', length)
  return { content, sizeBytes, etag: etagOf(parts.join('\n')) }
}

const bracketOpen = 0x5b
const comma = 0x2c
