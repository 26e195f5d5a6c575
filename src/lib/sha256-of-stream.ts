import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Reads a stream to its end and returns the SHA-256 of its bytes, in hexadecimal. Throws the stream's own error. */
export async function sha256OfStream(content: Readable): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(content, digest)
  return digest.digest('hex')
}
