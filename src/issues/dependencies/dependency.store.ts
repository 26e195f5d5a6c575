import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { changesRow, hasRow } from '../../db/rows.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { IssueId, RepoId, UserId } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'

/** Most dependencies of one issue in each direction. */
export const maxDependencies = 1000

/**
 * Returns the issues that an issue depends on, or that depend on it: its own repository first, then by repository, newest
 * first. It returns all of them, because unreadable ones are removed before the page is cut.
 */
export const listDependencies = (
  db: Db,
  issue: { readonly id: IssueId; readonly repo_id: RepoId },
  direction: 'dependencies' | 'blocks',
): Promise<IssueRow[]> => {
  const [near, far] =
    direction === 'dependencies'
      ? (['issue_dependency.issue_id', 'issue_dependency.dependency_id'] as const)
      : (['issue_dependency.dependency_id', 'issue_dependency.issue_id'] as const)
  return db
    .selectFrom('issue_dependency')
    .innerJoin('issue', 'issue.id', far)
    .selectAll('issue')
    .where(near, '=', issue.id)
    .orderBy(sql`case when issue.repo_id = ${issue.repo_id} then 0 else 1 end`)
    .orderBy('issue.repo_id')
    .orderBy('issue.created_unix', 'desc')
    .orderBy('issue.id', 'desc')
    .limit(maxDependencies)
    .execute()
}

export const hasDependency = (tx: Tx, issueId: IssueId, dependencyId: IssueId): Promise<boolean> =>
  hasRow(tx.selectFrom('issue_dependency').where('issue_id', '=', issueId).where('dependency_id', '=', dependencyId))

/** @returns false when the dependency exists */
export const insertDependency = (
  tx: Tx,
  values: { issue_id: IssueId; dependency_id: IssueId; user_id: UserId; created_unix: Unix },
): Promise<boolean> =>
  changesRow(
    tx
      .insertInto('issue_dependency')
      .values(values)
      .onConflict((conflict) => conflict.doNothing()),
  )

/** @returns false when the dependency does not exist */
export const deleteDependency = (tx: Tx, issueId: IssueId, dependencyId: IssueId): Promise<boolean> =>
  changesRow(
    tx.deleteFrom('issue_dependency').where('issue_id', '=', issueId).where('dependency_id', '=', dependencyId),
  )
