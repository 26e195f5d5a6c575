import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CacheBudget } from './cache-budget.ts'

/** The size of an entry: the fixed overhead and the size of the value. */
const perEntry = 150
const sizeOf = (bytes: number): number => bytes - perEntry

test('cache budget: the least recently used entry of all caches is evicted first', () => {
  const budget = new CacheBudget(1000)
  const texts = budget.open<string, number>('texts', { sizeOf, maxEntryBytes: 1000 })
  const trees = budget.open<string, number>('trees', { sizeOf, maxEntryBytes: 1000 })
  texts.set('a', 300)
  trees.set('b', 300)
  texts.set('c', 300)
  assert.equal(texts.get('a'), 300)
  assert.equal(trees.peek('b'), 300)
  trees.set('d', 400)
  assert.deepEqual([texts.get('a'), trees.get('b'), texts.get('c'), trees.get('d')], [300, undefined, 300, 400])
  assert.deepEqual(
    [...budget.usedByName()],
    [
      ['texts', 600],
      ['trees', 400],
    ],
  )
  trees.set('e', 1000)
  assert.deepEqual(
    [...budget.usedByName()],
    [
      ['texts', 0],
      ['trees', 1000],
    ],
  )
  assert.equal(budget.usedBytes, 1000)
})

test('cache budget: limits apply to the size of one cache and of one entry', () => {
  const budget = new CacheBudget(8000)
  const few = budget.open<number, number>('few', { sizeOf, maxBytes: 900, maxEntryBytes: 400 })
  for (const key of [1, 2, 3, 4]) few.set(key, 300)
  assert.deepEqual(
    [1, 2, 3, 4].map((key) => few.get(key)),
    [undefined, 300, 300, 300],
  )
  few.set(2, 500)
  assert.equal(few.get(2), undefined, 'a refused larger value also removes the former value')
  const all = budget.open<number, number>('all', { sizeOf })
  all.set(1, 1001)
  all.set(2, 1000)
  assert.deepEqual([all.get(1), all.get(2)], [undefined, 1000])
  assert.equal(budget.usedBytes, 1600)
  few.clear()
  all.delete(2)
  assert.equal(budget.usedBytes, 0)
})

test('cache budget: random operations keep the same entries as a list in the order of use', () => {
  const budget = new CacheBudget(4000)
  const caches = ['one', 'two', 'three'].map((name) =>
    budget.open<number, number>(name, { sizeOf, maxEntryBytes: 4000 }),
  )
  let kept: { cache: number; key: number; bytes: number }[] = []
  let seed = 1
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let step = 0; step < 5000; step += 1) {
    const [cache, key, bytes] = [next(3), next(20), 150 + next(700)]
    const isIt = (each: { cache: number; key: number }): boolean => each.cache === cache && each.key === key
    const found = kept.find(isIt)
    const what = next(10)
    if (what < 5) {
      assert.equal(caches[cache]?.get(key), found?.bytes)
      if (found) kept = [...kept.filter((each) => !isIt(each)), found]
    } else {
      kept = kept.filter((each) => !isIt(each))
      if (what === 5) caches[cache]?.delete(key)
      else {
        caches[cache]?.set(key, bytes)
        kept.push({ cache, key, bytes })
        while (kept.reduce((sum, each) => sum + each.bytes, 0) > 4000) kept.shift()
      }
    }
    assert.equal(
      budget.usedBytes,
      kept.reduce((sum, each) => sum + each.bytes, 0),
    )
  }
})

test('cache budget: a large entry evicts any number of small entries', () => {
  const budget = new CacheBudget(32 * 1024 * 1024)
  const small = budget.open<number, number>('small', { sizeOf })
  for (let key = 0; key < 200_000; key++) small.set(key, 210)
  const large = budget.open<string, number>('large', { sizeOf })
  large.set('page', 2 * 1024 * 1024)
  assert.equal(large.get('page'), 2 * 1024 * 1024)
  assert.ok(budget.usedBytes <= budget.maxBytes)
  const narrow = budget.open<number, number>('narrow', {
    sizeOf,
    maxBytes: 8 * 1024 * 1024,
    maxEntryBytes: 8 * 1024 * 1024,
  })
  for (let key = 0; key < 30_000; key++) narrow.set(key, 210)
  narrow.set(-1, 8 * 1024 * 1024)
  assert.deepEqual([narrow.peek(29_999), narrow.peek(-1)], [undefined, 8 * 1024 * 1024])
})
