import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { TooLarge } from '../lib/errors.ts'
import { limitFetchInput, limitPushCommands } from './input-limits.ts'
import { packetLine } from '../testing/clone.ts'

const zeros = '0'.repeat(40)
const line = (index: number): string => packetLine(`${zeros} ${zeros} refs/heads/${'x'.repeat(900)}${index}`)

/** Reads a whole stream; returns its number of bytes. */
async function drain(stream: Readable): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += (chunk as Buffer).length
  return bytes
}

function* repeated(text: string, times: number): Generator<Buffer> {
  for (let index = 0; index < times; index++) yield Buffer.from(text)
}

test('input limits: commands and options of a push are limited, its pack is not', async () => {
  const first = packetLine(`${zeros} ${zeros} refs/heads/a\0 report-status push-options`)
  const many = Array.from({ length: 100 }, (_, index) => line(index)).join('')
  const pack = Buffer.alloc(1 << 20)
  const push = (...parts: Iterable<Buffer>[]): Readable =>
    limitPushCommands(
      Readable.from(
        (function* () {
          for (const part of parts) yield* part
        })(),
        { objectMode: false },
      ),
    )
  const start = [Buffer.from(first)]
  const flush = [Buffer.from('0000')]
  await assert.rejects(drain(push(start, repeated(many, 200))), TooLarge)
  await assert.rejects(drain(push(start, flush, repeated(many, 200))), TooLarge)
  const whole = push(
    start,
    flush,
    repeated(packetLine('option'), 10),
    flush,
    Array.from({ length: 20 }, () => pack),
  )
  assert.ok((await drain(whole)) > 20 << 20)
  const split = Readable.from(
    [...Buffer.from(`${first}0000${packetLine('a=b')}0000PACK`)].map((byte) => Buffer.of(byte)),
  )
  assert.equal(await drain(limitPushCommands(split)), first.length + 8 + packetLine('a=b').length + 4)
  assert.equal(await drain(push([Buffer.from('nonsense')], [pack])), 8 + pack.length)
})

test('input limits: the request of a fetch is limited', async () => {
  const piece = 'x'.repeat(1 << 20)
  assert.equal(await drain(limitFetchInput(Readable.from(repeated(piece, 64), { objectMode: false }))), 64 << 20)
  await assert.rejects(drain(limitFetchInput(Readable.from(repeated(piece, 65), { objectMode: false }))), TooLarge)
})
