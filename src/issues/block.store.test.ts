import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction } from '../db/database.ts'
import { turnedOrder } from '../db/deep-page.ts'
import type { RepoId } from '../lib/ids.ts'
import { openTestDatabase } from '../testing/database.ts'
import { examined } from '../testing/doctor.ts'
import { startForge } from '../testing/forge.ts'
import { blockBits, countChangedBefore, findBlock } from './block.store.ts'
import { widenAll } from './cell.service.ts'
import { findIssuePlaces } from './issue-list.store.ts'
import { issueSorts, orderOf } from './issue-order.store.ts'
import { listRepoComments } from './timeline-entry.store.ts'
import { compare, day, fill, isBefore, listThings, repoId } from './many-issues.test-support.ts'

/** So many that pages in the middle are looked for by blocks, from both ends. */
const many = 9400

/** What looks at counts of issues. */
const counted = ['counters', 'cells-of-issues']
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
  // What changed in a time, which leaves out rows at the beginning of an order, at its end, or all over it.
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
        const { places, total } = await findIssuePlaces(db, filter, sort, pageAt(offset), 0)
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
    .select(['id', 'created_unix', 'updated_unix'])
    .execute()
  assert.ok(comments.length > 8100)
  comments.sort((one, other) => one.created_unix - other.created_unix || one.id - other.id)
  for (const times of [{}, { sinceUnix: 10_001 * day }, { beforeUnix: 10_090 * day + 77 }]) {
    const { sinceUnix = 0, beforeUnix = Number.MAX_SAFE_INTEGER } = times
    const changed = comments.filter((each) => each.updated_unix >= sinceUnix && each.updated_unix <= beforeUnix)
    for (const offset of [Math.floor(changed.length / 2) - 5, Math.floor(changed.length / 2) + 5]) {
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const { rows, total } = await listRepoComments(db, repoId, [false, true], times, pageAt(offset))
      assert.deepEqual(
        [rows.map(({ id }) => id), total],
        [changed.slice(offset, offset + 5).map(({ id }) => id), changed.length],
        `${JSON.stringify(times)} after ${offset}`,
      )
    }
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
    ...numbers.map(() => widenAll(forge.services, 2)),
  ])
  await alice.must('DELETE', `${repo.api}/issues/5`)
  await forge.settle()
  assert.deepEqual(await examined(forge.services, { only: counted }), [])
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
  const wrong = (await examined(forge.services, { only: counted })).join('\n')
  assert.match(wrong, /^counters: issue_block: \d+ rows are missing \(fixable\)$/m)
  assert.match(wrong, /^counters: issue_block \d+: open_issues is \d+ and should be \d+ \(fixable\)$/m)
  await examined(forge.services, { fix: true, only: counted })
  assert.deepEqual(await examined(forge.services, { only: counted }), [])
  await transaction(db, (tx) =>
    sql`update issue_cell set open_issues = open_issues + 1 where sort = 'comments'`.execute(tx),
  )
  await transaction(db, (tx) => sql`delete from issue_cell where sort = 'comment'`.execute(tx))
  const cells = (await examined(forge.services, { only: counted })).join('\n')
  assert.match(cells, /^cells-of-issues: repository \d+: \d+ cells of issues are wrong \(fixable\)$/m)
  assert.match(cells, /^cells-of-issues: repository \d+: \d+ cells of comments are wrong \(fixable\)$/m)
  await examined(forge.services, { fix: true, only: counted })
  assert.deepEqual(await examined(forge.services, { only: counted }), [])
  await alice.must('DELETE', repo.api)
  for (const table of ['issue_block', 'issue_cell'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- two of them
    assert.deepEqual(await db.selectFrom(table).select('id').execute(), [])
  }
})
