import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listJson } from './list-json.ts'
import { maxAnswerBytes, WorkTooCostly } from './work-budget.ts'

test('listJson: the text is that of JSON.stringify', () => {
  const bodies = [
    [],
    [1, undefined, null, 'é', { a: undefined, b: [1] }],
    { data: [{ a: 1 }, 'x'], ok: true, none: undefined, nothing: null, inner: { list: [1, 2] }, '"name"': [] },
    { toJSON: () => ({ list: [1, 2] }), other: [1] },
    { plain: 1 },
    'text',
    null,
    7,
  ]
  for (const body of bodies) assert.equal(listJson(body), JSON.stringify(body))
})

test('listJson: a list above the limit is refused, in bytes, and one item of any size is not', () => {
  const half = 'é'.repeat(maxAnswerBytes / 4)
  assert.ok(listJson([half]).length > 0)
  assert.ok(listJson([half + half]).length > 0)
  for (const body of [[half, half], { data: [half, half], ok: true }]) {
    assert.throws(() => listJson(body), WorkTooCostly)
  }
})

test('listJson: items after the limit are not encoded', () => {
  let encoded = 0
  const item = { toJSON: () => ((encoded += 1), 'x'.repeat(maxAnswerBytes / 4)) }
  assert.throws(() => listJson(Array.from({ length: 100 }, () => item)), WorkTooCostly)
  assert.ok(encoded <= 5)
})
