import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type CompiledQuery } from 'kysely'
import { engineOf, transaction, type Db } from '../../db/database.ts'
import type { LabelId, MilestoneId, RepoId, UserId } from '../../lib/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import type { Forge } from '../../testing/forge.ts'
import { numbersUpTo } from '../../testing/numbers.ts'
import { collectStatements } from '../../testing/statements.ts'
import type { RunStatement } from '../../testing/watch-statements.ts'
import type { RepoFilter } from '../search/issue-filter.store.ts'
import { parseSearchWords } from '../search/words.parse.ts'
import { issueSorts, type IssueSort } from './list-order.store.ts'
import { findIssuePage } from './list.store.ts'

/** The index of each order: repository, kind and state, then the keys of the order. */
const indexOfOrder: Readonly<Record<IssueSort, string>> = {
  relevance: 'issue_by_created',
  latest: 'issue_by_created',
  oldest: 'issue_by_created',
  recentupdate: 'issue_by_updated',
  leastupdate: 'issue_by_updated',
  mostcomment: 'issue_by_comments',
  leastcomment: 'issue_by_fewest_comments',
  nearduedate: 'issue_by_nearest_due',
  farduedate: 'issue_by_due',
}

/** Each filter alone, the index that has its issues, and the orders that this index has. */
const byCreation: readonly IssueSort[] = ['relevance', 'latest', 'oldest']
const byChange: readonly IssueSort[] = ['recentupdate', 'leastupdate']
const filters = [
  { filter: { allLabels: [1 as LabelId] }, index: 'issue_label_label', orders: byCreation },
  { filter: { assigneeId: 1 as UserId }, index: 'issue_assignee_user', orders: byCreation },
  { filter: { mentionedId: 1 as UserId }, index: 'issue_mention_user', orders: byCreation },
  { filter: { milestoneIds: [1 as MilestoneId] }, index: 'issue_of_milestone', orders: byCreation },
  { filter: { posterId: 1 as UserId }, index: 'issue_of_poster_in', orders: byCreation },
  { filter: { sinceUnix: 2 }, index: 'issue_by_updated', orders: byChange },
  { filter: { beforeUnix: 900 }, index: 'issue_by_updated', orders: byChange },
] as const

const fill = (db: Db) =>
  transaction(db, async (tx) => {
    for (const statement of [
      sql`insert into "user" (id, kind, name, lower_name, created_unix, updated_unix)
        values (1, 'individual', 'u', 'u', 1, 1), (2, 'individual', 'v', 'v', 1, 1)`,
      sql`insert into repo (id, owner_id, name, lower_name, git_key, default_branch, created_unix, updated_unix)
        values (1, 1, 'r', 'r', 'k', 'main', 1, 1), (2, 1, 's', 's', 'j', 'main', 1, 1)`,
      sql`insert into label (id, repo_id, name, color, created_unix, updated_unix) values (1, 1, 'l', '000000', 1, 1)`,
      sql`insert into milestone (id, repo_id, title, created_unix, updated_unix) values (1, 1, 'm', 1, 1)`,
      sql`insert into issue (id, repo_id, "index", poster_id, milestone_id, title, content, is_pull, is_closed, created_unix,
          updated_unix)
        select i, 1, i, case when i % 7 = 0 then 1 else 2 end, case when i % 7 = 0 then 1 end, 't', '', i % 2 = 0, i % 4 > 1, i, i from ${numbersUpTo(1000)}`,
      sql`insert into issue (id, repo_id, "index", poster_id, title, content, is_pull, is_closed, created_unix, updated_unix)
        select i + 1000, 2, i, 1, 't', '', i % 2 = 0, i % 4 > 1, i, i from ${numbersUpTo(1000)}`,
      sql`insert into issue_label (issue_id, label_id) select id, 1 from issue where repo_id = 1 and id % 7 = 0`,
      sql`insert into issue_assignee (issue_id, user_id) select id, 1 from issue where id % 7 = 0`,
      sql`insert into issue_mention (issue_id, user_id) select id, 1 from issue where id % 7 = 0`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- each statement needs the rows of the previous ones
      await statement.execute(tx)
    }
  })

interface Plan {
  readonly indexes: readonly string[]
  readonly isScan: boolean
  readonly isSorted: boolean
}

/** Returns how the database runs a statement. */
async function explain(db: Db, { sql: text, parameters }: RunStatement): Promise<Plan> {
  const { kind, reader } = engineOf(db)
  const prefixed = (prefix: string): CompiledQuery => ({ ...sql.raw(`${prefix} ${text}`).compile(reader), parameters })
  if (kind === 'sqlite') {
    const { rows } = await reader.executeQuery<{ detail: string }>(prefixed('explain query plan'))
    const steps = rows.map(({ detail }) => detail)
    return {
      indexes: steps.flatMap((step) => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.[1] ?? []),
      isScan: steps.some((step) => /^SCAN (issue|pair|issue_\w+)\b(?! USING| VIRTUAL)/.test(step)),
      isSorted: steps.some((step) => step === 'USE TEMP B-TREE FOR ORDER BY'),
    }
  }
  return reader.connection().execute(async (connection) => {
    // PostgreSQL scans and sorts small tables where it can; without both, only a statement without an index does.
    for (const option of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort']) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await sql`set ${sql.raw(option)} = off`.execute(connection)
    }
    try {
      const { rows } = await connection.executeQuery<Record<string, string>>(prefixed('explain'))
      const steps = rows.map((row) => Object.values(row)[0] as string)
      return {
        indexes: steps.flatMap((step) => /Index (?:Only )?Scan (?:Backward )?using (\w+)/.exec(step)?.[1] ?? []),
        isScan: steps.some((step) => step.includes('Seq Scan')),
        isSorted: steps.some((step) => /^\W*Sort /.test(step)),
      }
    } finally {
      await sql`reset all`.execute(connection)
    }
  })
}

/** Returns the plans of the statements of a first page: the page itself, and the statements that count. */
async function plansOf(db: Db, filter: RepoFilter, sort: IssueSort, sorted: number, counted = 10_000) {
  const forge = { services: { db }, settle: () => Promise.resolve() } as unknown as Forge
  using collected = await collectStatements(forge)
  await findIssuePage(db, filter, sort, { number: 1, limit: 10, offset: 0 }, 500, { counted, sorted, tested: 500 })
  const statements = [...collected.statements]
  collected[Symbol.dispose]()
  const page: Plan[] = []
  const counts: Plan[] = []
  for (const statement of statements) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    ;(/^(?!select count).* order by /s.test(statement.sql) ? page : counts).push(await explain(db, statement))
  }
  return { page, counts }
}

