import { pipeline, Transform, type Readable } from 'node:stream'
import { TooLarge } from '../lib/errors.ts'
import { asFleeting, isFleeting } from '../lib/fleeting.ts'

/** Largest request of a fetch, in bytes. git holds its wants and haves in memory, about 50 bytes each. */
const maxFetchInputBytes = 64 << 20

/** Largest size of commands and push options, in bytes. git holds them in memory. */
const maxCommandBytes = 16 << 20

/**
 * Limits the body of a fetch. A longer one fails with `TooLarge`.
 * @param holds receives the bytes held in memory; its errors fail the body as well
 */
export function limitFetchInput(body: Readable, holds: (bytes: number) => void = () => undefined): Readable {
  let bytes = 0
  return through(body, (chunk) => {
    bytes += chunk.length
    holds(chunk.length)
    if (bytes > maxFetchInputBytes) {
      throw new TooLarge(`the request of a fetch exceeds ${maxFetchInputBytes} bytes`, 'fetch_too_large')
    }
  })
}

/** Limits the commands of a push. Longer ones fail with `TooLarge`. The pack has its own limit. */
export function limitPushCommands(body: Readable): Readable {
  const commands = new CommandCounter()
  return through(body, (chunk) => {
    if (commands.isOver) return
    commands.take(chunk)
    if (commands.bytes > maxCommandBytes) {
      throw new TooLarge(
        `the commands of a push exceed ${maxCommandBytes} bytes; push fewer references at once`,
        'push_commands_too_large',
      )
    }
  })
}

/** Passes each chunk to `look`, whose errors end both streams. */
function through(body: Readable, look: (chunk: Buffer) => void): Readable {
  const passed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        look(chunk)
        done(null, chunk)
      } catch (error) {
        done(error as Error)
      }
    },
  })
  // The reader gets the error from the stream.
  pipeline(body, passed, () => undefined)
  return isFleeting(body) ? asFleeting(passed) : passed
}

/** Counts the packets before the pack (gitprotocol-pack): commands, and push options when the client announces them. */
class CommandCounter {
  bytes = 0
  isOver = false
  #header = ''
  #left = 0
  #sections = 1
  #first = ''
  #isFirst = true

  take(chunk: Buffer): void {
    let offset = 0
    while (offset < chunk.length && !this.isOver) {
      if (this.#left > 0) {
        const size = Math.min(this.#left, chunk.length - offset)
        if (this.#isFirst) this.#first += chunk.toString('latin1', offset, offset + size)
        offset += size
        this.bytes += size
        this.#left -= size
        if (this.#left === 0) this.#endPacket()
        continue
      }
      const size = Math.min(4 - this.#header.length, chunk.length - offset)
      this.#header += chunk.toString('latin1', offset, offset + size)
      offset += size
      this.bytes += size
      if (this.#header.length === 4) this.#beginPacket()
    }
  }

  #beginPacket(): void {
    const length = /^[0-9a-f]{4}$/i.test(this.#header) ? Number.parseInt(this.#header, 16) : -1
    this.#header = ''
    if (length >= 4) this.#left = length - 4
    else if (length === 0) {
      this.#sections -= 1
      if (this.#sections === 0) this.isOver = true
    } else {
      // git refuses a malformed packet and stops reading.
      this.isOver = true
    }
  }

  #endPacket(): void {
    if (!this.#isFirst) return
    this.#isFirst = false
    const capabilities = this.#first.split('\0')[1] ?? ''
    if (capabilities.trim().split(' ').includes('push-options')) this.#sections += 1
    this.#first = ''
  }
}
