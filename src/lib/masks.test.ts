import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Masks } from './masks.ts'

const secret = 'p@ss "wörd"/42?'

test('a secret is masked in its plain and encoded forms', () => {
  const masks = new Masks([secret])
  const encoded = [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    JSON.stringify(secret),
    JSON.stringify(JSON.stringify({ token: secret })),
    Buffer.from(secret).toString('hex'),
    ...['', 'x', 'xy', 'xyz'].map((before) => Buffer.from(`${before}${secret}!`).toString('base64url')),
    ...['', 'x', 'xy', 'xyz'].map((before) => Buffer.from(`${before}:${secret}`).toString('base64')),
  ]
  for (const text of encoded) {
    const masked = masks.apply(`before ${text} after`)
    assert.match(masked, /^before .{0,24}\*\*\*.{0,8} after$/, text)
  }
  assert.equal(masks.apply('nothing of it'), 'nothing of it')
  assert.equal(new Masks(['ab', ' ', '']).apply('abc ab'), 'abc ab', 'what is so short is no secret')
})

test('a secret that spans lines is masked, as is each line of a secret with several lines', () => {
  const masks = new Masks(['first-line\nsecond-line', 'abcdefghijkl'])
  assert.deepEqual(masks.applyToLines(['x first-line', 'second-line y']).lines, ['x ***', '*** y'])
  assert.deepEqual(masks.applyToLines(['only second-line here']).lines, ['only *** here'])
  assert.deepEqual(masks.applyToLines(['a abcd', '', 'efghi', 'jkl b']).lines, ['a ***', '', '***', '*** b'])
  assert.deepEqual(masks.applyToLines(['abc\ndefghi\njkl b']).lines, ['***\n\n b'])
  const wrapped = Buffer.from('abcdefghijkl'.repeat(1)).toString('base64')
  assert.deepEqual(masks.applyToLines([wrapped.slice(0, 7), wrapped.slice(7)]).lines, ['***', '***'])
})

test('applyToLines counts the last lines that may begin a secret, up to a limit', () => {
  const masks = new Masks(['abcdefghijkl'])
  assert.equal(masks.applyToLines(['one', 'two abcd', 'ef']).begun, 2)
  assert.equal(masks.applyToLines(['one', 'two abc']).begun, 0, 'too little to tell')
  assert.equal(masks.applyToLines(['two abcd', 'x']).begun, 0)
  assert.equal(masks.applyToLines(['abcd', ...Array.from({ length: 300 }, () => '')]).begun, 0)
})
