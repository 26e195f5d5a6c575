import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { engineOf, type Db } from '../../db/database.ts'
import type { LabelId, MilestoneId, RepoId, UserId } from '../../lib/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import type { IssueFilter, RepoFilter } from '../search/issue-filter.store.ts'
import { parseSearchWords } from '../search/words.parse.ts'
import { findIssuePage } from './list.store.ts'
import { issueSorts, type IssueSort } from './list-order.store.ts'
import { listRepoComments } from '../timeline-entry.store.ts'
import { recountIssues } from './recount.test-support.ts'

/** Returns a pseudo-random generator; the same seed gives the same numbers. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
}

interface IssueFixture {
  readonly id: number
  readonly repo: number
  readonly isPull: boolean
  readonly isClosed: boolean
  readonly poster: number
  readonly milestone: number | null
  readonly comments: number
  readonly due: number
  readonly created: number
  readonly updated: number
  readonly labels: readonly number[]
  readonly assignees: readonly number[]
  readonly mentions: readonly number[]
  readonly title: string
  /** The account whose review is requested. */
  readonly reviewer: number | undefined
}

/** Due dates of the milestones by id; 0 without one. */
const milestoneDue = [0, 0, 1500, 900]

/** Inserts many issues into one repository, and some into another that shares labels, accounts and times. */
async function fill(db: Db): Promise<IssueFixture[]> {
  const random = randomNumbers(11)
  const some = (of: readonly number[], share: number) => of.filter(() => random(100) < share)
  const things = Array.from({ length: 240 }, (_, index): IssueFixture => {
    const created = 1000 + random(60)
    return {
      id: index + 1,
      repo: random(6) === 0 ? 2 : 1,
      isPull: random(3) === 0,
      isClosed: random(3) === 0,
      poster: 1 + random(random(4) === 0 ? 4 : 2),
      milestone: random(2) === 0 ? null : 1 + random(3),
      comments: random(4),
      due: random(3) === 0 ? 800 + random(900) : 0,
      created,
      updated: created + random(40),
      labels: some([1, 2, 3], 35),
      assignees: some([1, 2, 3], 25),
      mentions: some([1, 2], 20),
      title: random(3) === 0 ? 'a tulip' : 'a',
      reviewer: random(2) === 0 ? 1 + random(3) : undefined,
    }
  })
  const withReviewer = things.filter(({ isPull, reviewer }) => isPull && reviewer !== undefined)
  const write = (text: string) => sql.raw(text).execute(engineOf(db).writer)
  for (const statement of [
    ...[1, 2, 3, 4].map(
      (id) => `insert into "user" (id, kind, name, lower_name, created_unix, updated_unix)
        values (${id}, 'individual', 'u${id}', 'u${id}', 1, 1)`,
    ),
    ...[1, 2].map(
      (id) => `insert into repo (id, owner_id, name, lower_name, git_key, default_branch, created_unix, updated_unix)
        values (${id}, 1, 'r${id}', 'r${id}', 'k${id}', 'main', 1, 1)`,
    ),
    ...[1, 2, 3].flatMap((id) => [
      `insert into label (id, repo_id, name, color, created_unix, updated_unix) values (${id}, 1, 'l${id}', '000000', 1, 1)`,
      `insert into milestone (id, repo_id, title, due_unix, created_unix, updated_unix)
        values (${id}, 1, 'm${id}', ${milestoneDue[id]}, 1, 1)`,
    ]),
    `insert into issue (id, repo_id, "index", is_pull, poster_id, title, content, milestone_id, is_closed, num_comments, due_unix,
      created_unix, updated_unix) values ${things
        .map(
          (
            each,
          ) => `(${each.id}, ${each.repo}, ${each.id}, ${each.isPull}, ${each.poster}, '${each.title}', 'b', ${each.milestone}, false,
            ${each.comments}, ${each.due}, ${each.created}, ${each.updated})`,
        )
        .join()}`,
    `insert into issue_label (issue_id, label_id) values ${pairs(things, 'labels')}`,
    `insert into issue_assignee (issue_id, user_id) values ${pairs(things, 'assignees')}`,
    `insert into issue_mention (issue_id, user_id) values ${pairs(things, 'mentions')}`,
    // Closes issues after the rows of labels and assignees exist, so that their copied columns must follow.
    `update issue set is_closed = true where id in (${ids(things.filter((each) => each.isClosed)).join()})`,
    `insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix) values ${things
      .map((each) => `(${each.id}, 'comment', 1, 'c', ${each.created}, ${each.updated})`)
      .join()}`,
    `insert into review (issue_id, type, reviewer_id, created_unix, updated_unix) values ${withReviewer
      .map((each) => `(${each.id}, 'request', ${each.reviewer}, ${each.created}, ${each.created})`)
      .join()}`,
    ...recountIssues,
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- each needs those before it
    await write(statement)
  }
  return things
}

const pairs = (things: readonly IssueFixture[], of: 'labels' | 'assignees' | 'mentions'): string =>
  things.flatMap((each) => each[of].map((key) => `(${each.id}, ${key})`)).join()

/** Returns the earlier one of the issue's and the milestone's due dates. */
const dueOf = ({ due, milestone }: IssueFixture): number => {
  const dates = [due, milestoneDue[milestone ?? 0] ?? 0].filter((date) => date !== 0)
  return dates.length === 0 ? 0 : Math.min(...dates)
}

const newest = (one: IssueFixture, other: IssueFixture) => other.created - one.created || other.id - one.id
const late = (date: number) => (date === 0 ? Number.MAX_SAFE_INTEGER : date)
const orders: Readonly<Record<IssueSort, (one: IssueFixture, other: IssueFixture) => number>> = {
  relevance: newest,
  latest: newest,
  oldest: (one, other) => newest(other, one),
  recentupdate: (one, other) => other.updated - one.updated || newest(one, other),
  leastupdate: (one, other) => one.updated - other.updated || newest(other, one),
  mostcomment: (one, other) => other.comments - one.comments || newest(one, other),
  leastcomment: (one, other) => one.comments - other.comments || newest(one, other),
  nearduedate: (one, other) => late(dueOf(one)) - late(dueOf(other)) || newest(one, other),
  farduedate: (one, other) => dueOf(other) - dueOf(one) || newest(one, other),
}

type FilterUnderTest = Omit<IssueFilter, 'scope' | 'isPull' | 'isClosed'>

const filters: readonly FilterUnderTest[] = [
  {},
  { posterId: 1 as UserId },
  { posterId: 4 as UserId },
  { assigneeId: 2 as UserId },
  { mentionedId: 1 as UserId },
  { allLabels: [1 as LabelId] },
  { anyLabels: [2 as LabelId] },
  { anyLabels: [2 as LabelId, 3 as LabelId] },
  { allLabels: [1 as LabelId, 3 as LabelId] },
  { milestoneIds: [2 as MilestoneId] },
  { milestoneIds: [1 as MilestoneId, 3 as MilestoneId] },
  { sinceUnix: 1005 },
  { sinceUnix: 1070 },
  { beforeUnix: 1090 },
  { beforeUnix: 1020 },
  { sinceUnix: 1010, beforeUnix: 1060 },
  { allLabels: [2 as LabelId], assigneeId: 1 as UserId, sinceUnix: 1010 },
  { posterId: 2 as UserId, milestoneIds: [1 as MilestoneId], mentionedId: 2 as UserId },
  { assigneeId: 3 as UserId, mentionedId: 1 as UserId },
  { labelNames: ['l1', 'l3'] },
  { allLabelNames: ['l1', 'l3'] },
  { noneOfLabelNames: ['l2', 'l3'] },
  { milestoneTitles: ['m2'] },
  { reviewedBy: 1 as UserId },
  { reviewAskedOf: 2 as UserId },
  { words: parseSearchWords('+tulip') },
  { words: parseSearchWords('-tulip') },
  { noneOfLabels: [1 as LabelId] },
  { noneOfLabels: [1 as LabelId, 3 as LabelId] },
  { allLabels: [2 as LabelId], noneOfLabels: [1 as LabelId] },
  { createdFromUnix: 1020 },
  { createdToUnix: 1030 },
  { createdFromUnix: 1010, createdToUnix: 1030, posterId: 1 as UserId },
  { minComments: 2 },
  { maxComments: 1 },
  { minComments: 1, maxComments: 2, sinceUnix: 1010 },
  { lacks: ['milestone'] },
  { lacks: ['label', 'assignee'] },
  { allLabels: [1 as LabelId], milestoneTitles: ['m2'] },
  { posterId: 1 as UserId, lacks: ['milestone'], words: parseSearchWords('+tulip') },
]

/** What each member of a filter leaves. The type demands a new member here. */
const leaves: {
  readonly [Name in keyof FilterUnderTest]-?: (
    value: NonNullable<FilterUnderTest[Name]>,
    thing: IssueFixture,
  ) => boolean
} = {
  posterId: (id, thing) => thing.poster === id,
  assigneeId: (id, thing) => thing.assignees.includes(id),
  mentionedId: (id, thing) => thing.mentions.includes(id),
  allLabels: (labels, thing) => labels.every((label) => thing.labels.includes(label)),
  anyLabels: (labels, thing) => labels.some((label) => thing.labels.includes(label)),
  labelNames: (names, thing) => names.some((name) => thing.labels.some((label) => name === `l${label}`)),
  allLabelNames: (names, thing) => names.every((name) => thing.labels.some((label) => name === `l${label}`)),
  noneOfLabelNames: (names, thing) => !names.some((name) => thing.labels.some((label) => name === `l${label}`)),
  noneOfLabels: (labels, thing) => !labels.some((label) => thing.labels.includes(label)),
  createdFromUnix: (unix, thing) => thing.created >= unix,
  createdToUnix: (unix, thing) => thing.created <= unix,
  minComments: (count, thing) => thing.comments >= count,
  maxComments: (count, thing) => thing.comments <= count,
  milestoneIds: (all, thing) => all.some((id) => thing.milestone === id),
  milestoneTitles: (titles, thing) => titles.some((title) => title === `m${thing.milestone}`),
  sinceUnix: (unix, thing) => thing.updated >= unix,
  beforeUnix: (unix, thing) => thing.updated <= unix,
  // Account 1 wrote the comment of each issue.
  reviewedBy: (id, thing) => id === 1 && thing.isPull && thing.poster !== id,
  reviewAskedOf: (id, thing) => thing.isPull && thing.reviewer === id && thing.poster !== id,
  words: (terms, thing) =>
    terms.every(({ role, words: [word = ''] }) => thing.title.includes(word) === (role !== 'refused')),
  lacks: (all, thing) =>
    all.every((lack) =>
      lack === 'milestone'
        ? thing.milestone === null
        : (lack === 'label' ? thing.labels : thing.assignees).length === 0,
    ),
}

const isOf = (trial: FilterUnderTest, thing: IssueFixture): boolean =>
  (Object.keys(trial) as (keyof FilterUnderTest)[]).every((name) =>
    (leaves[name] as (value: unknown, thing: IssueFixture) => boolean)(trial[name], thing),
  )

test('issueListIssues: the filters under test have each member alone', () => {
  const alone = filters.flatMap((filter) => (Object.keys(filter).length === 1 ? Object.keys(filter) : []))
  assert.deepEqual(new Set(alone), new Set(Object.keys(leaves)))
})

const ids = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id)
const pageAt = (offset: number) => ({ number: 1, limit: 7, offset })

