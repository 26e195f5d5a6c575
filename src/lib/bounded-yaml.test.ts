import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBoundedYaml, YamlProblem } from './bounded-yaml.ts'

const read = (text: string): unknown => readBoundedYaml(text, { maxValues: 1000, maxDepth: 20, merge: true }).value

const problemOf = (text: string): string => {
  try {
    read(text)
    return ''
  } catch (error) {
    assert.ok(error instanceof YamlProblem, String(error))
    return error.message
  }
}

test('a document is parsed into plain values', () => {
  assert.deepEqual(read('a: 1\nb: [x, "2"]\nc: {d: null}'), { a: 1, b: ['x', '2'], c: { d: null } })
  assert.deepEqual(read('a: &one {p: 1}\nb: {<<: *one, q: 2}'), { a: { p: 1 }, b: { p: 1, q: 2 } })
  assert.deepEqual(read('a: &name x\n*name : 1'), { a: 'x', x: 1 })
  assert.equal(read(''), null)
  assert.deepEqual(readBoundedYaml('a: 1.0', { maxValues: 10, maxDepth: 2, schema: 'failsafe' }).value, { a: '1.0' })
})

test('hostile documents are refused before they take time', () => {
  const cases: readonly (readonly [text: string, problem: string])[] = [
    ['? '.repeat(700), 'values nest more than 20 levels deep'],
    ['? [a]\n: 1', 'a key is a collection; use a scalar'],
    ['? '.repeat(10), 'a key is a collection; use a scalar'],
    [`${'{'.repeat(10)}a${': 1}'.repeat(10)}`, 'a key is a collection; use a scalar'],
    ['a: &list [1]\n*list : 2', 'a key is an alias of a collection'],
    ['['.repeat(100_000), 'values nest more than 20 levels deep'],
    ['- '.repeat(100_000), 'values nest more than 20 levels deep'],
    [`[${'a,'.repeat(500_000)}]`, 'the text has more than 1000 values'],
    ['#\n'.repeat(500_000), 'the text has more than 1000 values'],
    ['a: &self [*self]', 'alias "self" contains itself'],
    [`a: &a x\nb: [${Array(101).fill('*a').join()}]`, 'the text has more than 100 aliases'],
    [
      `a: &a [x]\n${Array.from('bcdefgh')
        .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`).join()}]`)
        .join('\n')}`,
      'aliases repeat too many values',
    ],
    ['a: 1\nb: 2\na: 3', 'line 3: key "a" is repeated'],
    ['a: 1\n---\nb: 2', 'line 2: a second document begins'],
  ]
  for (const [text, problem] of cases) assert.equal(problemOf(text), problem, text.slice(0, 40))
})

test('a syntax error names its line', () => {
  assert.match(problemOf('a: 1\nb: c: d'), /^line 2: /)
})
