import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileGlob } from './glob.ts'
import { parseAttributes } from './gitattributes.ts'
import { MatchBudget, PatternsTooCostly } from './pattern.ts'

const paths = Array.from({ length: 4000 }, (_, at) => `src/${'a'.repeat(200)}/${'a'.repeat(100)}${at}`)
const slow = '**a**a**a**a**a**a**b*'

test('the patterns of one request share a budget and stop at its end', () => {
  const budget = new MatchBudget()
  const matchers = Array.from({ length: 300 }, () => compileGlob(slow, '/', budget))
  assert.throws(() => paths.some((path) => matchers.some((fits) => fits(path))), PatternsTooCostly)
})

test('attributes of many files stop at the end of the budget', () => {
  const attributes = parseAttributes(new Map([['', `${slow} text\n`.repeat(300)]]))
  assert.throws(() => paths.map((path) => attributes.of(path)), PatternsTooCostly)
})

test('ordinary patterns and paths stay far below the budget', () => {
  const text = Array.from({ length: 100 }, (_, at) => `*.${at} filter=lfs\ndocs/**/${at}.md text`).join('\n')
  const attributes = parseAttributes(new Map([['', text]]))
  const found = paths.map((path) => attributes.of(`${path}.7`).get('filter'))
  assert.ok(found.every((filter) => filter === 'lfs'))
})
