import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob, faultOfGlob } from './glob.ts'
import { WorkBudget, usualWorkLimits } from './work-budget.ts'

const fitting = (pattern: string, texts: readonly string[], separators = '/') =>
  texts.filter((text) => compileGlob(pattern, separators, new WorkBudget()).match(text) === true)

test('glob: one star stops at separators, and two stars cross them', () => {
  assert.deepEqual(fitting('feat/*', ['feat/a', 'feat/b/c', 'feat', 'feat/']), ['feat/a', 'feat/'])
  assert.deepEqual(fitting('feat/**', ['feat/a', 'feat/b/c', 'feat']), ['feat/a', 'feat/b/c'])
  assert.deepEqual(fitting('*.js', ['b.js', 'a.min.js', 'x/y.js'], '/.'), ['b.js'])
  assert.deepEqual(fitting('secret/**', ['secret/deep/s.txt', 'other'], '/.'), ['secret/deep/s.txt'])
  assert.deepEqual(fitting('v*', ['v1', 'v/1'], ''), ['v1', 'v/1'])
})

test('glob: a pattern matches single characters, sets and alternatives', () => {
  assert.deepEqual(fitting('v?', ['v1', 'v10', 'va', 'v']), ['v1', 'va'])
  assert.deepEqual(fitting('v[0-9]', ['v1', 'va', 'v12']), ['v1'])
  assert.deepEqual(fitting('v[!0-9]', ['v1', 'va']), ['va'])
  assert.deepEqual(fitting('{one,tw{o,ice}}-x', ['one-x', 'two-x', 'twice-x', 'tw-x']), ['one-x', 'two-x', 'twice-x'])
  assert.deepEqual(fitting('a\\*b', ['a*b', 'axb']), ['a*b'])
})

test('glob: a malformed pattern matches only its own text', () => {
  for (const pattern of ['a[b', 'a{b', 'a}b', 'a\\']) assert.deepEqual(fitting(pattern, [pattern, 'ab']), [pattern])
})

test('glob: a pattern with many stars matches quickly', () => {
  const started = performance.now()
  assert.equal(compileGlob(`${'*a'.repeat(60)}b`, '/', new WorkBudget()).match('a'.repeat(200)), false)
  assert.ok(performance.now() - started < 2000)
})

test('glob: a pattern of more than 4096 characters is undecided', () => {
  const nested = `${'{'.repeat(100_000)}a${'}'.repeat(100_000)}`
  assert.deepEqual(
    [nested, 'a'].map((text) => compileGlob(nested, '', new WorkBudget()).match(text)),
    ['undecided', 'undecided'],
  )
  assert.match(faultOfGlob(nested) ?? '', /longer than 4096/)
})

test('glob: sets lose separators, and odd sets match as their members say', () => {
  assert.deepEqual(fitting('a[+-9]b', ['a/b', 'a.b', 'a5b'], '/.'), ['a5b'])
  assert.deepEqual(fitting('[z-a]', ['z', 'a', 'm']), [])
  assert.deepEqual(fitting('[!z-a]', ['z', '/', '\u{1f600}']), ['z', '\u{1f600}'])
  assert.deepEqual(fitting('a.b', ['a.b', 'axb']), ['a.b'])
  assert.deepEqual(fitting('*\n?', ['x\ny']), ['x\ny'])
})

test('glob: patterns of every shape stay within the budget of a request', () => {
  const shapes = [
    `${'a'.repeat(3900)}${'{a,b}'.repeat(9)}`,
    '**a**a**a**a**a**a**b*',
    '[a-z]'.repeat(800),
    `*[${'a-z'.repeat(1200)}]x*?`,
    `src/${'{a,b}'.repeat(700)}?`,
    `src/${'{a,'.repeat(800)}b${'}'.repeat(800)}?`,
    '**/'.repeat(1000),
  ]
  const texts = Array.from({ length: 300 }, (_, at) => `src/${'a'.repeat(200)}/${at}x`)
  for (const shape of shapes) {
    const budget = new WorkBudget({ ...usualWorkLimits })
    const beganMs = performance.now()
    const globs = Array.from({ length: 480 }, () => compileGlob(shape, '/', budget))
    const answers = texts.map((text) => globs.every((glob) => glob.match(text) === false))
    assert.ok(answers.length === 300 && performance.now() - beganMs < 1500, shape.slice(0, 40))
  }
})
