import { expressionBuilder, sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../db/database.ts'
import { mergedPage } from '../../db/merged-page.ts'
import type { Schema } from '../../db/schema.ts'
import type { CursorKey } from '../../lib/cursor.ts'
import type { Page } from '../../lib/paging.ts'
import type { IssueKey } from '../issue.store.ts'
import { conditions, passedOver, wordScope, type IssuePage, type RepoFilter } from '../search/issue-filter.store.ts'
import { areCommon, holdsSought, type CommonWordLimits } from '../search/words.store.ts'
import { keyOf } from './list-order.store.ts'
import { rangesOf, type Access } from './matching.store.ts'

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
  limits: CommonWordLimits,
): Promise<IssuePage | undefined> {
  const { words = [] } = filter
  const skipped = after ? 0 : offset
  if (skipped + limit > limits.tested) return undefined
  const first = (atMost: number, behind?: CursorKey) =>
    mergedPage(db, rangesOf(db, filter, access, behind), access.order, { limit: atMost, offset: 0 })
  const withTexts = (texts: RawBuilder<unknown>) => issuesWith(db, filter, texts)
  if (!(await areCommon(db, words, wordScope(filter), limits, { withTexts, first, id: 'id' }))) return undefined
  // Both databases return the rows of a limited subquery in its order. To sort again would test every candidate.
  const keys = await db
    .selectFrom(first(limits.tested, after).as('candidate'))
    .selectAll()
    .where(holdsSought(db, words, sql.ref('candidate.id')))
    .limit(limit)
    .offset(skipped)
    .execute()
  if (keys.length < limit) return undefined
  const issues: readonly IssueKey[] = keys
  return { keys: issues, last: keyOf(access.order, issues), total: limits.counted, bound: 'total' }
}

/** Returns a query of the issues of a filter that have one of the texts. */
function issuesWith(db: Db, filter: RepoFilter, texts: RawBuilder<unknown>): RawBuilder<unknown> {
  const { scope, isClosed } = filter
  const all = [
    sql<SqlBool>`issue.id = held.rowid`,
    sql<SqlBool>`${passedOver(db, 'repo_id')} = ${scope.repoId}`,
    ...(isClosed === undefined ? [] : [sql<SqlBool>`${passedOver(db, 'is_closed')} = ${sql.lit(isClosed)}`]),
    ...conditions(db, expressionBuilder<Schema, 'issue'>(), filter, 'ids'),
  ]
  return sql`select 1 as one from (${texts}) as held cross join issue where ${sql.join(all, sql` and `)}`
}