test('issueListIssues, repoListPullRequests: each filter in each order agrees with a full sort, from both ends', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const things = (await fill(db)).filter(({ repo }) => repo === 1)
  const kinds = [[false, true], [true]]
  const states = [undefined, false, true]
  let turn = 0
  for (const trial of filters) {
    for (const sort of issueSorts) {
      const isPull = kinds[turn % 2] as boolean[]
      const limits = { counted: 1000, sorted: turn % 4 < 2 ? 1000 : 3, tested: 500 }
      const isClosed = states[turn++ % 3]
      const wanted = things
        .filter((each) => isPull.includes(each.isPull) && (isClosed === undefined || each.isClosed === isClosed))
        .filter((each) => isOf(trial, each))
        .toSorted(orders[sort])
      const filter: RepoFilter = { scope: { kind: 'repo', repoId: 1 as RepoId }, isPull, isClosed, ...trial }
      for (const offset of [0, Math.floor(wanted.length / 3), Math.max(0, wanted.length - 5)]) {
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const { keys, total } = await findIssuePage(db, filter, sort, pageAt(offset), wanted.length, limits)
        assert.deepEqual(
          [ids(keys), total],
          [ids(wanted.slice(offset, offset + 7)), wanted.length],
          `${JSON.stringify(filter)} by ${sort} after ${offset}`,
        )
      }
    }
  }
})

