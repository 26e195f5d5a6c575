import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptStatements } from './kept-statements.ts'

/** Returns the texts that are kept. The count must not change. */
const keptOf = (kept: KeptStatements<number>, texts: readonly string[]) => {
  const count = kept.count
  const found = texts.filter((text) => kept.get(text) !== undefined)
  assert.equal(kept.count, count)
  return found
}

test('kept statements: the least recently used statement is evicted first, by count and by characters', () => {
  const kept = new KeptStatements<number>(3, 20)
  for (const [index, text] of ['a', 'b', 'c'].entries()) kept.add(text, index)
  assert.equal(kept.get('a'), 0)
  kept.add('d', 3)
  assert.deepEqual(keptOf(kept, ['a', 'b', 'c', 'd']), ['a', 'c', 'd'])
  kept.add('e'.repeat(18), 4)
  assert.deepEqual(keptOf(kept, ['a', 'c', 'd', 'e'.repeat(18)]), ['c', 'd', 'e'.repeat(18)])
  kept.add('f'.repeat(50), 5)
  assert.deepEqual([kept.count, kept.get('f'.repeat(50))], [1, 5])
  kept.clear()
  kept.add('g', 6)
  kept.add('h'.repeat(19), 7)
  assert.equal(kept.count, 2, 'removed statements do not count')
})
