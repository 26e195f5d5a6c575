import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trimBoth, trimTrailing } from './trim-ends.ts'

test('trimTrailing and trimBoth remove characters only from the ends', () => {
  assert.deepEqual(
    ['', '/', 'a', '/a//', '//'].map((text) => trimTrailing(text, '/')),
    ['', '', 'a', '/a', ''],
  )
  assert.deepEqual(
    ['', '-.', '.a-b-', 'a'].map((text) => trimBoth(text, '-.')),
    ['', '', 'a-b', 'a'],
  )
})

test('trimBoth takes linear time for a run in the middle', () => {
  const run = `a${'.'.repeat(1_000_000)}b`
  assert.equal(trimBoth(`.${run}.`, '.'), run)
})
