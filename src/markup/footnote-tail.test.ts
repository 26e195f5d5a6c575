import assert from 'node:assert/strict'
import { test } from 'node:test'
import MarkdownIt from 'markdown-it'
import type { MarkdownIt as Parser } from 'markdown-it'
import footnotes from 'markdown-it-footnote'
import { moveFootnotes } from './footnote-tail.ts'

const texts = [
  'no note',
  'one[^a] and two[^b] and one again[^a]\n\n[^a]: first\n[^b]: second\n\n    of two paragraphs\n[^c]: never used\n',
  'in its place^[a *note*] and[^1] and^[another]\n\n[^1]: - a list\n    - of two\n',
  '[^missing] and [^a]\n\n[^a]: refers to [^b]\n\n[^b]: refers to [^a] and ^[one more]\n',
  '[^only]: never used\n\ntext\n',
  '> [^q]\n\n> [^q]: in a quotation\n',
  '[^a]\n\n[^a]: first\n[^a]: again\n',
  '[^out] [^in]\n\n[^out]: outer\n\n    [^in]: inner\n\n    rest\n',
  '[^constructor] [^__proto__]\n\n[^constructor]: one\n[^__proto__]: two\n',
  '[^code]\n\n[^code]:\n    ~~~\n    a fence\n    ~~~\n',
]

test('footnotes are moved as the plugin moves them', () => {
  const plugin = new MarkdownIt().use(footnotes)
  const own = new MarkdownIt().use(footnotes)
  own.core.ruler.at('footnote_tail', moveFootnotes)
  const tokensOf = (parser: Parser, text: string): unknown => JSON.parse(JSON.stringify(parser.parse(text, {})))
  for (const text of texts) assert.deepEqual(tokensOf(own, text), tokensOf(plugin, text), text)
})
