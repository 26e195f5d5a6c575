import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ComposedList } from '../lib/composed-list.ts'
import { isEncodedOnce } from '../lib/encode-once.ts'

/** A body as it is sent. */
export interface Payload {
  readonly bytes: Buffer
  /** Entity tag with its quotes: the same for the same body of an operation. */
  readonly etag: string
}

const etagOf = (content: string | Buffer): string => `"${hash('sha1', content, 'base64url')}"`

/** Most bytes of payloads that are kept. */
const maxKeptBytes = 16 * 1024 * 1024

const kept = new LRUCache<object, Payload>({ maxSize: maxKeptBytes, sizeCalculation: ({ bytes }) => bytes.length })

/** Encodes the body of a reply. */
export function payloadOf(body: unknown): Payload {
  if (body instanceof ComposedList && body.items.length > 0) return payloadOfList(body)
  if (!isEncodedOnce(body)) return payloadOfValue(body)
  const payload = kept.get(body) ?? payloadOfValue(body)
  kept.set(body, payload)
  return payload
}

function payloadOfValue(body: unknown): Payload {
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`)
  return { bytes, etag: etagOf(bytes) }
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
  let lengthBound = 3
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
    // A letter takes three bytes at most.
    lengthBound += 1 + text.length * 3 + fragment.bytes.length
    return { text, fragment }
  })
  const bytes = Buffer.allocUnsafe(lengthBound)
  let length = 0
  for (const { text, fragment } of found) {
    bytes[length++] = length === 1 ? bracketOpen : comma
    // The closing brace of its own part is overwritten by what is shared.
    length += bytes.write(text, length) - 1
    length += fragment.bytes.copy(bytes, length)
  }
  length += bytes.write(']\n', length)
  return { bytes: bytes.subarray(0, length), etag: etagOf(parts.join('\n')) }
}

const bracketOpen = 0x5b
const comma = 0x2c