test('issueListIssues: pages by cursor equal pages by number, for each filter and order', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db)
  let turn = 0
  for (const trial of filters) {
    for (const sort of issueSorts) {
      const limits = { counted: 1000, sorted: turn % 2 === 0 ? 1000 : 3, tested: 500 }
      const isClosed = [undefined, false, true][turn++ % 3]
      const filter: RepoFilter = {
        scope: { kind: 'repo', repoId: 1 as RepoId },
        isPull: [false, true],
        isClosed,
        ...trial,
      }
      const all = await findIssuePage(db, filter, sort, { number: 1, limit: 1000, offset: 0 }, 0, limits)
      const before = await findIssuePage(db, filter, sort, { number: 1, limit: 20, offset: 0 }, 0, limits)
      if (!before.last) continue
      const page = { number: 2, limit: 1000, offset: 20, after: before.last }
      const rest = await findIssuePage(db, filter, sort, page, 0, limits)
      assert.deepEqual(ids(rest.keys), ids(all.keys.slice(20)), `${JSON.stringify(filter)} by ${sort}`)
    }
  }
})

test('issueListIssues: a bounded count is marked, and its pages continue past the bound', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const things = (await fill(db)).filter(({ repo }) => repo === 1)
  const trial: FilterUnderTest = { allLabels: [1 as LabelId] }
  const wanted = things.filter((each) => isOf(trial, each)).toSorted(newest)
  const filter: RepoFilter = { scope: { kind: 'repo', repoId: 1 as RepoId }, isPull: [false, true], ...trial }
  const offset = wanted.length - 5
  const found = await findIssuePage(db, filter, 'latest', pageAt(offset), 0, { counted: 20, sorted: 3, tested: 500 })
  assert.deepEqual([ids(found.keys), found.total, found.bound], [ids(wanted.slice(offset)), 20, 'total'])
})

