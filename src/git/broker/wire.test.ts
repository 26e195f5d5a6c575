import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { canReleaseChunk, releaseChunk, ownCopy } from '../../lib/fleeting.ts'
import { Channel, type WireStream } from './wire.ts'

/** Both ends of a connection whose reads are pieces of a given size with their own memory, and all pieces read. */
function connected(readBytes: number) {
  const reads: Buffer[] = []
  const ends: Duplex[] = []
  const pass = (bytes: Buffer, to: number): void => {
    for (let offset = 0; offset < bytes.length; offset += readBytes) {
      const read = ownCopy(bytes.subarray(offset, offset + readBytes))
      reads.push(read)
      ends[to]?.push(read)
    }
  }
  const end = (other: number): Duplex =>
    new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        pass(chunk, other)
        setImmediate(done)
      },
      // Delivers everything of one turn of the event loop at once, like a socket.
      writev(chunks: { chunk: Buffer }[], done) {
        pass(Buffer.concat(chunks.map(({ chunk }) => chunk)), other)
        setImmediate(done)
      },
    })
  ends.push(end(1), end(0))
  return { here: ends[0]!, there: ends[1]!, reads }
}

const onClose = (): void => undefined
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

test('git wire: a receiver owns its bytes, and the memory of the connection is freed', async () => {
  const { here, there, reads } = connected(64 << 10)
  const contents = [3 << 20, 2 << 20, 700_001].map((size) => randomBytes(size))
  const sender = (stream: WireStream, request: unknown): void => {
    const content = contents[request as number]!
    for (let offset = 0; offset < content.length; offset += 100_000) {
      stream.write(content.subarray(offset, offset + 100_000))
    }
    stream.finish({ sent: content.length, note: 'x'.repeat(100_000) })
  }
  const channels = [new Channel(here, { onClose }), new Channel(there, { onClose, onOpen: sender })] as const
  const received = await Promise.all(
    contents.map(async (_, which) => {
      const stream = channels[0].open(which)
      const kept: Buffer[] = []
      const result = await new Promise<unknown>((resolve, reject) => {
        stream.handlers = {
          data: (chunk) => {
            const { length } = chunk
            // The first receiver keeps its bytes; the others are done.
            kept.push(which === 0 ? chunk : Buffer.from(chunk))
            if (which !== 0) releaseChunk(chunk)
            stream.consumed(length)
          },
          result: resolve,
          failure: reject,
        }
      })
      return { digest: digest(Buffer.concat(kept)), sent: (result as { sent: number }).sent, kept }
    }),
  )
  assert.deepEqual(
    received.map(({ digest: found, sent }) => [found, sent]),
    contents.map((content) => [digest(content), content.length]),
  )
  const kept = new Set(received[0]?.kept.map(({ buffer }) => buffer))
  const left = reads.filter((read) => canReleaseChunk(read) && !kept.has(read.buffer))
  assert.deepEqual([left.length, reads.length > 90], [0, true])
  for (const channel of channels) channel.close()
})
