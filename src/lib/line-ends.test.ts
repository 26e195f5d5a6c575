import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptLines } from './kept-lines.ts'
import { withLineEnds } from './line-ends.ts'

/** What a browser sends of a text that it shows. */
const sentOf = (shown: string): string => shown.replace(/\r\n?|\n/g, '\r\n')

test('withLineEnds: a text that nobody changed stays as it was, whatever its line ends are', () => {
  const texts = ['', 'a', '\n', '\r', 'a\nb\n', 'a\r\nb', 'a\rb\rc', 'a\r\nb\nc\rd\n\r\n\r', '\n\na\r\n\r\n\nb']
  for (const text of texts) assert.equal(withLineEnds(text, sentOf(text)), text, JSON.stringify(text))
})

test('withLineEnds: changed lines keep their ends, new ones take those of their neighbours', () => {
  const before = 'one\r\ntwo\nthree\r\nfour\rfive'
  const after = (sent: string) => withLineEnds(before, sentOf(sent))
  assert.equal(after('one\n2\nthree\nfour\nfive'), 'one\r\n2\nthree\r\nfour\rfive', 'a changed line')
  assert.equal(after('zero\none\ntwo\nthree\nfour\nfive'), 'zero\r\none\r\ntwo\nthree\r\nfour\rfive', 'a first line')
  assert.equal(after('one\ntwo\nnew\nthree\nfour\nfive'), 'one\r\ntwo\nnew\nthree\r\nfour\rfive', 'a line between')
  assert.equal(after('one\nthree\nfour\nfive'), 'one\r\nthree\r\nfour\rfive', 'a removed line')
  assert.equal(after('one\ntwo\nthree\nfour\nfive\n'), 'one\r\ntwo\nthree\r\nfour\rfive\r', 'a last line break')
  assert.equal(after('one\ntwo\nthree\nfour\nfive\nsix'), 'one\r\ntwo\nthree\r\nfour\rfive\rsix', 'a last line')
  assert.equal(after(''), '')
})

test('withLineEnds: a file with one kind of line end has no other afterwards, and an empty one has LF', () => {
  assert.equal(withLineEnds('a\r\nb\r\n', 'a\nb\nc\n'), 'a\r\nb\r\nc\r\n')
  assert.equal(withLineEnds('a\rb', 'x\r\na\r\nb'), 'x\ra\rb')
  assert.equal(withLineEnds('', 'a\r\nb\r\n'), 'a\nb\n')
  assert.equal(withLineEnds('a', 'a\r\nb'), 'a\nb')
})

test('withLineEnds: lines of a mixed text of 1 MB keep their ends when every tenth is changed, and when some are moved', () => {
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index % 7000} of a long text with many lines`)
  const ends = lines.map((_, index) => (index % 3 === 0 ? '\r\n' : '\n'))
  const before = lines.map((line, index) => line + ends[index]).join('')
  const changed = lines.map((line, index) => (index % 10 === 0 ? `${line}, changed` : line))
  const expected = changed.map((line, index) => line + ends[index]).join('')
  assert.equal(withLineEnds(before, changed.join('\r\n') + '\r\n'), expected)
  const inserted = [...lines.slice(0, 100), 'new', 'lines', ...lines.slice(100, 20_000), ...lines.slice(20_050)]
  const kept = keptLines(lines, inserted)
  assert.deepEqual([kept[99], kept[100], kept[101], kept[102], kept.at(-1)], [99, -1, -1, 100, 29_999])
  assert.equal(kept.filter((at) => at < 0).length, 2)
})

test('keptLines: the work is bounded for texts that have nothing in common but repeated lines', () => {
  const of = (seed: number, modulus: number) =>
    Array.from({ length: 60_000 }, (_, index) => `${(index * seed) % modulus}`)
  const kept = keptLines(of(7919, 101), of(104_729, 103))
  assert.equal(kept.length, 60_000)
  let last = -1
  for (const at of kept) {
    if (at < 0) continue
    assert.ok(at > last)
    last = at
  }
})
