import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, transaction, type Db } from '../db/database.ts'
import { turnedOrder, type OrderKey } from '../db/deep-page.ts'
import type { RepoId } from '../lib/ids.ts'
import { openTestDatabase } from '../testing/database.ts'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { blockBits, countChangedBefore, findBlock } from './block.store.ts'
import { findIssuePlaces } from './issue-list.store.ts'
import { issueSorts, orderOf } from './issue-order.store.ts'
import { listRepoComments } from './timeline-entry.store.ts'
import { recountIssues } from './recount.test-support.ts'

type Key = 'id' | 'created_unix' | 'updated_unix' | 'num_comments' | 'listed_due_unix' | 'nearest_due_unix'
type Thing = Readonly<Record<Key, number>> & { readonly is_pull: boolean; readonly is_closed: boolean }

const repoId = 1 as RepoId
const day = 86_400
/** So many that pages in the middle are looked for by blocks, from both ends. */
const many = 9400

/** Issues of two months, many of the same second, whose dates, states and comments change afterwards, and some of which go. */
async function fill(db: Db, count: number, isFromFirst: boolean): Promise<void> {
  const write = (text: string) => sql.raw(text).execute(engineOf(db).writer)
  const numbers = (last: number) =>
    engineOf(db).kind === 'sqlite'
      ? `(with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${last}) select i from numbers) as n`
      : `(select i from generate_series(1::bigint, ${last}::bigint) as numbers(i)) as n`
  const created = `${10_000 * day} + ((i * 7919) % 60) * ${day} + (i % 90) * 10`
  for (const statement of [
    `insert into "user" (id, kind, name, lower_name, created_unix, updated_unix) values (1, 'individual', 'u', 'u', 1, 1)`,
    ...[1, 2].map(
      (id) => `insert into repo (id, owner_id, name, lower_name, git_key, default_branch, created_unix, updated_unix)
        values (${id}, 1, 'r${id}', 'r${id}', 'k${id}', 'main', 1, 1)`,
    ),
    // Some begin to count when all is there, others from the first issue on.
    ...(isFromFirst
      ? ['false', 'true'].map((of) => `insert into issue_block_repo (repo_id, of_comments) values (1, ${of})`)
      : []),
    ...[0, 10_020 * day].map(
      (due, index) => `insert into milestone (id, repo_id, title, due_unix, created_unix, updated_unix)
        values (${index + 1}, 1, 'm${index}', ${due}, 1, 1)`,
    ),
    `insert into issue (id, repo_id, "index", is_pull, poster_id, title, content, milestone_id, is_closed, num_comments, due_unix, created_unix,
        updated_unix)
      select i, case when i % 20 = 7 then 2 else 1 end, i, i % 3 = 0, 1, 'a', 'b', case when i % 7 < 2 then 1 + i % 7 end, i % 4 = 1, (i * 31) % 5,
        case when i % 11 = 4 then ${10_000 * day} + ((i * 31) % 100) * ${day} else 0 end, ${created},
        ${created} + (i % 50) * ${day} - 100 from ${numbers(count)}`,
    `insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix)
      select i, case when i % 90 = 1 then 'close' else 'comment' end, 1, 'c', ${created}, ${created} from ${numbers(count)}`,
    `update issue set is_closed = not is_closed where id % 30 = 1`,
    `update issue set num_comments = num_comments + 1, updated_unix = updated_unix + 5 * ${day} where id % 40 = 1`,
    `update issue set milestone_id = 2 where id % 130 = 1`,
    `update milestone set due_unix = ${10_030 * day} where id = 2`,
    `delete from comment where id % 50 = 3`,
    `delete from comment where issue_id % 70 = 3`,
    `delete from issue where id % 70 = 3`,
    ...recountIssues,
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- each needs those before it
    await write(statement)
  }
}

const listThings = async (db: Db): Promise<Thing[]> =>
  (await db.selectFrom('issue').where('repo_id', '=', repoId).selectAll().execute()) as readonly object[] as Thing[]

const compare =
  (order: readonly OrderKey[]) =>
  (one: Thing, other: Thing): number => {
    for (const { name, direction } of order) {
      const difference = one[name as Key] - other[name as Key]
      if (difference !== 0) return direction === 'asc' ? difference : -difference
    }
    return 0
  }

/** Whether a row comes before a place. */
const isBefore = (row: Thing, order: readonly OrderKey[], key: readonly unknown[]): boolean => {
  for (const [index, value] of key.entries()) {
    const { name, direction } = order[index] as OrderKey
    const difference = row[name as Key] - (value as number)
    if (difference !== 0) return direction === 'asc' ? difference < 0 : difference > 0
  }
  return false
}

const kinds = [[false, true], [false], [true]]
const states = [[false], [false, true], [true]]

test('findBlock: as many come before a block as it says, and the page begins in it', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db, 600, true)
  const all = await listThings(db)
  for (const [turn, order] of issueSorts
    .map(orderOf)
    .flatMap((each) => [each, turnedOrder(each)])
    .entries()) {
    const [isPull, isClosed] = [kinds[turn % 3] as boolean[], states[(turn >> 1) % 3] as boolean[]]
    const parts = isPull.flatMap((kind) => isClosed.map((state) => ({ isPull: kind, isClosed: state })))
    const sorted = all
      .filter((each) => isPull.includes(each.is_pull) && isClosed.includes(each.is_closed))
      .toSorted(compare(order))
    for (const offset of [0, 1, 17, Math.floor(sorted.length / 2), sorted.length - 1]) {
      const what = `${order.map(({ name, direction }) => `${name} ${direction}`).join()}, after ${offset}`
      // oxlint-disable-next-line no-await-in-loop -- one place after the other
      const start = await findBlock(db, repoId, parts, order, offset)
      assert.ok(start, what)
      assert.equal(start.rank, sorted.filter((each) => isBefore(each, order, start.key)).length, what)
      assert.ok(start.rank <= offset, what)
      // No more than what is of the same minutes, or has the same number of comments.
      const most = order[0]?.name === 'num_comments' ? 180 : 40
      assert.ok(offset - start.rank < most, `${what}: ${offset - start.rank} are passed over`)
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    assert.equal(await findBlock(db, repoId, parts, order, sorted.length), undefined)
  }
})

