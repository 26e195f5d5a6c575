import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { transaction, type Db } from '../../db/database.ts'
import type { LabelId, MilestoneId, RepoId, UserId } from '../../lib/ids.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { numbersUpTo } from '../../testing/numbers.ts'
import type { RepoFilter } from '../search/issue-filter.store.ts'
import { parseSearchWords } from '../search/words.parse.ts'
import { issueSorts } from './list-order.store.ts'
import { findIssuePage } from './list.store.ts'

const issueCount = 400

/** Words of the title of an issue: `common` in most, `often` in a third, `old` in the first half, `rare` in a few. */
const titleOf = (i: number): string[] => [
  ...(i % 10 === 0 ? [] : ['common']),
  ...(i % 3 === 0 ? ['often'] : []),
  ...(i <= issueCount / 2 ? ['old'] : []),
  ...(i % 97 === 0 ? ['rare'] : []),
]
/** Words of the comment of an issue. */
const commentOf = (i: number): string[] => [...(i % 2 === 0 ? ['said'] : []), ...(i % 20 === 0 ? ['common'] : [])]

const fill = (db: Db) =>
  transaction(db, async (tx) => {
    const numbers = Array.from({ length: issueCount }, (_, index) => index + 1)
    const textOf = (words: readonly string[]) => `'x ${words.join(' ')}'`
    for (const statement of [
      sql`insert into "user" (id, kind, name, lower_name, created_unix, updated_unix)
        values (1, 'individual', 'u', 'u', 1, 1), (2, 'individual', 'v', 'v', 1, 1)`,
      sql`insert into repo (id, owner_id, name, lower_name, git_key, default_branch, created_unix, updated_unix)
        values (1, 1, 'r', 'r', 'k', 'main', 1, 1), (2, 1, 's', 's', 'j', 'main', 1, 1)`,
      sql`insert into label (id, repo_id, name, color, created_unix, updated_unix) values (1, 1, 'l', '000000', 1, 1)`,
      sql`insert into milestone (id, repo_id, title, created_unix, updated_unix) values (1, 1, 'm', 1, 1)`,
      sql`insert into issue (id, repo_id, "index", poster_id, milestone_id, title, content, is_pull, is_closed, num_comments,
          due_unix, created_unix, updated_unix) values ${sql.raw(
            numbers
              .map((i) => {
                const poster = i % 7 === 0 ? 1 : 2
                const milestone = i % 6 === 0 ? 1 : 'null'
                const created = 1000 + ((i * 37) % 101)
                return `(${i}, 1, ${i}, ${poster}, ${milestone}, ${textOf(titleOf(i))}, '', ${i % 5 === 0}, ${i % 4 === 1},
                  ${i % 4}, ${i % 8 === 0 ? 500 + i : 0}, ${created}, ${created + (i % 50)})`
              })
              .join(),
          )}`,
      // Another repository has the words too.
      sql`insert into issue (id, repo_id, "index", poster_id, title, content, created_unix, updated_unix)
        select i + ${sql.lit(issueCount)}, 2, i, 1, 'common often old rare', '', 2000, 2000 from ${numbersUpTo(100)}`,
      sql`insert into comment (issue_id, type, poster_id, content, created_unix, updated_unix)
        values ${sql.raw(numbers.map((i) => `(${i}, 'comment', 1, ${textOf(commentOf(i))}, 1, 1)`).join())}`,
      sql`insert into issue_label (issue_id, label_id) select id, 1 from issue where repo_id = 1 and id % 3 > 0`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- each statement needs the rows of the previous ones
      await statement.execute(tx)
    }
  })

/** Searches, and whether they find an issue with these words in its title and its comment. */
const searches: readonly { readonly q: string; readonly finds: (i: number) => boolean }[] = [
  { q: 'common', finds: (i) => wordsOf(i).includes('common') },
  { q: 'rare', finds: (i) => wordsOf(i).includes('rare') },
  { q: 'old', finds: (i) => wordsOf(i).includes('old') },
  { q: 'said', finds: (i) => wordsOf(i).includes('said') },
  { q: 'rare often', finds: (i) => wordsOf(i).includes('rare') || wordsOf(i).includes('often') },
  { q: '+common +often', finds: (i) => wordsOf(i).includes('common') && wordsOf(i).includes('often') },
  { q: '+old +said', finds: (i) => wordsOf(i).includes('old') && wordsOf(i).includes('said') },
  { q: '+common -often rare', finds: (i) => wordsOf(i).includes('common') && !wordsOf(i).includes('often') },
  { q: '"common often"', finds: (i) => titleOf(i).join(' ').includes('common often') },
  { q: 'often 10', finds: (i) => wordsOf(i).includes('often') || i === 10 },
  { q: 'nothing', finds: () => false },
]
const wordsOf = (i: number) => [...titleOf(i), ...commentOf(i)]

const filters: readonly Partial<RepoFilter>[] = [
  { isClosed: undefined },
  { isClosed: false },
  { isClosed: true },
  { isClosed: false, isPull: [false] },
  { isClosed: undefined, allLabels: [1 as LabelId] },
  { isClosed: true, milestoneIds: [1 as MilestoneId] },
  { isClosed: false, posterId: 2 as UserId, sinceUnix: 1040 },
]

test('issueListIssues: common and rare words find the same issues as reading all, with each filter, order and page', async () => {
  await using database = await openTestDatabase()
  const { db } = database
  await fill(db)
  const bounded = new Set<string>()
  let turn = 0
  for (const trial of filters) {
    for (const { q, finds } of searches) {
      const filter: RepoFilter = { scope: { kind: 'repo', repoId: 1 as RepoId }, isPull: [false, true], ...trial }
      const withWords = { ...filter, words: parseSearchWords(q) }
      const sort = issueSorts[turn % issueSorts.length] ?? 'latest'
      const limits = { counted: 40, sorted: turn % 2 === 0 ? 1000 : 3, tested: turn % 3 === 0 ? 60 : 500 }
      turn += 1
      const all = await findIssuePage(db, filter, sort, { number: 1, limit: 1000, offset: 0 }, issueCount)
      const wanted = all.keys.map(({ id }) => id).filter((id) => finds(id))
      const pageOf = async (offset: number, after?: readonly number[]) => {
        const page = { number: 2, limit: 15, offset, ...(after ? { after } : {}) }
        const found = await findIssuePage(db, withWords, sort, page, issueCount, limits)
        const about = `${q} in ${JSON.stringify(trial)} by ${sort} after ${offset}`
        assert.deepEqual(
          found.keys.map(({ id }) => id),
          wanted.slice(offset, offset + 15),
          about,
        )
        if (found.bound === undefined) assert.equal(found.total, wanted.length, about)
        else {
          assert.deepEqual([found.total, found.bound], [40, 'total'], about)
          assert.ok(wanted.length > 40, about)
          bounded.add(q)
        }
        return found
      }
      const first = await pageOf(0)
      await pageOf(Math.floor(wanted.length / 2))
      await pageOf(Math.max(0, wanted.length - 5))
      await pageOf(wanted.length + 15)
      if (first.last && wanted.length > 15) {
        const second = await pageOf(15, first.last)
        if (second.last && wanted.length > 30) await pageOf(30, second.last)
      }
    }
  }
  for (const q of ['common', '+common -often rare']) {
    assert.ok(bounded.has(q), `${q} is common`)
  }
  for (const q of ['rare', 'nothing']) assert.ok(!bounded.has(q), `${q} is found by the text index`)
})
