import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type SelectQueryBuilder } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf, type Db } from './database.ts'
import { mergedPage, rangesAfter, type OrderKey } from './merged-page.ts'

interface Item {
  readonly id: number
  readonly kind: number
  readonly first: number
  readonly second: number
}
interface Items {
  item: Item
}

const items: readonly Item[] = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  kind: (index * 7) % 3,
  first: (index * 11) % 4,
  second: (index * 31) % 9,
}))

async function fill(db: Db): Promise<void> {
  const rows = items.map((item) => `(${item.id}, ${item.kind}, ${item.first}, ${item.second})`).join()
  for (const statement of [
    `create table item (id bigint primary key, kind bigint, first bigint, second bigint)`,
    `insert into item values ${rows}`,
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- the table is filled after it is made
    await sql.raw(statement).execute(engineOf(db).writer)
  }
}

const keyOf = (name: 'first' | 'second' | 'id', direction: OrderKey['direction']): OrderKey => ({
  name,
  value: sql.ref(`item.${name}`),
  direction,
})
const orders: readonly (readonly OrderKey[])[] = [
  [keyOf('id', 'desc')],
  [keyOf('first', 'asc'), keyOf('id', 'desc')],
  [keyOf('first', 'desc'), keyOf('second', 'asc'), keyOf('id', 'asc')],
]

const inOrder = (order: readonly OrderKey[]): Item[] =>
  items.toSorted((one, other) => {
    const key = order.find(({ name }) => one[name as 'id'] !== other[name as 'id'])
    if (!key) return 0
    const difference = one[key.name as 'id'] - other[key.name as 'id']
    return key.direction === 'asc' ? difference : -difference
  })

type Query = SelectQueryBuilder<Items, 'item', Item>
const ofKinds = (db: Db): Query[] =>
  [0, 1, 2].map((kind) =>
    (db as unknown as { selectFrom(table: 'item'): Query }).selectFrom('item').selectAll().where('kind', '=', kind),
  )

test('mergedPage returns the same pages as one query over all rows', async () => {
  await using database = await openTestDatabase()
  await fill(database.db)
  for (const order of orders) {
    const wanted = inOrder(order)
    for (const offset of [0, 1, 50, 118, 200]) {
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const rows = await mergedPage(database.db, ofKinds(database.db), order, { limit: 7, offset }).execute()
      assert.deepEqual(
        rows.map(({ id }) => id),
        wanted.slice(offset, offset + 7).map(({ id }) => id),
      )
    }
  }
})

test('rangesAfter: the ranges contain each later row exactly once, and no earlier row', async () => {
  await using database = await openTestDatabase()
  await fill(database.db)
  for (const order of orders) {
    const wanted = inOrder(order)
    for (const position of [0, 1, 59, 118, 119]) {
      const key = order.map(({ name }) => (wanted[position] as Item)[name as 'id'])
      const queries = rangesAfter(order, key).flatMap((range) =>
        ofKinds(database.db).map((query) => query.where(range)),
      )
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const rows = await mergedPage(database.db, queries, order, { limit: 200, offset: 0 }).execute()
      assert.deepEqual(
        rows.map(({ id }) => id),
        wanted.slice(position + 1).map(({ id }) => id),
      )
    }
  }
})
