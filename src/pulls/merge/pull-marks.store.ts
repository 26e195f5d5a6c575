import type { Expression } from 'kysely'
import { shownStateColumn } from '../../code/statuses/commit-status.store.ts'
import type { Db } from '../../db/database.ts'
import { idList } from '../../db/id-list.ts'
import { preparedQueries } from '../../db/prepared.ts'
import type { IssueId } from '../../lib/ids.ts'

/**
 * Loads what lists show of pull requests beside the rows of their issues: base branches and merge checks, the newest status of each context of
 * the heads, and the reviews and requests that count, in one round of queries.
 * @param ids ids of issues in the form of `idListText`
 */
export const loadMarks = preparedQueries((db: Db, ids: string) => {
  const isOfThese = idList(db, ids) as Expression<IssueId>
  const heads = db
    .selectFrom('pull')
    .innerJoin('commit_status', (join) =>
      join.onRef('commit_status.repo_id', '=', 'pull.repo_id').onRef('commit_status.sha', '=', 'pull.head_oid'),
    )
    .where('pull.issue_id', 'in', isOfThese)
  return {
    pulls: db
      .selectFrom('pull')
      .select(['issue_id', 'repo_id', 'base_branch', 'check_state'])
      .where('issue_id', 'in', isOfThese),
    statuses: heads.select(['pull.issue_id', shownStateColumn]).where('commit_status.id', 'in', (select) =>
      select
        .selectFrom(heads.select(['commit_status.id', 'pull.issue_id', 'commit_status.context_hash']).as('each'))
        .select((each) => each.fn.max('each.id').as('id'))
        .groupBy(['each.issue_id', 'each.context_hash']),
    ),
    reviews: db
      .selectFrom('review')
      .select(['issue_id', 'type', 'is_stale', 'is_official'])
      .where('issue_id', 'in', isOfThese)
      .where('type', 'in', ['approve', 'reject', 'request'])
      .where('is_dismissed', '=', false),
  }
})
