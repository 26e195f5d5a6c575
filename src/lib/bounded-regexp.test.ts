import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testExpressions } from './bounded-regexp.ts'

test('bounded expressions: a match, a miss, an invalid and an endless expression have distinct results', () => {
  const sources = ['^rc[0-9]+$', '(', '^(a+)+$', 'RC']
  const texts = ['rc12', 'rcx', `${'a'.repeat(60)}b`]
  const [whole, none, slow, upper] = testExpressions({ sources, flags: 'u', texts })
  assert.deepEqual([whole, none, slow, upper], [[true, false, false], undefined, undefined, [false, false, false]])
  assert.deepEqual(testExpressions({ sources: ['RC'], flags: 'iu', texts }), [[true, true, false]])
})

test('bounded expressions: the time limit holds for any number of slow expressions', () => {
  const slow = Array.from({ length: 500 }, () => '^(a+)+$')
  const answer = testExpressions({ sources: [...slow, 'b'], flags: 'u', texts: [`${'a'.repeat(60)}b`] })
  assert.deepEqual(
    answer,
    [...slow, 'b'].map(() => undefined),
  )
})
