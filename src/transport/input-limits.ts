import { pipeline, Transform, type Readable } from 'node:stream'
import { TooLarge } from '../lib/errors.ts'
import { asFleeting, isFleeting } from '../lib/fleeting.ts'

/**
 * Most bytes that a client sends to be served a fetch: what it wants and what it has, about 50 bytes for each. git
 * keeps all of it in memory.
 */
const maxFetchInputBytes = 64 << 20

/** Most bytes of a push before its pack: commands and push options, which git keeps in memory too. */
const maxCommandBytes = 16 << 20

/**
 * The body of a fetch; one that is too long breaks off with `TooLarge`.
 *
 * @param holds told of what is kept in memory; what it throws breaks the body off as well
 */
export function limitFetchInput(body: Readable, holds: (bytes: number) => void = () => undefined): Readable {
  let bytes = 0
  return through(body, (chunk) => {
    bytes += chunk.length
    holds(chunk.length)
    if (bytes > maxFetchInputBytes) {
      throw new TooLarge(`a fetch may send ${maxFetchInputBytes} bytes`, 'fetch_too_large')
    }
  })
}

/** The body of a push; one whose commands are too long breaks off with `TooLarge`. The pack has a limit of its own. */
export function limitPushCommands(body: Readable): Readable {
  const commands = new CommandCounter()
  return through(body, (chunk) => {
    if (commands.isOver) return
    commands.take(chunk)
    if (commands.bytes > maxCommandBytes) {
      throw new TooLarge(`the commands of a push may have ${maxCommandBytes} bytes`, 'push_commands_too_large')
    }
  })
}

/** Looks at each piece of a stream; what `look` throws ends the stream and what it comes from. */
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
  // Who reads learns of the failure from the stream itself.
  pipeline(body, passed, () => undefined)
  return isFleeting(body) ? asFleeting(passed) : passed
}

/** Follows the packets (gitprotocol-pack) up to the pack: commands, then push options when the client said so. */
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
      // No packet: git will say so, and reads no further.
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
