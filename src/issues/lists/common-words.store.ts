import { expressionBuilder, sql, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import { mergedPage } from '../../db/merged-page.ts'
import type { Schema } from '../../db/schema.ts'
import { stepByStep } from '../../db/steps.ts'
import type { Page } from '../../lib/paging.ts'
import type { IssueKey } from '../issue.store.ts'
import { conditions, passedOver, wordScope, type IssuePage, type RepoFilter } from '../search/issue-filter.store.ts'
import type { SearchTerm } from '../search/words.parse.ts'
import { holdsSought, textsPerIssue, textsSought } from '../search/words.store.ts'
import { keyOf } from './list-order.store.ts'
import { rangesOf, type Access } from './matching.store.ts'

/** Limits of a list of issues with common words. */
export interface CommonWordLimits {
  /** Issues that are counted. Words are common when more issues have them. */
  readonly counted: number
  /** Issues in the order of the list that are tested for the words. */
  readonly tested: number
}

/**
 * Returns a page of issues with words that very many issues have. It reads the index of the order and tests each issue for
 * the words, because these issues are dense there; the text index would return and sort all of them.
 * @returns undefined when the words are not common, or too rare in this part of the order; the text index then finds the page
 */
export async function findByCommonWords(
  db: Db,
  filter: RepoFilter,
  access: Access,
  { limit, offset, after }: Page,
  { counted, tested }: CommonWordLimits,
): Promise<IssuePage | undefined> {
  const { words = [] } = filter
  const skipped = after ? 0 : offset
  if (skipped + limit > tested || !(await areCommon(db, filter, words, counted))) return undefined
  const candidates = mergedPage(db, rangesOf(db, filter, access, after), access.order, { limit: tested, offset: 0 })
  // Both databases return the rows of a limited subquery in its order. To sort again would test every candidate.
  const places = await db
    .selectFrom(candidates.as('candidate'))
    .selectAll()
    .where(holdsSought(db, words, sql.ref('candidate.id')))
    .limit(limit)
    .offset(skipped)
    .execute()
  if (places.length < limit) return undefined
  const issues: readonly IssueKey[] = places
  return { places: issues, last: keyOf(access.order, issues), total: counted, bound: 'total' }
}

/** Returns whether the text index shows that more issues of the filter have the words than are counted. */
async function areCommon(db: Db, filter: RepoFilter, words: readonly SearchTerm[], counted: number): Promise<boolean> {
  const { scope, isClosed } = filter
  const texts = textsSought(db, words, wordScope(filter), textsPerIssue * (counted + 1))
  const all = [
    sql<SqlBool>`issue.id = held.rowid`,
    sql<SqlBool>`${passedOver(db, 'repo_id')} = ${scope.repoId}`,
    ...(isClosed === undefined ? [] : [sql<SqlBool>`${passedOver(db, 'is_closed')} = ${sql.lit(isClosed)}`]),
    ...conditions(db, expressionBuilder<Schema, 'issue'>(), filter, 'ids'),
  ]
  const found = sql`select 1 as one ${stepByStep(
    db,
    { table: 'held', rows: sql`(${texts})`, where: sql<SqlBool>`1 = 1` },
    { table: 'issue', where: sql<SqlBool>`${sql.join(all, sql` and `)}` },
  )} limit ${sql.lit(counted + 1)}`
  const { rows } = await sql<{ total: number | string }>`select count(*) as total from (${found}) as found`.execute(db)
  return Number(rows[0]?.total ?? 0) > counted
}
