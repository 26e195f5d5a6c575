import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainSummary } from './plain-summary.ts'

test('plainSummary: the first words of a Markdown text without its marks', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', ''],
    ['**Fire** before\n*iron* and ~~coal~~.\n\nMore', 'Fire before iron and coal.'],
    ['## Goals of [1.5](https://example.com/a)\n\nText', 'Goals of 1.5'],
    ['<!-- hint -->\n\n- [x] count `a_b_c`\n- [ ] rates', 'count `a_b_c`'],
    ['```\n', ''],
    ['> quoted by <b>somebody</b>\n> twice', 'quoted by somebody'],
    ['![a picture](x.png) shows snake_case_names and 2 * 3 * 4', 'a picture shows snake_case_names and 2 * 3 * 4'],
    ['Title\n=====\nText', 'Title'],
    ['see <https://example.com> \\*now\\*', 'see https://example.com *now*'],
    ['1. first\n2. second', 'first'],
    ['\r\nWindows\r\nlines', 'Windows lines'],
  ]
  for (const [markdown, plain] of cases) assert.equal(plainSummary(markdown), plain, markdown)
})

test('plainSummary: a text made of marks costs little', () => {
  const start = performance.now()
  for (const mark of ['[', '![', '<a', '**', '_', '*a', '(', '\\']) plainSummary(mark.repeat(100_000))
  assert.ok(performance.now() - start < 500)
})
