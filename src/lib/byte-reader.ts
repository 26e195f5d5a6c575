import type { Readable } from 'node:stream'

/** Reads given numbers of bytes from a stream. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #cutShort: () => Error
  #held: Buffer = Buffer.alloc(0)

  /** @param cutShort creates the error for a stream that ends too early */
  constructor(stream: Readable, cutShort: () => Error) {
    this.#pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    this.#cutShort = cutShort
  }

  /** Returns the next bytes as one buffer. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const piece of this.pieces(count)) parts.push(piece)
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  }

  /** Yields the next bytes in the chunks of the stream. */
  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (await this.atEnd()) throw this.#cutShort()
      const piece = this.#held.subarray(0, left)
      this.#held = this.#held.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** Returns whether the stream has ended; waits for the next byte. */
  async atEnd(): Promise<boolean> {
    while (this.#held.length === 0) {
      const next = await this.#pieces.next()
      if (next.done) return true
      this.#held = next.value
    }
    return false
  }

  /** Discards the rest, so that the writer can finish. */
  async drain(): Promise<void> {
    while (!(await this.#pieces.next()).done);
  }
}
