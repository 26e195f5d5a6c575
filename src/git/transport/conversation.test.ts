import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { asFleeting, releaseChunk, isFleeting } from '../../lib/fleeting.ts'
import { conversation } from './conversation.ts'

const ended = Promise.resolve({ exitCode: 0, stderr: '' })

test("a conversation's output can be freed piece by piece without touching kept buffers", async () => {
  const greeting = Buffer.alloc(5000, 'g')
  const kept = Buffer.alloc(70_000, 'k')
  const passing = Array.from({ length: 4 }, () => Buffer.alloc(65_536, 'p'))
  const answers = [
    Readable.from([kept], { objectMode: false }),
    asFleeting(Readable.from(passing, { objectMode: false })),
    Readable.from([kept], { objectMode: false }),
  ]
  const expected = Buffer.concat([greeting, kept, ...passing, kept])
  const requests = Readable.from([Buffer.from('0008more0000'.repeat(answers.length))], { objectMode: false })
  const { output, finished } = conversation(
    requests,
    greeting,
    async () => ({ output: answers.shift() as Readable, finished: ended }),
    { idleMs: 10_000, signal: new AbortController().signal },
  )
  assert.ok(isFleeting(output))
  const heard: Buffer[] = []
  // Piece by piece, like the relay; an iterator would join waiting pieces.
  output.on('data', (piece: Buffer) => {
    heard.push(Buffer.from(piece))
    releaseChunk(piece)
  })
  await once(output, 'end')
  assert.ok(Buffer.concat(heard).equals(expected))
  assert.deepEqual([greeting.length, kept.length], [5000, 70_000], 'kept buffers are unchanged')
  assert.deepEqual(
    passing.map(({ length }) => length),
    [0, 0, 0, 0],
    'fleeting pieces are forwarded without a copy',
  )
  assert.equal((await finished).exitCode, 0)
})
