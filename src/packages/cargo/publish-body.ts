import { Readable } from 'node:stream'
import { BadRequest } from '../../lib/errors.ts'

/** Largest description of a crate, in bytes. */
const maxJsonBytes = 2 << 20

/** A body that is read bit by bit. */
class Parts {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(body: Readable) {
    this.#chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** The next bytes, at most so many; none at the end. */
  async next(length: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) return Buffer.alloc(0)
      this.#rest = value
    }
    const taken = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(taken.length)
    return taken
  }

  async exactly(length: number): Promise<Buffer> {
    const taken: Buffer[] = []
    for (let left = length; left > 0;) {
      const part = await this.next(left)
      if (part.length === 0) throw cutShort()
      taken.push(part)
      left -= part.length
    }
    return Buffer.concat(taken)
  }
}

const cutShort = () => new BadRequest('the body ends early', 'body_incomplete')
const broken = () => new BadRequest('the body is none of cargo publish', 'cargo_body_invalid')

/**
 * Takes the body of `cargo publish` apart: the length of a description, the description as JSON, the length of the archive,
 * the archive. Throws `BadRequest`; the archive's stream does when it is longer or shorter than it should be.
 */
export async function readPublishBody(body: Readable): Promise<{
  readonly description: unknown
  readonly sizeBytes: number
  readonly archive: Readable
}> {
  const parts = new Parts(body)
  const jsonBytes = (await parts.exactly(4)).readUInt32LE()
  if (jsonBytes > maxJsonBytes) throw broken()
  const text = (await parts.exactly(jsonBytes)).toString('utf8')
  const sizeBytes = (await parts.exactly(4)).readUInt32LE()
  let description: unknown
  try {
    description = JSON.parse(text)
  } catch {
    throw broken()
  }
  async function* rest() {
    for (let left = sizeBytes; left > 0;) {
      const part = await parts.next(left)
      if (part.length === 0) throw cutShort()
      left -= part.length
      yield part
    }
    if ((await parts.next(1)).length > 0) throw broken()
  }
  return { description, sizeBytes, archive: Readable.from(rest()) }
}
