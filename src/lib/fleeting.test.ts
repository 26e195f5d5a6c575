import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { asFleeting, canReleaseChunk, releaseChunk, isFleeting, ownCopy } from './fleeting.ts'

test('releaseChunk frees a chunk with its own memory and keeps one with shared memory', () => {
  const own = Buffer.alloc(64 * 1024, 'x')
  releaseChunk(own)
  assert.equal(own.length, 0)
  const whole = Buffer.alloc(64 * 1024, 'x')
  const part = whole.subarray(1)
  releaseChunk(part)
  const shared = Buffer.from(new SharedArrayBuffer(64 * 1024))
  releaseChunk(shared)
  const small = Buffer.from('small')
  releaseChunk(small)
  assert.deepEqual([part.length, shared.length, small.toString()], [65_535, 65_536, 'small'])
  const copy = ownCopy(whole.subarray(1))
  assert.deepEqual([copy.equals(part), canReleaseChunk(copy), canReleaseChunk(part)], [true, true, false])
  assert.equal(ownCopy(small).toString(), 'small')
  assert.deepEqual([isFleeting(asFleeting(Readable.from([]))), isFleeting(Readable.from([]))], [true, false])
})
