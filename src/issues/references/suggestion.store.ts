import type { Db } from '../../db/database.ts'
import type { IssueRow } from '../../db/tables/issues.ts'
import type { RepoId } from '../../lib/ids.ts'

export type NamedIssue = Pick<IssueRow, 'id' | 'index' | 'title' | 'is_pull' | 'is_closed' | 'merged_unix'>

/** Returns the newest issues and pull requests of a repository, of the given kinds. */
export const listNewest = (
  db: Db,
  repoId: RepoId,
  isPull: readonly boolean[],
  limit: number,
): Promise<readonly NamedIssue[]> =>
  isPull.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('issue')
        .select(['id', 'index', 'title', 'is_pull', 'is_closed', 'merged_unix'])
        .where('repo_id', '=', repoId)
        .where('is_pull', 'in', isPull)
        .orderBy('index', 'desc')
        .limit(limit)
        .execute()
