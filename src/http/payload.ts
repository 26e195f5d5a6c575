import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** A body as it is sent. */
export interface Payload {
  readonly bytes: Buffer
  /** Entity tag with its quotes: the same for the same bytes. */
  readonly etag: string
}

/** Most bytes of payloads that are kept. */
const maxKeptBytes = 16 * 1024 * 1024

const kept = new LRUCache<object, Payload>({ maxSize: maxKeptBytes, sizeCalculation: ({ bytes }) => bytes.length })

/** Encodes the body of a reply. A frozen body that comes again, the very same object, is encoded once. */
export function payloadOf(body: unknown): Payload {
  const isFrozen = typeof body === 'object' && body !== null && Object.isFrozen(body)
  const known = isFrozen ? kept.get(body) : undefined
  if (known) return known
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`)
  const payload = { bytes, etag: `"${hash('sha1', bytes, 'base64url')}"` }
  if (isFrozen) kept.set(body, payload)
  return payload
}