test('issueListIssues, issueGetRepoComments: wrong stored counts do not change any page', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const things = (await fill(db)).filter(({ repo }) => repo === 1)
  const { writer } = engineOf(db)
  for (const count of [0, 1_000_000]) {
    for (const statement of [
      `update repo set num_issues = ${count}, num_closed_issues = ${count}, num_pulls = ${count}, num_closed_pulls = 0`,
      `update label set num_issues = ${count}, num_closed_issues = ${count}`,
      `update milestone set num_issues = ${count}, num_closed_issues = ${count}`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one writer
      await sql.raw(statement).execute(writer)
    }
    let turn = 0
    for (const trial of filters) {
      for (const sort of issueSorts) {
        const isClosed = [undefined, false, true][turn++ % 3]
        const wanted = things
          .filter((each) => (isClosed === undefined || each.isClosed === isClosed) && isOf(trial, each))
          .toSorted(orders[sort])
        const scope = { kind: 'repo', repoId: 1 as RepoId } as const
        const filter: RepoFilter = { scope, isPull: [false, true], isClosed, ...trial }
        for (const offset of [0, Math.max(0, wanted.length - 5)]) {
          // oxlint-disable-next-line no-await-in-loop -- one page after the other
          const { keys, total } = await findIssuePage(db, filter, sort, pageAt(offset), count)
          assert.deepEqual(ids(keys), ids(wanted.slice(offset, offset + 7)), `${JSON.stringify(filter)} by ${sort}`)
          if (Object.keys(trial).length > 0) assert.equal(total, wanted.length, `${JSON.stringify(filter)} is counted`)
          else assert.ok(total >= offset + keys.length, 'the total covers the rows shown')
        }
      }
    }
    const oldest = things.toSorted(orders.oldest)
    for (const offset of [0, oldest.length - 5]) {
      // oxlint-disable-next-line no-await-in-loop -- one page after the other
      const { rows } = await listRepoComments(db, 1 as RepoId, [false, true], {}, pageAt(offset))
      assert.deepEqual(
        rows.map((row) => row.issue_id),
        ids(oldest.slice(offset, offset + 7)),
      )
    }
  }
})

test('issueGetRepoComments: lists comments of both kinds in a time range, from both ends', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  const things = (await fill(db)).filter(({ repo }) => repo === 1)
  const times = [{}, { sinceUnix: 1005 }, { sinceUnix: 1070 }, { beforeUnix: 1090 }, { beforeUnix: 1020 }]
  for (const between of [...times, { sinceUnix: 1010, beforeUnix: 1060 }]) {
    for (const isPull of [[false, true], [true]]) {
      const wanted = things
        .filter((each) => isPull.includes(each.isPull) && isOf(between, each))
        .toSorted(orders.oldest)
      for (const offset of [0, 20, Math.max(0, wanted.length - 5)]) {
        // oxlint-disable-next-line no-await-in-loop -- one page after the other
        const { rows, total } = await listRepoComments(db, 1 as RepoId, isPull, between, pageAt(offset))
        assert.deepEqual(
          [rows.map((row) => row.issue_id), total],
          [ids(wanted.slice(offset, offset + 7)), wanted.length],
          `${JSON.stringify(between)} after ${offset}`,
        )
      }
    }
  }
})
