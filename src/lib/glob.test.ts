import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob, isWellFormedGlob } from './glob.ts'
import { MatchBudget, PatternsTooCostly } from './pattern.ts'

const fitting = (pattern: string, texts: readonly string[], separators = '/') =>
  texts.filter(compileGlob(pattern, separators))

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
  assert.equal(compileGlob(`${'*a'.repeat(60)}b`, '/')('a'.repeat(2000)), false)
  assert.ok(performance.now() - started < 2000)
})

test('glob: a pattern of more than 4096 characters matches only its own text', () => {
  const nested = `${'{'.repeat(100_000)}a${'}'.repeat(100_000)}`
  assert.deepEqual(
    [nested, 'a'].map((text) => compileGlob(nested, '')(text)),
    [true, false],
  )
  assert.equal(isWellFormedGlob(nested), false)
})

test('glob: the expansion of alternatives counts against the budget', () => {
  const budget = new MatchBudget(100_000)
  assert.throws(() => compileGlob(`{${'a,'.repeat(200)}a}${'b'.repeat(100)}`, '', budget), PatternsTooCostly)
})