test('countChangedBefore: what blocks and the rest of one sum up to', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db, 600, true)
  const all = await listThings(db)
  const [first = 0, last = 0] = [Math.min, Math.max].map((of) => of(...all.map((each) => each.updated_unix)))
  const edges = [blockBits.wide, blockBits.narrow].map((bits) => Math.ceil((first + last) / 2 / 2 ** bits) * 2 ** bits)
  const middle = all[100]?.updated_unix ?? 0
  for (const at of [
    0,
    first,
    first + 1,
    last,
    last + 1,
    middle,
    middle + 1,
    9e15,
    ...edges,
    ...edges.map((edge) => edge - 1),
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one time after the other
    const countOf = await countChangedBefore(db, repoId, at)
    for (const isPull of [false, true]) {
      for (const isClosed of [false, true]) {
        const are = all.filter(
          (each) => each.is_pull === isPull && each.is_closed === isClosed && each.updated_unix < at,
        )
        assert.equal(countOf?.({ isPull, isClosed }), are.length, `before ${at}`)
      }
    }
  }
  assert.equal(await countChangedBefore(db, 2 as RepoId, last), undefined)
})

test('issueListIssues, repoListPullRequests, issueGetRepoComments: deep pages are those of sorting all', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db, many, false)
  const all = await listThings(db)
  const pageAt = (offset: number) => ({ number: 1, limit: 5, offset })
  assert.ok(all.length > 8600, 'the middle is deep, also of those of a time')
  for (const sort of issueSorts) {
    const sorted = all.toSorted(compare(orderOf(sort)))
    for (const offset of [4005, sorted.length - 4020]) {
      const scope = { kind: 'repo', repoId } as const
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const { places } = await findIssuePlaces(
        db,
        { scope, isPull: [false, true] },
        sort,
        pageAt(offset),
        sorted.length,
      )
      assert.deepEqual(
        places.map(({ id }) => id),
        sorted.slice(offset, offset + 5).map(({ id }) => id),
        `by ${sort} after ${offset}`,
      )
    }
  }
  // Nearly all of them, so the few others are counted; and where these come before the first of them, or behind the last.
  for (const times of [
    { sinceUnix: 10_003 * day },
    { beforeUnix: 10_100 * day },
    { sinceUnix: 10_015 * day + 77 },
    { beforeUnix: 10_095 * day + 77 },
    { sinceUnix: 10_012 * day, beforeUnix: 10_098 * day },
  ]) {
    const { sinceUnix = 0, beforeUnix = Number.MAX_SAFE_INTEGER } = times
    for (const sort of issueSorts) {
      const sorted = all
        .filter((each) => each.updated_unix >= sinceUnix && each.updated_unix <= beforeUnix)
        .toSorted(compare(orderOf(sort)))
      const filter = { scope: { kind: 'repo', repoId }, isPull: [false, true], ...times } as const
      for (const offset of [Math.ceil(sorted.length / 2) - 7, Math.ceil(sorted.length / 2) + 7]) {
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const { places, total } = await findIssuePlaces(db, filter, sort, pageAt(offset))
        assert.deepEqual(
          [places.map(({ id }) => id), total],
          [sorted.slice(offset, offset + 5).map(({ id }) => id), sorted.length],
          `${JSON.stringify(times)} by ${sort} after ${offset}`,
        )
      }
    }
  }
  const comments = await db
    .selectFrom('comment')
    .where('repo_id', '=', repoId)
    .where('type', '=', 'comment')
    .select(['id', 'created_unix'])
    .execute()
  assert.ok(comments.length > 8100)
  comments.sort((one, other) => one.created_unix - other.created_unix || one.id - other.id)
  for (const offset of [Math.floor(comments.length / 2) - 5, Math.floor(comments.length / 2) + 5]) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const { rows, total } = await listRepoComments(db, repoId, [false, true], {}, pageAt(offset))
    assert.deepEqual(
      [rows.map(({ id }) => id), total],
      [comments.slice(offset, offset + 5).map(({ id }) => id), comments.length],
    )
  }
})

