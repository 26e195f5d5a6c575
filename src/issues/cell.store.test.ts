import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction, type Db } from '../db/database.ts'
import { turnedOrder, type OrderKey } from '../db/deep-page.ts'
import { openTestDatabase } from '../testing/database.ts'
import { countWrongCells, listCelled, widenCells } from './cell-width.store.ts'
import { widenAll } from './cell.service.ts'
import { findCell, findChangedComments, mostComments } from './cell.store.ts'
import { issueSorts, orderOf } from './issue-order.store.ts'
import { compare, day, fill, isBefore, listThings, repoId, type Thing } from './many-issues.test-support.ts'

/** Issues of long ago and of times to come, some with very many comments, and comments that were changed. */
const oddities = [
  `update issue set created_unix = -${3 * day} - id where id % 97 = 5`,
  `update issue set updated_unix = -${2 * day} + id where id % 89 = 6`,
  `update issue set updated_unix = 253402300800 + id where id % 83 = 8`,
  `update issue set due_unix = 253402300800 + id where id % 79 = 9`,
  `update issue set due_unix = -${day} where id % 73 = 10`,
  `update issue set num_comments = 25 + id % 30 where id % 12 = 7`,
  `update comment set updated_unix = -${day} where id % 61 = 4`,
]

/** What goes on when cells are as wide as they are. */
const changes = [
  `update issue set is_closed = not is_closed, updated_unix = updated_unix + 7 where id % 17 = 2`,
  `update issue set num_comments = num_comments + 1, updated_unix = ${10_200 * day} + id where id % 19 = 1`,
  `update issue set num_comments = num_comments - 1 where num_comments > 0 and id % 23 = 1`,
  `update issue set due_unix = case when due_unix = 0 then ${10_050 * day} else 0 end where id % 29 = 4`,
  `update milestone set due_unix = due_unix + ${40 * day} where id = 2`,
  `update comment set updated_unix = updated_unix + ${3 * day} where id % 31 = 2`,
  `delete from comment where id % 47 = 2`,
  `delete from issue where id % 53 = 6`,
]

const write = async (db: Db, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) {
    // oxlint-disable-next-line no-await-in-loop -- in their order
    await sql.raw(statement).execute(engineOf(db).writer)
  }
}

const kinds = [[false, true], [false], [true]]
const states = [[false], [false, true], [true]]
const { MAX_SAFE_INTEGER: always } = Number

/** Times that cut a cell in its first half and in its second, that cut none, that lie in one cell, and that cut nothing off. */
const timesFor = (bits: number) => {
  const border = Math.ceil((10_040 * day) / 2 ** bits) * 2 ** bits
  const width = 2 ** bits
  return [
    { sinceUnix: border },
    { sinceUnix: border + 1 },
    { sinceUnix: border - 1 },
    { beforeUnix: border },
    { beforeUnix: border - 1 },
    { beforeUnix: border + Math.floor(width * 0.7) },
    { sinceUnix: 10_010 * day + 77, beforeUnix: 10_050 * day },
    { sinceUnix: border - Math.floor(width * 0.6), beforeUnix: border + Math.floor(width * 0.6) },
    { sinceUnix: border + 5, beforeUnix: border + width - 5 },
    { beforeUnix: -day },
    { sinceUnix: 10_060 * day, beforeUnix: 10_055 * day },
    { sinceUnix: border + 5, beforeUnix: border + 2 },
    { sinceUnix: -always, beforeUnix: always },
  ]
}

/** In which part of its order an issue is: all of one have the same. */
function partOf(each: Thing, [first]: readonly OrderKey[], bits: number): string {
  const cell = (unix: number) => Math.floor(unix / 2 ** bits)
  if (first?.name === 'created_unix') return `created ${cell(each.created_unix)}`
  if (first?.name === 'num_comments') return `comments ${Math.min(each.num_comments, mostComments)}`
  return each.listed_due_unix === 0 ? `undated ${cell(each.created_unix)}` : `due ${cell(each.listed_due_unix)}`
}

const assertCounted = async (db: Db): Promise<void> => {
  for (const celled of await listCelled(db)) {
    // oxlint-disable-next-line no-await-in-loop -- two of them
    assert.equal(await countWrongCells(db, celled), 0, JSON.stringify(celled))
  }
}

