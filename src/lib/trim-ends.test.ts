import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trimBoth, trimTrailing } from './trim-ends.ts'

test('trimTrailing, trimBoth: characters go from the ends alone', () => {
  assert.deepEqual(
    ['', '/', 'a', '/a//', '//'].map((text) => trimTrailing(text, '/')),
    ['', '', 'a', '/a', ''],
  )
  assert.deepEqual(
    ['', '-.', '.a-b-', 'a'].map((text) => trimBoth(text, '-.')),
    ['', '', 'a-b', 'a'],
  )
})

test('trimBoth: a run that ends elsewhere takes linear time', () => {
  const run = `a${'.'.repeat(1_000_000)}b`
  assert.equal(trimBoth(`.${run}.`, '.'), run)
})
