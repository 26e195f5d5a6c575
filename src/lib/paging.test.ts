import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsAndTotal } from './paging.ts'

test('rowsAndTotal: a total that was counted before or after the rows were read agrees with them', async () => {
  const limit = 3
  const cases = [
    // Shown rows, offset, counted, and the total that agrees.
    { shown: 0, offset: 0, counted: 1, total: 0 },
    { shown: 1, offset: 0, counted: 0, total: 1 },
    { shown: 2, offset: 3, counted: 9, total: 5 },
    { shown: 3, offset: 3, counted: 5, total: 6 },
    { shown: 3, offset: 3, counted: 9, total: 9 },
    { shown: 0, offset: 6, counted: 5, total: 5 },
    { shown: 0, offset: 6, counted: 7, total: 6 },
  ]
  for (const { shown, offset, counted, total } of cases) {
    const rows = Array.from({ length: shown }, (_, index) => index)
    const found = await rowsAndTotal({ limit, offset }, Promise.resolve(rows), Promise.resolve(counted))
    assert.deepEqual(found, [rows, total])
  }
})