test('findCell: as many of what changed in a time come before a place as it says, however wide cells are', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db, 600, true)
  await write(db, oddities)
  for (const widenings of [0, 5, 3]) {
    for (const celled of await listCelled(db)) {
      for (let time = 0; time < widenings; time++) {
        // oxlint-disable-next-line no-await-in-loop -- each is twice as wide as the one before
        await transaction(db, (tx) => widenCells(tx, celled))
      }
    }
    // oxlint-disable-next-line no-await-in-loop -- one width after the other
    await assertCounted(db)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await write(db, changes)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await assertCounted(db)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const bits = (await listCelled(db))[0]?.cell_bits as number
    // oxlint-disable-next-line no-await-in-loop -- as above
    const all = await listThings(db)
    const orders = issueSorts.map(orderOf).filter(([first]) => first?.name !== 'updated_unix')
    for (const [turn, order] of orders.flatMap((each) => [each, turnedOrder(each)]).entries()) {
      const [isPull, isClosed] = [kinds[turn % 3] as boolean[], states[(turn >> 1) % 3] as boolean[]]
      const parts = isPull.flatMap((kind) => isClosed.map((state) => ({ isPull: kind, isClosed: state })))
      for (const times of timesFor(bits)) {
        const { sinceUnix = -always, beforeUnix = always } = times
        const sorted = all
          .filter((each) => isPull.includes(each.is_pull) && isClosed.includes(each.is_closed))
          .filter((each) => each.updated_unix >= sinceUnix && each.updated_unix <= beforeUnix)
          .toSorted(compare(order))
        const offsets = [0, 3, Math.floor(sorted.length / 2), sorted.length - 1]
        for (const offset of offsets.filter((each) => each >= 0 && each < sorted.length)) {
          const what = `${JSON.stringify(times)}, 2^${bits}, ${order.map(({ name, direction }) => `${name} ${direction}`).join()}, after ${offset}`
          // oxlint-disable-next-line no-await-in-loop -- one place after the other
          const start = await findCell(db, repoId, parts, order, offset, times)
          assert.ok(start, what)
          assert.equal(start.rank, sorted.filter((each) => isBefore(each, order, start.key)).length, what)
          assert.ok(start.rank <= offset, what)
          const [begin, end] = [sorted[start.rank] as Thing, sorted[offset] as Thing]
          assert.equal(partOf(begin, order, bits), partOf(end, order, bits), what)
        }
        // oxlint-disable-next-line no-await-in-loop -- as above
        assert.equal(await findCell(db, repoId, parts, order, sorted.length, times), undefined)
      }
    }
  }
})

test('cells that have become too many are wider with the next 4,096th issue or comment', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db, 600, true)
  const kept = await listCelled(db)
  const bitsOf = async () =>
    (await listCelled(db)).map(({ cell_bits: bits }, index) => (bits ?? 0) - (kept[index]?.cell_bits ?? 0))
  const numbers =
    engineOf(db).kind === 'sqlite'
      ? `(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 8200) select i from numbers) as n`
      : `(select i from generate_series(1::bigint, 8200::bigint) as numbers(i)) as n`
  const emptyCells = (sort: string, ofComments: boolean) => `insert into issue_cell (repo_id, sort, bits, y, x, shard)
    select 1, '${sort}', cell_bits, -i, i, 0 from ${numbers} cross join issue_block_repo where of_comments = ${ofComments}`
  const issue = (
    id: number,
  ) => `insert into issue (id, repo_id, "index", is_pull, poster_id, title, content, created_unix, updated_unix)
    values (${id}, 1, ${id}, false, 1, 'a', 'b', ${10_001 * day}, ${10_002 * day})`
  const comment = (
    id: number,
  ) => `insert into comment (id, issue_id, type, poster_id, content, created_unix, updated_unix)
    values (${id}, 1, 'comment', 1, 'c', ${10_001 * day}, ${10_002 * day})`
  await write(db, [issue(4096), comment(4096)])
  assert.deepEqual(await bitsOf(), [0, 0], 'there are few')
  await write(db, [emptyCells('created', false), emptyCells('comment', true), issue(8191), comment(8191)])
  assert.deepEqual(await bitsOf(), [0, 0])
  await write(db, [issue(8192)])
  assert.deepEqual(await bitsOf(), [1, 0])
  await write(db, [comment(8192)])
  assert.deepEqual(await bitsOf(), [1, 1])
  await assertCounted(db)
  const { count } = await db
    .selectFrom('issue_cell')
    .select((each) => each.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  assert.ok(count < 8192, 'what has nothing in it is gone')
})

test('findChangedComments: as many as there are of each kind, and where their pages begin', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db, 600, true)
  await write(db, [...oddities, ...changes])
  await widenAll({ db }, 40)
  const [, ofComments] = await listCelled(db)
  const bits = ofComments?.cell_bits as number
  assert.ok(bits > 12, 'there were too many cells')
  await assertCounted(db)
  const all = (await db
    .selectFrom('comment')
    .where('repo_id', '=', repoId)
    .where('type', '=', 'comment')
    .selectAll()
    .execute()) as readonly object[] as (Thing & { is_of_pull: boolean })[]
  const [asc] = [orderOf('oldest')]
  for (const times of timesFor(bits)) {
    const { sinceUnix = -always, beforeUnix = always } = times
    const changed = all.filter((each) => each.updated_unix >= sinceUnix && each.updated_unix <= beforeUnix)
    // oxlint-disable-next-line no-await-in-loop -- one time after the other
    const found = await findChangedComments(db, repoId, times)
    for (const isPull of kinds) {
      const wanted = changed.filter((each) => isPull.includes(each.is_of_pull))
      const totals = isPull.map((kind) => found?.totalOf(kind) ?? 0)
      assert.equal(
        totals.reduce((one, other) => one + other),
        wanted.length,
      )
      for (const order of [asc, turnedOrder(asc)]) {
        const sorted = wanted.toSorted(compare(order))
        for (const offset of [0, Math.floor(sorted.length / 2), sorted.length - 1].filter((at) => at >= 0)) {
          const what = `${JSON.stringify(times)} after ${offset}`
          const start = found?.startOf(isPull, order, offset)
          if (sorted.length === 0) assert.equal(start, undefined)
          else assert.equal(start?.rank, sorted.filter((each) => isBefore(each, order, start?.key ?? [])).length, what)
        }
      }
    }
  }
})
