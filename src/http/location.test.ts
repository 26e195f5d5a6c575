import assert from 'node:assert/strict'
import { test } from 'node:test'
import { locationOf } from './location.ts'

const expected: readonly (readonly [string, string])[] = [
  ['/a/b?q=c#d', '/a/b?q=c#d'],
  ['https://ex.example/a?b', 'https://ex.example/a?b'],
  ['https://ex.example', 'https://ex.example'],
  ['com.example.app:/done?code=1', 'com.example.app:/done?code=1'],
  ['/a\r\nSet-Cookie: x=1', '/aSet-Cookie:%20x=1'],
  ['/a?q=one\ntwo', '/a?q=onetwo'],
  ['/ä/日本?q=ü', '/%C3%A4/%E6%97%A5%E6%9C%AC?q=%C3%BC'],
  ['/a\u0000b', '/a%00b'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\n/evil.example/', '/'],
  ['/x/..//evil.example/ä', '/evil.example/%C3%A4'],
  ['https://ex.example/a b\n', 'https://ex.example/a%20b'],
  ['/\ud800', '/%EF%BF%BD'],
]

test('locationOf: a header can hold every location, and a path stays on the site', () => {
  for (const [target, location] of expected) assert.equal(locationOf(target), location, JSON.stringify(target))
})
