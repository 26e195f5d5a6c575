import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testExpressions } from './bounded-regexp.ts'

test('bounded expressions: match, miss, no expression, and one that would take for ever', () => {
  const sources = ['^rc[0-9]+$', '(', '^(a+)+$', 'RC']
  const texts = ['rc12', 'rcx', `${'a'.repeat(60)}b`]
  const [whole, none, slow, upper] = testExpressions({ sources, flags: 'u', texts })
  assert.deepEqual([whole, none, slow, upper], [[true, false, false], undefined, undefined, [false, false, false]])
  assert.deepEqual(testExpressions({ sources: ['RC'], flags: 'iu', texts }), [[true, true, false]])
})

test('bounded expressions: very many slow ones take no longer than a few', () => {
  const slow = Array.from({ length: 500 }, () => '^(a+)+$')
  const answer = testExpressions({ sources: [...slow, 'b'], flags: 'u', texts: [`${'a'.repeat(60)}b`] })
  assert.deepEqual(
    answer,
    [...slow, 'b'].map(() => undefined),
  )
})
