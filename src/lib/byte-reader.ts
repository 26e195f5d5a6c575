import type { Readable } from 'node:stream'

/** Reads a stream by numbers of bytes. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>
  readonly #cutShort: () => Error
  #held: Buffer = Buffer.alloc(0)

  /** @param cutShort what is thrown where the stream ends before it should */
  constructor(stream: Readable, cutShort: () => Error) {
    this.#pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    this.#cutShort = cutShort
  }

  /** So many bytes at once. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const piece of this.pieces(count)) parts.push(piece)
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
  }

  /** So many bytes as they come. */
  async *pieces(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (await this.atEnd()) throw this.#cutShort()
      const piece = this.#held.subarray(0, left)
      this.#held = this.#held.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  /** Whether no byte is left; waits for the next one. */
  async atEnd(): Promise<boolean> {
    while (this.#held.length === 0) {
      const next = await this.#pieces.next()
      if (next.done) return true
      this.#held = next.value
    }
    return false
  }

  /** Reads what is left, so that whoever writes it comes to an end. */
  async drain(): Promise<void> {
    while (!(await this.#pieces.next()).done);
  }
}
