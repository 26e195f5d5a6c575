import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type SelectQueryBuilder, type SqlBool } from 'kysely'
import { openTestDatabase } from '../testing/database.ts'
import { engineOf, type Db } from './database.ts'
import { readMerged, turnedOrder, type OrderKey, type Piece, type Start } from './deep-page.ts'
import { databaseKind } from './open.ts'

/** Rows of a table of the test: of three kinds, with values that many share. */
interface Thing {
  readonly id: number
  readonly kind: number
  readonly first: number
  readonly second: number
  readonly name: string
}
interface Things {
  thing: Thing
}

/** Texts that a conversion to numbers, or a comparison of their lengths, would confuse. */
const names = ['', '10', '9', '9a', "o'b", 'a', 'a-b', 'ab', 'b', 'ä']

/** The same numbers each time. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
}

async function fill(db: Db, shares: readonly number[]): Promise<Thing[]> {
  const random = randomNumbers(7)
  const things = Array.from({ length: 160 }, (_, index): Thing => {
    const draw = random(100)
    const kind = shares.findIndex((_share, at) => draw < shares.slice(0, at + 1).reduce((one, other) => one + other))
    // Kinds have values of their own, so that what is guessed of one says little of the others.
    return {
      id: index + 1,
      kind,
      first: random(4) + kind,
      second: random(30),
      name: names[random(names.length)] as string,
    }
  })
  const write = (text: string) => sql.raw(text).execute(engineOf(db).writer)
  const collation = databaseKind(db) === 'sqlite' ? 'binary' : '"C"'
  await write(
    `create table thing (id bigint primary key, kind bigint, first bigint, second bigint, name text collate ${collation})`,
  )
  await write(
    `insert into thing values ${things.map((each) => `(${each.id}, ${each.kind}, ${each.first}, ${each.second}, '${each.name.replaceAll("'", "''")}')`).join()}`,
  )
  return things
}

const column = (name: 'id' | 'first' | 'second' | 'name', direction: 'asc' | 'desc'): OrderKey => ({
  name,
  value: sql.ref(`thing.${name}`),
  direction,
})
/** What an index would have computed. */
const computed = (direction: 'asc' | 'desc'): OrderKey => ({
  name: 'sum',
  value: sql`(thing.first + thing.second)`,
  direction,
})
const orders: readonly (readonly OrderKey[])[] = [
  [column('second', 'asc'), column('id', 'asc')],
  [column('first', 'asc'), column('second', 'desc'), column('id', 'desc')],
  [column('first', 'desc'), column('second', 'desc'), column('id', 'desc')],
  [column('id', 'asc')],
  [column('name', 'asc'), column('id', 'asc')],
  [column('first', 'asc'), column('name', 'desc'), column('id', 'desc')],
  [computed('asc'), column('id', 'asc')],
  [computed('desc'), column('name', 'asc'), column('id', 'asc')],
]

const valueOf = (thing: Thing, name: string): number | string =>
  name === 'sum' ? thing.first + thing.second : thing[name as keyof Thing]

const compare =
  (order: readonly OrderKey[]) =>
  (one: Thing, other: Thing): number => {
    for (const { name, direction } of order) {
      const [here, there] = [valueOf(one, name), valueOf(other, name)]
      if (here !== there) return here < there === (direction === 'asc') ? -1 : 1
    }
    return 0
  }

/** The place that one of some rows has by some keys. */
function startIn(sorted: readonly Thing[], keys: readonly OrderKey[], at: number): Start | undefined {
  const row = sorted[at]
  if (!row) return undefined
  const key = keys.map(({ name }) => valueOf(row, name))
  const isSame = (each: Thing) => keys.every(({ name }, index) => valueOf(each, name) === key[index])
  return { key, rank: sorted.findIndex(isSame) }
}

/** Pieces of all things by kind. */
function piecesOf(db: Db, order: readonly OrderKey[], guessed: readonly number[]) {
  const things = db as unknown as { selectFrom(table: 'thing'): SelectQueryBuilder<Things, 'thing', object> }
  return guessed.map((rows, kind): Piece<Things, 'thing', { id: number }> => {
    const query = things
      .selectFrom('thing')
      .where(sql<SqlBool>`kind = ${kind}`)
      .select(['id', ...order.flatMap(({ name, value }) => (name === 'id' ? [] : [value.as(name)]))])
      .$castTo<{ id: number }>()
    return { query, order, rows }
  })
}

test('readMerged: a page of any depth is what sorting everything gives, whatever was guessed', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const things = await fill(db, [60, 30, 10])
  for (const [index, order] of [...orders, ...orders.map(turnedOrder)].entries()) {
    const sorted = things.toSorted(compare(order))
    for (const guessed of [
      [96, 48, 16],
      [10, 10, 140],
      [1000, 1, 0],
    ]) {
      const pieces = piecesOf(db, order, guessed)
      for (const offset of [0, 7, 8, 30 + index, 77, 120, sorted.length - 3, sorted.length + 5]) {
        // Nothing is known of places before the page, or one that is not near: by the first of its keys, or by two.
        for (const known of guessed[0] === 96 ? [0, 1, 2] : [0]) {
          const startBefore = async () => startIn(sorted, order.slice(0, known), Math.floor(offset / 3))
          // oxlint-disable-next-line no-await-in-loop -- one page after the other
          const rows = await readMerged(
            db,
            pieces,
            { limit: 10, offset },
            { near: 2, ...(known === 0 ? {} : { startBefore }) },
          )
          assert.deepEqual(
            rows.map(({ id }) => id),
            sorted.slice(offset, offset + 10).map(({ id }) => id),
            `order ${index}, guessed ${guessed.join()}, ${known} keys known, after ${offset}`,
          )
        }
      }
    }
  }
})
