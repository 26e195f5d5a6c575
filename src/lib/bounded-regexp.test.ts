import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testRegExp } from './bounded-regexp.ts'

test('bounded expressions: match, miss, no expression, and one that would take for ever', () => {
  assert.equal(testRegExp('^rc[0-9]+$', 'rc12'), true)
  assert.equal(testRegExp('^rc[0-9]+$', 'rcx'), false)
  assert.equal(testRegExp('(', 'x'), undefined)
  assert.equal(testRegExp('^(a+)+$', `${'a'.repeat(60)}b`), undefined)
})
