import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOfEscapes, escapeXml } from './escape-xml.ts'

test('escapeXml: markup and quotes are escaped, characters that XML does not allow are removed', () => {
  assert.equal(escapeXml('plain ä'), 'plain ä')
  assert.equal(escapeXml(`<a b="c" d='e'>&amp;\u0000\uD800`), '&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;\uFFFD')
})

test('bytesOfEscapes: the bytes that escaping adds', () => {
  for (const text of ['', 'plain ä', `<a b="c" d='e'>&amp;`, '#$%()*+,-./0:;=']) {
    assert.equal(Buffer.byteLength(text) + bytesOfEscapes(text), Buffer.byteLength(escapeXml(text)), text)
  }
})
