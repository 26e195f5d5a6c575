import type { Db } from '../../db/database.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { RepoId } from '../../lib/ids.ts'

/** Repositories with an open pull request from a branch that allows maintainer edits. */
export const listMaintainedBases = (db: Db, headRepoId: RepoId, branch: string): Promise<RepoRow[]> =>
  db
    .selectFrom('repo')
    .selectAll()
    .where('id', 'in', (where) =>
      where
        .selectFrom('pull')
        .innerJoin('issue', 'issue.id', 'pull.issue_id')
        .select('pull.repo_id')
        .where('pull.head_repo_id', '=', headRepoId)
        .where('pull.head_branch', '=', branch)
        .where('pull.flow', '=', 0)
        .where('pull.allow_maintainer_edit', '=', true)
        .where('issue.is_closed', '=', false),
    )
    .execute()
