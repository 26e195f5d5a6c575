import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { anyMatch, expressionPattern, faultOfExpression } from './expression.ts'
import { compileGlob } from './glob.ts'
import { parseAttributes } from './gitattributes.ts'
import { WorkBudget, WorkTooCostly } from './work-budget.ts'

const paths = Array.from({ length: 4000 }, (_, at) => `src/${'a'.repeat(200)}/${'a'.repeat(100)}${at}`)
const slow = '**a**a**a**a**a**a**b*'

test('the patterns of one request share a budget and stop at its end', () => {
  const budget = new WorkBudget()
  const matchers = Array.from({ length: 300 }, () => compileGlob(slow, '/', budget))
  assert.equal(paths.map((path) => anyMatch(matchers, path)).at(-1), 'undecided')
})

test('attributes of many files stop at the end of the budget', () => {
  const attributes = parseAttributes(new Map([['', `${slow} text\n`.repeat(300)]]), new WorkBudget())
  assert.throws(() => paths.map((path) => attributes.of(path)), WorkTooCostly)
})

test('ordinary patterns and paths stay far below the budget', () => {
  const text = Array.from({ length: 100 }, (_, at) => `*.${at} filter=lfs\ndocs/**/${at}.md text`).join('\n')
  const attributes = parseAttributes(new Map([['', text]]), new WorkBudget())
  const found = paths.map((path) => attributes.of(`${path}.7`).get('filter'))
  assert.ok(found.every((filter) => filter === 'lfs'))
})

const matchOf = (source: string, text: string, isWhole = false) =>
  expressionPattern(source, new WorkBudget(), { isWhole }).match(text)

test('expressions answer as the automaton of the library does', () => {
  const sources = [
    '^rc[0-9]+$',
    '(a+)+$',
    'b',
    'a|b',
    '\\bfoo\\b',
    '(?i)RC',
    '',
    '$',
    '(?m)^x$',
    '.',
    '(?s).',
    '\\pL{2}',
    'a{2,3}',
    '^',
    '\\Bx',
  ]
  const texts = [
    '',
    'rc12',
    'rcx',
    'aaaab',
    'foo bar',
    'xfoo',
    'y\nx\nz',
    '\n',
    'éa',
    'aa',
    '\u{1f600}',
    `${'a'.repeat(60)}b`,
  ]
  for (const source of sources) {
    for (const text of texts) {
      const library = RE2JS.compile(source)
      assert.equal(matchOf(source, text), library.test(text), `${source} in ${JSON.stringify(text)}`)
      assert.equal(matchOf(source, text, true), library.testExact(text), `${source} is ${JSON.stringify(text)}`)
    }
  }
})

test('a faulty or too large expression is undecided and has a reason', () => {
  for (const source of [
    '(',
    '(?!a)b',
    '(a{1000}){1000}',
    'a{1000}'.repeat(70),
    `(?:${'a'.repeat(400)}){1000}`,
    '\\pL'.repeat(300),
    'a'.repeat(20_000),
  ]) {
    const beganMs = performance.now()
    assert.equal(matchOf(source, 'a'), 'undecided', source.slice(0, 20))
    assert.notEqual(faultOfExpression(source, new WorkBudget())?.reason ?? '', '')
    assert.ok(performance.now() - beganMs < 500, source.slice(0, 20))
  }
})

test('expressions that fold wide ranges, and many expressions, stop at the end of the budget', () => {
  const budget = new WorkBudget()
  const beganMs = performance.now()
  const many = Array.from({ length: 500 }, (_, at) =>
    expressionPattern(`(?i)[B-\\x{1e942}]${at}`, budget, { isWhole: false }),
  )
  for (const each of many) each.match('x')
  assert.equal(many.at(-1)?.match('x'), 'undecided')
  assert.ok(performance.now() - beganMs < 1000)
})
