import type { Db } from '../db/database.ts'
import { textList, textListText } from '../db/id-list.ts'
import type { IssueRow } from '../db/tables/issues.ts'
import type { PullRow } from '../db/tables/pulls.ts'
import type { RepoId } from '../lib/ids.ts'

/** A pull request of a branch of its own repository. */
export type BranchPull = Pick<IssueRow, 'index' | 'title' | 'is_pull' | 'is_closed' | 'merged_unix'> &
  Pick<PullRow, 'head_branch'>

/** Returns the newest open and the newest closed pull request of each branch within a repository. */
export function listPullsOfBranches(db: Db, repoId: RepoId, branches: readonly string[]): Promise<BranchPull[]> {
  const ofBranches = db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .where('pull.repo_id', '=', repoId)
    .where('pull.head_repo_id', '=', repoId)
    .where('pull.head_branch', 'in', textList(db, textListText(branches)))
    .where('pull.flow', '=', 0)
  return ofBranches
    .select(['issue.index', 'issue.title', 'issue.is_pull', 'issue.is_closed', 'issue.merged_unix', 'pull.head_branch'])
    .where('pull.id', 'in', (select) =>
      select
        .selectFrom(ofBranches.select(['pull.id', 'pull.head_branch', 'issue.is_closed']).as('each'))
        .select((each) => each.fn.max('each.id').as('id'))
        .groupBy(['each.head_branch', 'each.is_closed']),
    )
    .execute()
}
