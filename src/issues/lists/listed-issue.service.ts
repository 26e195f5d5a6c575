import type { Ctx } from '../../access/context.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import { pluck } from '../../lib/pluck.ts'
import { loadIssues, type IssueKey } from '../issue.store.ts'
import type { RepoWithOwner } from '../repo-with-owner.ts'
import { loadReposWithOwners } from '../repo-with-owner.store.ts'

/** An issue or pull request with its repository. */
export interface ListedIssue extends RepoWithOwner {
  readonly issue: IssueRow
}

/** Returns found issues in their order with their repositories, in three queries. Issues that are deleted meanwhile are omitted. */
export async function loadListedIssues({ db }: Pick<Ctx, 'db'>, keys: readonly IssueKey[]): Promise<ListedIssue[]> {
  if (keys.length === 0) return []
  const [issues, repos] = await Promise.all([
    loadIssues(db, pluck(keys, 'id')),
    loadReposWithOwners(db, new Set(keys.map((key) => key.repo_id))),
  ])
  return keys.flatMap((key) => {
    const [issue, repo] = [issues.get(key.id), repos.get(key.repo_id)]
    return issue && repo ? [{ issue, ...repo }] : []
  })
}