test('issueCreateIssue, issueEditIssue, issueCreateComment: what is counted for the first time while many write is counted once', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo({ owner: 'alice', name: 'busy' })
  const { db } = forge.services
  const alice = forge.as('alice')
  const bob = forge.as('bob')
  const numbers = Array.from({ length: 8 }, (_, index) => index + 1)
  const create = (due: object) => alice.must('POST', `${repo.api}/issues`, { title: 'an issue', ...due })
  await Promise.all(numbers.map(() => create({})))
  await transaction(db, (tx) => sql`update repo set last_index = 3996 where name = 'busy'`.execute(tx))
  await Promise.all([
    ...numbers.map((index) => bob.must('POST', `${repo.api}/issues/${index}/comments`, { body: 'said' })),
    ...numbers.slice(3).map((index) => alice.must('PATCH', `${repo.api}/issues/${index}`, { state: 'closed' })),
    ...numbers.map((index) => create(index % 2 === 0 ? { due_date: '2030-01-01T00:00:00Z' } : {})),
    transaction(db, (tx) =>
      sql`insert into issue_block_repo (repo_id, of_comments) select id, true from repo where name = 'busy'`.execute(
        tx,
      ),
    ),
    ...numbers
      .slice(4)
      .map((index) => bob.must('POST', `${repo.api}/issues/${index}/comments`, { body: 'said again' })),
  ])
  await alice.must('DELETE', `${repo.api}/issues/5`)
  await forge.settle()
  assert.deepEqual(await examined(forge.services, { only: ['counters'] }), [])
  const sums = await db
    .selectFrom('issue_block')
    .where('level', '=', 0)
    .groupBy('sort')
    .orderBy('sort')
    .select((each) => ['sort', each.fn.sum<number | string>(sql`open_issues + closed_issues`).as('total')])
    .execute()
  assert.deepEqual(
    sums.map(({ sort, total }) => [sort, Number(total)]),
    [
      ['comment', 10],
      ['comments', 15],
      ['created', 15],
      ['dated', 4],
      ['due', 4],
      ['updated', 15],
    ],
  )
  await transaction(db, (tx) =>
    sql`update issue_block set open_issues = open_issues + 1 where sort = 'due'`.execute(tx),
  )
  await transaction(db, (tx) => sql`delete from issue_block where sort <> 'due'`.execute(tx))
  const wrong = (await examined(forge.services, { only: ['counters'] })).join('\n')
  assert.match(wrong, /^counters: issue_block: \d+ rows are missing \(fixable\)$/m)
  assert.match(wrong, /^counters: issue_block \d+: open_issues is \d+ and should be \d+ \(fixable\)$/m)
  await examined(forge.services, { fix: true, only: ['counters'] })
  assert.deepEqual(await examined(forge.services, { only: ['counters'] }), [])
  await alice.must('DELETE', repo.api)
  const left = await db.selectFrom('issue_block').select('id').execute()
  assert.deepEqual(left, [])
})
