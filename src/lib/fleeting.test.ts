import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { asFleeting, canGiveBack, giveBack, isFleeting, ownCopy } from './fleeting.ts'

test('fleeting pieces: what has memory of its own gives it back, what shares it stays', () => {
  const own = Buffer.alloc(64 * 1024, 'x')
  giveBack(own)
  assert.equal(own.length, 0)
  const whole = Buffer.alloc(64 * 1024, 'x')
  const part = whole.subarray(1)
  giveBack(part)
  const shared = Buffer.from(new SharedArrayBuffer(64 * 1024))
  giveBack(shared)
  const small = Buffer.from('small')
  giveBack(small)
  assert.deepEqual([part.length, shared.length, small.toString()], [65_535, 65_536, 'small'])
  const copy = ownCopy(whole.subarray(1))
  assert.deepEqual([copy.equals(part), canGiveBack(copy), canGiveBack(part)], [true, true, false])
  assert.equal(ownCopy(small).toString(), 'small')
  assert.deepEqual([isFleeting(asFleeting(Readable.from([]))), isFleeting(Readable.from([]))], [true, false])
})