test('issueListIssues: the first page of each single filter and order reads the documented index', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db)
  const isSqlite = engineOf(db).kind === 'sqlite'
  if (!isSqlite) await sql`analyze`.execute(db)
  const base: RepoFilter = { scope: { kind: 'repo', repoId: 1 as RepoId }, isPull: [false], isClosed: true }
  for (const sort of issueSorts) {
    // oxlint-disable-next-line no-await-in-loop -- one list after the other
    const { page, counts } = await plansOf(db, base, sort, 2000)
    assert.deepEqual(page, [{ indexes: [indexOfOrder[sort]], isScan: false, isSorted: false }], `all by ${sort}`)
    assert.deepEqual(counts, [])
  }
  for (const { filter, index, orders } of filters) {
    for (const sort of issueSorts) {
      for (const few of [true, false]) {
        const about = `${Object.keys(filter)[0]} by ${sort}, ${few ? 'few' : 'many'} matches`
        // oxlint-disable-next-line no-await-in-loop -- one list after the other
        const { page, counts } = await plansOf(db, { ...base, ...filter }, sort, few ? 2000 : 3)
        const isInOrder = orders.includes(sort)
        const expected = isInOrder || few ? index : indexOfOrder[sort]
        assert.equal(page.length, 1, about)
        // PostgreSQL chooses by its statistics where rows are sorted or counted.
        if (isSqlite || isInOrder || !few) {
          assert.ok(page[0]?.indexes.includes(expected), `${about}: ${page[0]?.indexes.join()}`)
        }
        assert.deepEqual([page[0]?.isScan, page[0]?.isSorted], [false, !isInOrder && few], about)
        for (const { indexes, isScan } of counts) {
          assert.equal(isScan, false, `${about}: total`)
          if (isSqlite) assert.ok(indexes.includes(index), `${about}: total by ${indexes.join()}`)
        }
      }
    }
  }
})

test('issueListIssues: the first page by a word of very many issues reads the index of the order or of the filter', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db)
  if (engineOf(db).kind !== 'sqlite') await sql`analyze`.execute(db)
  const common: RepoFilter = {
    scope: { kind: 'repo', repoId: 1 as RepoId },
    isPull: [false],
    isClosed: true,
    words: parseSearchWords('t'),
  }
  for (const sort of issueSorts) {
    // oxlint-disable-next-line no-await-in-loop -- one list after the other
    const { page, counts } = await plansOf(db, common, sort, 2000, 10)
    assert.equal(page[0]?.indexes[0], indexOfOrder[sort], `by ${sort}`)
    assert.deepEqual([page.length, page[0]?.isScan, page[0]?.isSorted], [1, false, false], `by ${sort}`)
    assert.deepEqual(
      counts.map(({ isScan }) => isScan),
      [false],
      `by ${sort}: total`,
    )
  }
  const { page } = await plansOf(db, { ...common, posterId: 2 as UserId }, 'latest', 2000, 10)
  assert.equal(page[0]?.indexes[0], 'issue_of_poster_in')
  assert.deepEqual([page.length, page[0]?.isScan, page[0]?.isSorted], [1, false, false])
})
